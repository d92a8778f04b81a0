// The backward pass. Nodes become ready when everything behind them has delivered; each kind of device has
// its own queue of ready nodes, latest forward operation first. The calling thread works off the queue of the
// CPU (and of its own device, when a pass is started from within another one); a thread per accelerator works
// off its queue. Without accelerators nothing is locked and no other thread takes part.
//
// A pass may be entered again from a node or hook, and several threads may run passes over shared nodes: all
// that a pass changes in a graph is guarded where it is (`.grad`: accumulate_grad.cc, saved tensors:
// op_node.h).
#pragma once

#include <functional>
#include <vector>

#include "eager/autograd/autograd.h"

namespace framejit::eager {

struct BackwardPass {
  std::vector<Edge> roots;
  std::vector<Tensor> grads;  ///< one per root, defined
  BackwardOptions options;
  /// Where one of these is given, only what they need is computed.
  std::vector<Edge> captures;  ///< whose gradients are returned
  std::vector<Edge> targets;   ///< nodes of leaves, which are to run
};

/// One gradient per capture; undefined for those that the roots do not depend on.
std::vector<Tensor> run_backward(BackwardPass pass);

// Of the pass that runs on this thread:
/// The node that is being evaluated; null outside of a pass.
FRAMEJIT_API const GradNode* current_node();
/// A number for each pass; -1 outside.
FRAMEJIT_API int64_t current_pass();
/// Whether the pass will run `node` (or has).
FRAMEJIT_API bool will_run(const GradNode& node);
/// Whether what `node`, while it runs, sends along `edge` is wanted: false only in a pass for some gradients alone.
FRAMEJIT_API bool is_wanted(const GradNode& node, const Edge& edge);
/// Calls `callback` when the pass is done.
FRAMEJIT_API void at_end_of_pass(std::function<void()> callback);

}  // namespace framejit::eager
