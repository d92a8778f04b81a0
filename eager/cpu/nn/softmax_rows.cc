#include "eager/cpu/nn/softmax_rows.h"

#include "eager/cpu/float_type.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kPiece = 8 * 1024;

/// Calls `f(zero of the type, first element, length, spare row)` for each row.
template <class F>
void for_each_row(const Tensor& tensor, F f) {
  const int64_t length = tensor.sizes().back(), rows = tensor.numel().expect() / length;
  const auto run = [&](auto zero) {
    parallel_for(rows, std::max<int64_t>(1, kPiece / length), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      auto* spare = Scratch::of_thread().take_array<decltype(zero)>(length);
      for (int64_t r = begin; r < end; ++r) f(zero, r * length, length, spare);
    });
  };
  for_float_type(tensor.dtype(), run);
}

}  // namespace

bool are_softmax_rows(const Tensor& self, int dim) {
  return is_float_type(self.dtype()) && dim == self.dim() - 1 && self.is_contiguous() && !(self.numel() == 0);
}

namespace {

constexpr int64_t kBlock = 2048;  ///< elements of short rows whose powers are computed by one call

/// `rows` rows of n elements. `powers` and `sums`, one of a row, are scratch memory; `powers` is `out` where not `log`.
template <class T>
void softmax_block(const T* x, int64_t rows, int64_t n, bool log, T* out, T* powers, T* sums) {
  const RowOps<T>& ops = RowOps<T>::get();
  const RowFold<T> largest(ReduceKind::amax), sum(ReduceKind::sum);
  largest.of_rows(x, rows, n, sums);
  for (int64_t r = 0; r < rows; ++r) ops.subtract(x + r * n, sums[r], n, out + r * n);
  ops.exp(out, rows * n, powers);
  sum.of_rows(powers, rows, n, sums);
  if (log) ops.log(sums, rows, sums);
  for (int64_t r = 0; r < rows; ++r)
    log ? ops.subtract(out + r * n, sums[r], n, out + r * n)
        : ops.divide(out + r * n, sums[r], n, out + r * n);
}

}  // namespace

void softmax_rows(const Tensor& self, bool log, const Tensor& result) {
  const int64_t n = self.sizes().back(), rows = self.numel().expect() / n;
  const int64_t at_once = std::clamp<int64_t>(kBlock / n, 1, rows);
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(rows, std::max<int64_t>(1, kPiece / n), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T *spare = Scratch::of_thread().take_array<T>(log ? at_once * n : 0),
        *sums = Scratch::of_thread().take_array<T>(at_once);
      for (int64_t r = begin; r < end; r += at_once) {
        T* out = result.data_as<T>() + r * n;
        softmax_block(self.data_as<T>() + r * n, std::min(at_once, end - r), n, log, out, log ? spare : out,
                      sums);
      }
    });
  });
}

Tensor softmax_rows_backward(const Tensor& grad, const Tensor& result, bool log) {
  Tensor made = Tensor::empty(result.sizes(), result.dtype());
  for_each_row(result, [&](auto zero, int64_t first, int64_t n, auto* spare) {
    using T = decltype(zero);
    const RowOps<T>& ops = RowOps<T>::get();
    const RowFold<T> sum(ReduceKind::sum);
    const T *g = grad.data_as<T>() + first, *y = result.data_as<T>() + first;
    T* out = made.data_as<T>() + first;
    if (log) {
      ops.exp(y, n, spare);
      ops.multiply(spare, sum.of(g, n), n, spare);
      return ops.subtract(g, spare, n, out);
    }
    ops.multiply(g, y, n, out);
    ops.multiply(y, sum.of(out, n), n, spare);
    ops.subtract(out, spare, n, out);
  });
  return made;
}

}  // namespace framejit::eager::cpu
