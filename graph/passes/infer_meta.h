// Meta inference: fills in again what is known of every node's results, after a graph has been edited.
#pragma once

#include "graph/graph.h"

namespace framejit::graph::passes {

/// Raises the user's error where an op does not fit its arguments.
FRAMEJIT_API void infer_meta(Graph& graph);

}  // namespace framejit::graph::passes
