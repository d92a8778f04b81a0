// Contract: from the graph of a trace to something that can be called in its place.
//
// Tour of graph/aot/
//   compile.h      what the front end calls
//   plan.h         takes mutation and aliasing out of a graph, and says how to put them back at run time
//   joint.h        runs the autograd engine over symbolic tensors: one graph of forward and backward
//   partition.h    cuts it into two, trading memory for recomputation
//   runtime.h      calls the compiled pieces, gives the outputs their grad_fn, writes into mutated inputs,
//                  makes outputs that alias inputs
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "inductor/compile.h"

namespace framejit::graph::aot {

/// Compiles one pure graph (no gradients; in-place only copies into inputs at its end).
using Compiler =
    std::function<std::shared_ptr<const inductor::Executable>(std::unique_ptr<graph::Graph> graph)>;

struct Options {
  Compiler forward;
  Compiler backward;
  /// Differentiate when an input requires grad. False under no_grad.
  bool grad_enabled = true;
};

/// The Executable runs through the dispatcher's rules: results carry a grad_fn where eager's would, inputs
/// are mutated in place, aliases are kept. Compiling may add guards to `graph->shapes`.
FRAMEJIT_API std::shared_ptr<const inductor::Executable> compile(std::unique_ptr<graph::Graph> graph,
                                                                 const Options& options);

/// By name: "inductor", "aot_eager" (all but the code generation) or "eager" (the traced graph, op by op).
/// Another name raises Error(value) that lists them. Takes the grad mode of the calling thread.
FRAMEJIT_API std::shared_ptr<const inductor::Executable> compile_graph(std::unique_ptr<graph::Graph> graph,
                                                                       const std::string& backend);

}  // namespace framejit::graph::aot
