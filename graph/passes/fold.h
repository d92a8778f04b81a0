// Constant folding: runs calls whose tensors are all constants of the graph.
#pragma once

#include "graph/graph.h"

namespace framejit::graph::passes {

/// Results above `max_elements` stay calls, so that a compiled graph does not hold big tensors.
FRAMEJIT_API void fold(Graph& graph, int64_t max_elements = 4096);

}  // namespace framejit::graph::passes
