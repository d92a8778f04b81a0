// Cross entropy of rows of scores with a class each; of images, the row of a pixel goes over the channels.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Whether `input` has rows of scores, one behind the other or (N, C, ...) and many side by side, of float32 or float64,
/// and `target` a class for each.
bool are_class_rows(const Tensor& input, const Tensor& target);
/// The gradient of input; `largest` and `logs` as the kernel of class_losses gave them.
Tensor class_losses_backward(const Tensor& grad, const Tensor& input, const Tensor& target, int64_t ignored,
                             const Tensor& largest, const Tensor& logs);

}  // namespace framejit::eager::cpu
