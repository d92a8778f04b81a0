// Derivatives of special functions (eager/ops/special.toml); defined in eager/composite/special.cc.
#pragma once

#include "eager/value.h"

namespace framejit::eager::ops {

/// Derivative of the lower incomplete gamma function: x ** (a - 1) * exp(-x) / gamma(a).
Tensor gamma_density(const Value& a, const Value& x);
Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result);

}  // namespace framejit::eager::ops
