// layer_norm of rows that lie side by side, and its gradients.
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

/// Rows whose statistics are made before the first of them is normalized: they are still in the L2 cache
/// then.
int64_t rows_at_once(int64_t length) { return std::clamp<int64_t>(8192 / length, 1, 64); }

}  // namespace

void layer_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t length,
                     double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd) {
  for_float_type(input.dtype(), [&](auto zero) {
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

/// With g the gradient of x', the normalized row: rstd * (g - mean(g) - x' * mean(g * x')), by the steps of
/// the formula of ops.
Tensor layer_norm_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& weight, int64_t length,
                                const Tensor& mean, const Tensor& rstd) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const RowOps<T>& ops = RowOps<T>::get();
    const RowFold<T> row_mean(ReduceKind::mean);
    const T *factors = data_or_null<T>(weight), *means = mean.data_as<T>(), *roots = rstd.data_as<T>();
    const int64_t rows = input.numel().expect() / length;
    parallel_for(rows, norm_rows_per_piece(length), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T *normal = Scratch::of_thread().take_array<T>(length),
        *scaled = Scratch::of_thread().take_array<T>(length);
      for (int64_t r = begin; r < end; ++r) {
        const T* g = grad.data_as<T>() + r * length;
        T* out = result.data_as<T>() + r * length;
        norm_rows<T>().forward(length, input.data_as<T>() + r * length, means[r], roots[r], nullptr, nullptr,
                               normal);
        if (factors) ops.multiply(g, factors, length, scaled);
        const T* weighted = factors ? scaled : g;
        const T of_grad = row_mean.of(weighted, length),
                of_product = row_mean.of_products(weighted, normal, length);
        norm_rows<T>().backward(length, weighted, of_grad, normal, of_product, roots[r], out);
      }
    });
  });
  return result;
}

Tensor layer_norm_products(const Tensor& grad, const Tensor& input, int64_t length, const Tensor& mean,
                           const Tensor& rstd) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t rows = input.numel().expect() / length;
    parallel_for(rows, norm_rows_per_piece(length), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        T* out = result.data_as<T>() + r * length;
        norm_rows<T>().forward(length, input.data_as<T>() + r * length, mean.data_as<T>()[r],
                               rstd.data_as<T>()[r], grad.data_as<T>() + r * length, nullptr, out);
      }
    });
  });
  return result;
}

}  // namespace framejit::eager::cpu
