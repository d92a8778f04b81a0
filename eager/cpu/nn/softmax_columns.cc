#include "eager/cpu/nn/softmax_columns.h"

#include <algorithm>

#include "eager/cpu/float_type.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

/// Reduces rows `stride` apart to one row, column by column, by the loops of column reductions.
template <class T, class RowOf>
void reduce(ReduceKind kind, int64_t rows, int64_t n, RowOf row_of, T* out) {
  const ColumnReducer& columns = loop_kernels().column[size_t(kind)][size_t(dtype_of<T>())];
  const RowReducer& states_of = loop_kernels().row[size_t(kind)][size_t(dtype_of<T>())];
  ScratchScope scope;
  char* accumulators = Scratch::of_thread().take(n * columns.accumulator_size);
  ReduceState* states = Scratch::of_thread().take_array<ReduceState>(n);
  std::fill_n(states, n, states_of.start());
  columns.start(accumulators, n);
  for (int64_t r = 0; r < rows; ++r) {
    columns.rows(accumulators, row_of(r), 0, 1, n, r);
    if ((r + 1) % kColumnFlush == 0) columns.flush(accumulators, states, n, 0);
  }
  columns.flush(accumulators, states, n, 0);
  states_of.finish(states, n, rows, out);
}

/// Of columns [0, n) of `length` rows that are `stride` apart, the largest element and the sum of powers relative to it.
/// `differences(r)` and `powers(r)` are where those of a row go.
template <class T, class Differences, class Powers>
void sum_powers(int64_t length, int64_t stride, int64_t n, const T* x, Differences differences, Powers powers,
                T* largest, T* sum) {
  const RowOps<T>& kernels = RowOps<T>::get();
  reduce<T>(
      ReduceKind::amax, length, n, [&](int64_t r) { return x + r * stride; }, largest);
  const auto exponential = [&](int64_t r) {
    kernels.subtract(x + r * stride, largest, n, differences(r));
    kernels.exp(differences(r), n, powers(r));
    return powers(r);
  };
  reduce<T>(ReduceKind::sum, length, n, exponential, sum);
}

/// Columns [0, n) of `length` rows that are `stride` apart.
template <class T>
void softmax_tile(int64_t length, int64_t stride, int64_t n, bool log, const T* x, T* out) {
  const RowOps<T>& kernels = RowOps<T>::get();
  ScratchScope scope;
  T *largest = Scratch::of_thread().take_array<T>(n), *sum = Scratch::of_thread().take_array<T>(n),
    *power = Scratch::of_thread().take_array<T>(n);
  const auto row_of = [&](int64_t r) { return out + r * stride; };
  sum_powers(
      length, stride, n, x, row_of, [&](int64_t r) { return log ? power : row_of(r); }, largest, sum);
  if (log) kernels.log(sum, n, sum);
  for (int64_t r = 0; r < length; ++r) {
    T* row = out + r * stride;
    log ? kernels.subtract(row, sum, n, row) : kernels.divide(row, sum, n, row);
  }
}

/// The same columns of a gradient.
template <class T>
void softmax_backward_tile(int64_t length, int64_t stride, int64_t n, bool log, const T* g, const T* y,
                           T* out) {
  const RowOps<T>& kernels = RowOps<T>::get();
  ScratchScope scope;
  T *sum = Scratch::of_thread().take_array<T>(n), *part = Scratch::of_thread().take_array<T>(n);
  const auto weighted = [&](int64_t r) {
    T* row = out + r * stride;
    kernels.multiply(g + r * stride, y + r * stride, n, row);
    return row;
  };
  log ? reduce<T>(
            ReduceKind::sum, length, n, [&](int64_t r) { return g + r * stride; }, sum)
      : reduce<T>(ReduceKind::sum, length, n, weighted, sum);
  for (int64_t r = 0; r < length; ++r) {
    const T* powers = y + r * stride;
    if (log) {
      kernels.exp(powers, n, part);
      powers = part;
    }
    kernels.multiply(powers, sum, n, part);
    kernels.subtract((log ? g : out) + r * stride, part, n, out + r * stride);
  }
}

}  // namespace

bool has_softmax_columns(const Tensor& self, int dim) {
  const RowShape shape = row_shape(self.sizes(), dim);
  return is_float_type(self.dtype()) && self.is_contiguous() && shape.inner >= 16;
}

void softmax_columns(const Tensor& self, int dim, bool log, const Tensor& result) {
  const RowShape shape = row_shape(self.sizes(), dim);
  for_each_column_tile(self.dtype(), shape, [&](auto zero, int64_t outer, int64_t column, int64_t n) {
    using T = decltype(zero);
    const int64_t at = outer * shape.length * shape.inner + column;
    softmax_tile(shape.length, shape.inner, n, log, self.data_as<T>() + at, result.data_as<T>() + at);
  });
}

void softmax_column_sums(const Tensor& self, int dim, const Tensor& largest, const Tensor& logs) {
  const RowShape shape = row_shape(self.sizes(), dim);
  for_each_column_tile(self.dtype(), shape, [&](auto zero, int64_t outer, int64_t column, int64_t n) {
    using T = decltype(zero);
    ScratchScope scope;
    T* row = Scratch::of_thread().take_array<T>(n);
    const auto row_of = [&](int64_t) { return row; };
    const int64_t at = outer * shape.inner + column;
    T* sums = logs.data_as<T>() + at;
    sum_powers(shape.length, shape.inner, n, self.data_as<T>() + outer * shape.length * shape.inner + column,
               row_of, row_of, largest.data_as<T>() + at, sums);
    RowOps<T>::get().log(sums, n, sums);
  });
}

Tensor softmax_columns_backward(const Tensor& grad, const Tensor& result, int dim, bool log) {
  const Tensor made = Tensor::empty(result.sizes(), result.dtype());
  const RowShape shape = row_shape(result.sizes(), dim);
  for_each_column_tile(result.dtype(), shape, [&](auto zero, int64_t outer, int64_t column, int64_t n) {
    using T = decltype(zero);
    const int64_t at = outer * shape.length * shape.inner + column;
    softmax_backward_tile(shape.length, shape.inner, n, log, grad.data_as<T>() + at, result.data_as<T>() + at,
                          made.data_as<T>() + at);
  });
  return made;
}

}  // namespace framejit::eager::cpu
