// softmax along a dim whose elements lie apart, such as the channels of images: for many columns at once.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Whether that is possible and worth while: of contiguous float32 or float64, and enough columns.
bool has_softmax_columns(const Tensor& self, int dim);
/// `result` is contiguous and of the dtype of `self`.
void softmax_columns(const Tensor& self, int dim, bool log, const Tensor& result);
/// With g the gradient of the `result` y of it: y * (g - sum(g * y)), or of its logarithm g - exp(y) * sum(g).
Tensor softmax_columns_backward(const Tensor& grad, const Tensor& result, int dim, bool log);

}  // namespace framejit::eager::cpu
