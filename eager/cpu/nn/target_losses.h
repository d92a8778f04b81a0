// Losses of scores that have a class as target each.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// The gradient of the scores, which have `sizes`; `weights` as the kernel of target_losses gave them.
Tensor target_losses_backward(const Tensor& grad, const Dims& sizes, const Tensor& target,
                              const Tensor& weights, int64_t ignored);

}  // namespace framejit::eager::cpu
