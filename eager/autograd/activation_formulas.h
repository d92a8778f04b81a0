// Derivatives of activation functions (eager/ops/activation.toml); defined in eager/composite/activation.cc.
#pragma once

#include "eager/value.h"

namespace framejit::eager::ops {

/// Of x / (1 + |x|), which is no analytic function of complex x.
Tensor softsign_backward(const Tensor& grad, const Tensor& input);
/// The gradients of both halves of `self`, as one tensor.
Tensor gated_halves_backward(const Tensor& grad, const Tensor& self, SymInt dim);

}  // namespace framejit::eager::ops
