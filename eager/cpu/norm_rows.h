// Rows that are normalized: to mean 0 and variance 1, then scaled and shifted; and what comes back of
// gradients. Loops over one row, compiled once per instruction set (tile/norm_rows.cc), and layer_norm made
// of them.
#pragma once

#include <cstdint>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// T: float or double. x' = (x - mean) * rstd. `weight` and `bias` may be null: 1 and 0.
template <class T>
struct NormRows {
  /// out = x' * weight + bias, from `distance` = x - mean.
  void (*forward)(int64_t n, const T* distance, T rstd, const T* weight, const T* bias, T* out);
  /// Sums of grad * weight and of grad * weight * x'.
  void (*sums)(int64_t n, const T* grad, const T* weight, const T* x, T mean, T rstd, double* sum,
               double* product);
  /// out = factor * (grad * weight - mean_grad - x' * mean_product).
  void (*backward)(int64_t n, const T* grad, const T* weight, const T* x, T mean, T rstd, T factor,
                   T mean_grad, T mean_product, T* out);
};

/// Those of the chosen instruction set.
template <class T>
const NormRows<T>& norm_rows();

/// Whether layer_norm's rows of these tensors can be taken as they lie; undefined ones do not matter.
bool are_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias);

/// All contiguous, of one dtype, float32 or float64; the bits of the row program. `mean` and `rstd` have an
/// element for each row.
void layer_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t length,
                     double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd);

/// The gradients of batch_norm's input, whose channels are dim 1, and of its weight, of which `input` and
/// `grad` are contiguous and of one dtype, float32 or float64. `weight` may be undefined; `mean` and
/// `variance` are those of the channels.
Tensor batch_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const Tensor& mean, const Tensor& variance, double eps);
Tensor batch_norm_weight_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                  const Tensor& variance, double eps);

}  // namespace framejit::eager::cpu
