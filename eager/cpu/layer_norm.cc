// layer_norm of rows that lie side by side, and its gradients.
#include <vector>

#include "eager/cpu/norm_rows.h"
#include "eager/cpu/row_ops.h"
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

/// Rows whose statistics are made before the first of them is normalized: they are still in the L2 cache
/// then.
int64_t rows_at_once(int64_t length) { return std::clamp<int64_t>(8192 / length, 1, 64); }

}  // namespace

void layer_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t length,
                     double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd) {
  for_norm_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const NormRows<T>& kernels = norm_rows<T>();
    const RowFold<T> row_mean(ReduceKind::mean);
    const T *x = input.data_as<T>(), *factors = data_or_null<T>(weight), *added = data_or_null<T>(bias);
    T *means = mean.data_as<T>(), *roots = rstd.data_as<T>(), *to = result.data_as<T>();
    const int64_t rows = input.numel().expect() / length, step = rows_at_once(length);
    parallel_for(rows, norm_rows_per_piece(length), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T* distance = Scratch::of_thread().take_array<T>(length);
      T* variance = Scratch::of_thread().take_array<T>(step);
      for (int64_t first = begin; first < end; first += step) {
        const int64_t last = std::min(end, first + step);
        for (int64_t r = first; r < last; ++r) {
          means[r] = row_mean.of(x + r * length, length);
          kernels.centre(length, x + r * length, means[r], distance);
          variance[r - first] = row_mean.of_products(distance, distance, length);
        }
        inverse_roots(variance, eps, last - first, roots + first);
        for (int64_t r = first; r < last; ++r)
          kernels.forward(length, x + r * length, means[r], roots[r], factors, added, to + r * length);
      }
    });
  });
}

/// With g the gradient of x', the normalized row: rstd * (g - mean(g) - x' * mean(g * x')).
Tensor layer_norm_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& weight, int64_t length,
                                const Tensor& mean, const Tensor& rstd) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  for_norm_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const NormRows<T>& kernels = norm_rows<T>();
    const T *factors = data_or_null<T>(weight), *means = mean.data_as<T>(), *roots = rstd.data_as<T>();
    const int64_t rows = input.numel().expect() / length;
    parallel_for(rows, norm_rows_per_piece(length), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T *g = grad.data_as<T>() + r * length, *x = input.data_as<T>() + r * length;
        const GradSums sums = kernels.products({1, length, 0}, g, factors, x, means[r]);
        const double root = roots[r], each = root / double(length);
        kernels.backward(length, g, factors, roots[r], x, means[r], T(root * root * each * sums.product),
                         T(each * sums.grad), result.data_as<T>() + r * length);
      }
    });
  });
  return result;
}

Tensor layer_norm_weight_backward(const Tensor& grad, const Tensor& input, const Dims& shape, int64_t length,
                                  const Tensor& mean, const Tensor& rstd) {
  Tensor result = Tensor::empty(shape, input.dtype());
  const int64_t rows = input.numel().expect() / length;
  // Rows in blocks and columns in tiles, by shape alone; the sums of the blocks are added in order.
  const int64_t block = std::max<int64_t>(64, (1 << 17) / length / 64 * 64),
                blocks = (rows + block - 1) / block;
  for_norm_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t tile = NormRows<T>::kMostColumns, tiles = (length + tile - 1) / tile;
    std::vector<double> sums(size_t(blocks * length), 0.0);
    parallel_for(blocks * tiles, norm_rows_per_piece(std::min(rows, block) * std::min(length, tile)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t row = i / tiles * block, column = i % tiles * tile;
                     const int64_t at = row * length + column;
                     norm_rows<T>().products_rows(
                         {std::min(block, rows - row), std::min(tile, length - column), length},
                         grad.data_as<T>() + at, input.data_as<T>() + at, mean.data_as<T>() + row,
                         rstd.data_as<T>() + row, sums.data() + i / tiles * length + column);
                   }
                 });
    for (int64_t b = 1; b < blocks; ++b)
      for (int64_t i = 0; i < length; ++i) sums[size_t(i)] += sums[size_t(b * length + i)];
    for (int64_t i = 0; i < length; ++i) result.data_as<T>()[i] = T(sums[size_t(i)]);
  });
  return result;
}

}  // namespace framejit::eager::cpu
