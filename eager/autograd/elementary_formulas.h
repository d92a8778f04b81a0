// Derivatives of eager/ops/elementary.toml; defined in eager/composite/pointwise.cc.
#pragma once

#include "eager/value.h"

namespace framejit::eager::ops {

/// grad * part / (self^2 + other^2); 0 at the origin, where the angle has no derivative.
Tensor atan2_backward(const Tensor& grad, const Value& part, const Value& self, const Value& other);
/// grad / (sqrt(self - 1) * sqrt(self + 1)). The root of the product has another sign in half of the complex
/// plane.
Tensor acosh_backward(const Tensor& grad, const Tensor& self);

}  // namespace framejit::eager::ops
