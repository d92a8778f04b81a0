// Common subexpressions: of nodes that compute the same, the first is kept.
#pragma once

#include "graph/graph.h"

namespace framejit::graph::passes {

/// For graphs without in-place ops. Two results of the graph stay two nodes: the caller gets tensors of their
/// own (`return x * 2, x * 2`). Random ops differ, and so do `0.0` and `-0.0`.
FRAMEJIT_API void cse(Graph& graph);

}  // namespace framejit::graph::passes
