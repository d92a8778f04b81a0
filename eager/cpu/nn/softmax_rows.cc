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

void softmax_rows(const Tensor& self, bool log, const Tensor& result) {
  for_each_row(self, [&](auto zero, int64_t first, int64_t n, auto* spare) {
    using T = decltype(zero);
    const RowOps<T>& ops = RowOps<T>::get();
    const T* x = self.data_as<T>() + first;
    T* out = result.data_as<T>() + first;
    ops.subtract(x, RowFold<T>(ReduceKind::amax).of(x, n), n, out);
    T* powers = log ? spare : out;
    ops.exp(out, n, powers);
    T sum = RowFold<T>(ReduceKind::sum).of(powers, n);
    if (!log) return ops.divide(out, sum, n, out);
    ops.log(&sum, 1, &sum);
    ops.subtract(out, sum, n, out);
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
