// Contract: from a graph to something that runs.
#pragma once

#include <memory>

#include "graph/executable.h"

namespace framejit::inductor {

using graph::Executable;

/// Lowers, fuses, plans memory. The graph needs no gradients (graph/aot has taken them out) and is functional
/// except for in-place copies into inputs at its end. Results may be inputs, constants, or one value twice
/// (then one tensor). Throws InternalError for our own bugs; never for user code. Registered as "inductor" with
/// graph::aot::register_compiler.
FRAMEJIT_API std::unique_ptr<Executable> compile(const graph::Graph& graph);

}  // namespace framejit::inductor
