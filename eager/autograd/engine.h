// The backward pass. Single-threaded: runs on the calling thread, and may be entered again from a node or
// hook.
#pragma once

#include <vector>

#include "eager/autograd/autograd.h"

namespace framejit::eager {

struct BackwardPass {
  std::vector<Edge> roots;
  std::vector<Tensor> grads;  ///< one per root, defined
  BackwardOptions options;
  /// Where given: only what these need is computed, and their gradients are returned instead of being
  /// accumulated.
  std::vector<Edge> captures;
};

/// One gradient per capture; undefined for those that the roots do not depend on.
std::vector<Tensor> run_backward(BackwardPass pass);

}  // namespace framejit::eager
