// layer_norm of rows that lie side by side, and its gradients.
#include <vector>

#include "eager/cpu/nn/norm_rows.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

/// rstd = 1 / sqrt(variance + eps).
template <class T>
void inverse_roots(const T* variance, double eps, int64_t n, T* rstd) {
  RowOps<T>::get().add(variance, T(eps), n, rstd);
  RowOps<T>::get().inverse_root(rstd, n, rstd);
}

/// Rows whose statistics are made before the first of them is normalized: they are still in the L1 cache
/// then.
int64_t rows_at_once(int64_t length) { return std::clamp<int64_t>(2048 / length, 1, 64); }

}  // namespace

void layer_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t length,
                     double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd) {
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const LayerNormRows<T>& kernels = layer_norm_rows<T>();
    const T *x = input.data_as<T>(), *factors = data_or_null<T>(weight), *added = data_or_null<T>(bias);
    T *means = mean.data_as<T>(), *roots = rstd.data_as<T>(), *to = result.data_as<T>();
    const int64_t rows = input.numel().expect() / length, step = rows_at_once(length);
    parallel_for(rows, norm_rows_per_piece(length), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T* variance = Scratch::of_thread().take_array<T>(step);
      for (int64_t first = begin; first < end; first += step) {
        const int64_t count = std::min(step, end - first), at = first * length;
        kernels.statistics(count, length, x + at, means + first, variance);
        inverse_roots(variance, eps, count, roots + first);
        kernels.normalize(count, length, x + at, means + first, roots + first, factors, added, to + at);
      }
    });
  });
}

namespace {

constexpr int64_t kRowsOfSum = 64;  ///< rows whose gradients are added up in T; from there on in double

/// Sums of `n` columns over `rows` rows.
template <class T>
Tensor sum_of_rows(const T* from, int64_t rows, int64_t stride, int64_t n) {
  Tensor result = Tensor::empty(Dims{n}, dtype_of<T>());
  std::vector<double> sums(size_t(n), 0.0);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < n; ++i) sums[size_t(i)] += double(from[r * stride + i]);
  std::copy(sums.begin(), sums.end(), result.data_as<T>());
  return result;
}

}  // namespace

NormGradients layer_norm_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                       int64_t length, const Tensor& mean, const Tensor& rstd,
                                       bool of_input) {
  NormGradients gradients;
  if (of_input) gradients[0] = Tensor::empty(input.sizes(), input.dtype());
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const LayerNormRows<T>& kernels = layer_norm_rows<T>();
    const T *means = mean.data_as<T>(), *roots = rstd.data_as<T>();
    const int64_t rows = input.numel().expect() / length, blocks = (rows + kRowsOfSum - 1) / kRowsOfSum;
    const Tensor sums = Tensor::empty(Dims{blocks, 2, length}, input.dtype());
    parallel_for(blocks, norm_rows_per_piece(length * kRowsOfSum), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin * kRowsOfSum; r < std::min(rows, end * kRowsOfSum); ++r) {
        T* of_weight = sums.data_as<T>() + r / kRowsOfSum * 2 * length;
        if (r % kRowsOfSum == 0) std::fill_n(of_weight, 2 * length, T(0));
        kernels.backward(length, grad.data_as<T>() + r * length, input.data_as<T>() + r * length, means[r],
                         roots[r], data_or_null<T>(weight), of_weight, of_weight + length,
                         of_input ? gradients[0].data_as<T>() + r * length : nullptr);
      }
    });
    gradients[1] = sum_of_rows(sums.data_as<T>(), blocks, 2 * length, length);
    gradients[2] = sum_of_rows(sums.data_as<T>() + length, blocks, 2 * length, length);
  });
  return gradients;
}

}  // namespace framejit::eager::cpu
