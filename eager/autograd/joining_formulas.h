// Derivatives of the ops of joining.toml that take more than an expression.
#pragma once

#include "eager/value.h"

namespace framejit::eager::ops {

/// Turns each dim back.
Tensor roll_backward(const Tensor& grad, Dims shifts, const Dims& dims);

}  // namespace framejit::eager::ops
