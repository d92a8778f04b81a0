// When a composite may call a kernel that neither autograd nor a trace sees.
#pragma once

#include <initializer_list>

#include "eager/dispatch.h"

namespace framejit::eager {

/// Whether nobody will ask for a gradient of what is made of these, or records a trace.
inline bool needs_no_graph(std::initializer_list<Tensor> tensors) {
  for (const Tensor& tensor : tensors)
    if (tensor.is_symbolic() || (modes().grad_enabled && tensor.requires_grad())) return false;
  return true;
}

}  // namespace framejit::eager
