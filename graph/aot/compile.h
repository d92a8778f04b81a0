// Contract: from the graph of a trace to something that can be called in its place.
//
// Tour of graph/aot/
//   compile.h      what the front end calls
//   joint.h        runs the autograd engine over symbolic tensors: one graph of forward and backward
//   partition.h    cuts it into two, trading memory for recomputation (min_cut.h)
//   runtime.h      calls the compiled pieces, gives the outputs their grad_fn, writes into mutated inputs,
//                  makes outputs that alias inputs
//   compiled_backward.h  the autograd node of a compiled graph
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "graph/executable.h"

namespace framejit::graph::aot {

/// Compiles one pure graph (no gradients; in-place only copies into inputs at its end).
using Compiler = std::function<std::shared_ptr<const Executable>(std::unique_ptr<Graph> graph)>;

/// Makes a backend known by name ("inductor" registers itself when the library is loaded).
FRAMEJIT_API void register_compiler(const std::string& name, Compiler compiler);

/// Splits the graph into pure ones for `compiler`. The Executable keeps to the dispatcher's rules: results
/// carry a grad_fn where eager's would (when an input requires grad, and grad mode is on in the calling
/// thread now), inputs are mutated in place, aliases are kept. May add guards to `graph->shapes`.
FRAMEJIT_API std::shared_ptr<const Executable> compile(std::unique_ptr<Graph> graph,
                                                       const Compiler& compiler);

/// By name: "inductor", "aot_eager" (all but the code generation) or "eager" (the traced graph, op by op).
/// Another name raises Error(value) that lists them.
FRAMEJIT_API std::shared_ptr<const Executable> compile_graph(std::unique_ptr<Graph> graph,
                                                             const std::string& backend);

}  // namespace framejit::graph::aot
