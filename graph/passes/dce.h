// Dead code elimination: erases nodes whose results nobody uses, unless they have an effect.
#pragma once

#include "graph/graph.h"

namespace framejit::graph::passes {

FRAMEJIT_API void dce(Graph& graph);

}  // namespace framejit::graph::passes
