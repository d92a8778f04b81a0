// softmax along a dim whose elements lie apart, such as the channels of images: for many columns at once.
#pragma once

#include <algorithm>

#include "eager/cpu/float_type.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

/// Whether that is possible and worth while: of contiguous float32 or float64, and enough columns.
bool has_softmax_columns(const Tensor& self, int dim);
/// `result` is contiguous and of the dtype of `self`.
void softmax_columns(const Tensor& self, int dim, bool log, const Tensor& result);
/// With g the gradient of the `result` y of it: y * (g - sum(g * y)), or of its logarithm g - exp(y) * sum(g).
Tensor softmax_columns_backward(const Tensor& grad, const Tensor& result, int dim, bool log);
/// Of each column its largest element, and the logarithm of the sum of powers relative to that: both contiguous, of the
/// sizes of `self` without `dim`.
void softmax_column_sums(const Tensor& self, int dim, const Tensor& largest, const Tensor& logs);

/// Calls `f(T(), outer index, first column, columns)` for tiles of the columns of contiguous tensors of type T.
template <class F>
void for_each_column_tile(DType dtype, const RowShape& shape, F f) {
  constexpr int64_t kTile = 256, kPiece = 16 * 1024;  // columns at once, elements worth a thread
  const int64_t tiles = (shape.inner + kTile - 1) / kTile;
  const int64_t work = shape.length * std::min(shape.inner, kTile);
  for_float_type(dtype, [&](auto zero) {
    parallel_for(shape.outer * tiles, std::max<int64_t>(1, kPiece / work), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i % tiles * kTile;
        f(zero, i / tiles, column, std::min(kTile, shape.inner - column));
      }
    });
  });
}

}  // namespace framejit::eager::cpu
