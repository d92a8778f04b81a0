// Removes views that show their argument as it is: detach, `x.view(x.shape)`, expand to the same sizes.
#pragma once

#include "graph/graph.h"

namespace framejit::graph::passes {

/// For pure graphs that have been differentiated, where a detach has no meaning any more.
FRAMEJIT_API void drop_aliases(Graph& graph);

}  // namespace framejit::graph::passes
