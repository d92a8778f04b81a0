// softmax along the last dim, of rows that lie side by side, and its gradient.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Whether the rows of `self` are such, of float32 or float64.
bool are_softmax_rows(const Tensor& self, int dim);
/// `result` is contiguous and of the dtype of `self`. The bits of the row program.
void softmax_rows(const Tensor& self, bool log, const Tensor& result);
/// `grad` is contiguous and of the dtype of `result`. The bits of the formula of ops.
Tensor softmax_rows_backward(const Tensor& grad, const Tensor& result, bool log);

}  // namespace framejit::eager::cpu
