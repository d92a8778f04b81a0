// The rules of a well-formed graph. Debug builds verify after every pass.
#pragma once

#include "graph/graph.h"

namespace framejit::graph {

/// Raises InternalError with the broken rule and the printed graph unless
///  - inputs come first, the output node is last, names are unique, and users are what the arguments say;
///  - arguments refer to results (that exist) of earlier nodes;
///  - a call has an argument of a fitting type for each of its schema, and meta for each result;
///  - scalar ops are of the table, and their arguments are numbers;
///  - the symbols used are bound to a dim of a tensor input or to an int input.
FRAMEJIT_API void verify(const Graph& graph);

}  // namespace framejit::graph
