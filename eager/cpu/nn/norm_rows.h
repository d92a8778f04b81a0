// Inner loops of the normalisations, compiled once per instruction set (tile/norm_rows.cc, tile/layer_norm.cc),
// over elements that lie side by side. What makes ops of them:
//   layer_norm.cc     rows and their statistics
//   batch_norm.cc     channels: stretches of a batch, or columns where an image is one pixel
//   scale_channels.cc the same by given statistics
//   group_norm.cc     rows of which each plane has a weight
//
// layer_norm and the gradient of its input have the bits of row programs and of the formulas of ops, hence
// those of compiled code. What is summed over rows, channels and groups is added up in an order of its own,
// which is faster: it may differ from compiled code in the last bits. No result depends on the number of
// threads or on the instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "eager/cpu/float_type.h"
#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// `count` stretches of `length` elements, `distance` apart.
struct Stretches {
  int64_t count, length, distance;
  int64_t elements() const { return count * length; }
};
/// `rows` rows of `columns` elements, `stride` apart.
struct Columns {
  int64_t rows, columns, stride;
};

/// Sums of a gradient, and of a gradient times the distance of x from its mean.
struct GradSums {
  double grad = 0, product = 0;
};

/// T: float or double. A `weight` or `bias` may be null: 1 and 0.
template <class T>
struct NormRows {
  static constexpr int64_t kMostColumns = 512;  ///< of a call of a function over columns

  /// out = (x - mean) * factor + shift.
  void (*scale)(int64_t n, const T* x, T mean, T factor, T shift, T* out);
  /// out = grad * factor - (x - mean) * slope - shift.
  void (*scale_backward)(int64_t n, const T* grad, T factor, const T* x, T mean, T slope, T shift, T* out);
  double (*sum)(const Stretches& stretches, const T* x);
  double (*squares)(const Stretches& stretches, const T* x, T mean);
  GradSums (*products)(const Stretches& stretches, const T* grad, const T* x, T mean);

  // The same for each column, whose statistics lie side by side. Sums are added to what is there.
  void (*scale_columns)(const Columns& columns, const T* x, const T* mean, const T* factor, const T* shift,
                        T* out);
  void (*backward_columns)(const Columns& columns, const T* grad, const T* factor, const T* x, const T* mean,
                           const T* slope, const T* shift, T* out);
  void (*sum_columns)(const Columns& columns, const T* x, double* sums);
  void (*squares_columns)(const Columns& columns, const T* x, const T* mean, double* sums);
  void (*products_columns)(const Columns& columns, const T* grad, const T* x, const T* mean,
                           double* products);
};

/// Those of layer_norm: rows of n elements, one behind the other.
template <class T>
struct LayerNormRows {
  void (*statistics)(int64_t rows, int64_t n, const T* x, T* means, T* variances);
  /// out = (x - mean) * rstd * weight + bias.
  void (*normalize)(int64_t rows, int64_t n, const T* x, const T* means, const T* rstds, const T* weight,
                    const T* bias, T* out);
  /// Of one row. With x' = (x - mean) * rstd: adds grad * x' to of_weight and grad to of_bias. With
  /// g = grad * weight: out = rstd * (g - mean(g) - x' * mean(g * x')), unless `out` is null.
  void (*backward)(int64_t n, const T* grad, const T* x, T mean, T rstd, const T* weight, T* of_weight,
                   T* of_bias, T* out);
};

/// Those of the chosen instruction set.
template <class T>
const NormRows<T>& norm_rows();
template <class T>
const LayerNormRows<T>& layer_norm_rows();

constexpr int64_t kNormPiece = 16 * 1024;  ///< elements worth a thread
/// Rows of `length` elements that a thread takes at once.
inline int64_t norm_rows_per_piece(int64_t length) {
  return std::max<int64_t>(1, kNormPiece / std::max<int64_t>(1, length));
}
template <class T>
const T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_as<T>() : nullptr;
}

/// Whether rows or channels of these tensors can be taken as they lie: all contiguous, of one dtype, float32
/// or float64. Undefined ones do not matter.
bool are_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias);

// What follows takes such tensors. `length`: elements of a row; statistics have an element for each row,
// channel or group.

/// The gradients of input, weight and bias, all made in one pass; that of the input only where asked for.
using NormGradients = std::array<Tensor, 3>;

void layer_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t length,
                     double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd);
NormGradients layer_norm_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                       int64_t length, const Tensor& mean, const Tensor& rstd, bool of_input);

/// Of input, scale and shift of `scale_channels`.
NormGradients scale_channels_backward(const Tensor& grad, const Tensor& input, const Tensor& scale,
                                      bool of_input);
/// Of batch_norm and group_norm, whose channels are dim 1.
NormGradients batch_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                         const Tensor& mean, const Tensor& variance, double eps,
                                         bool of_input);
NormGradients group_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                         const Tensor& mean, const Tensor& rstd, bool of_input);

}  // namespace framejit::eager::cpu
