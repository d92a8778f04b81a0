#include "eager/cpu/nn/lstm.h"

#include "eager/cpu/float_type.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kPiece = 4 * 1024;  ///< elements worth a thread

/// One row of `n` elements of each gate; `spare` has room for three.
template <class T>
void next_states(int64_t n, const T* gates, const T* cell, T* spare, T* next_hidden, T* next_cell) {
  const RowOps<T>& ops = RowOps<T>::get();
  T *input = spare, *forget = spare + n, *other = spare + 2 * n;
  ops.sigmoid(gates, 2 * n, input);
  ops.tanh(gates + 2 * n, n, other);
  ops.multiply(forget, cell, n, forget);
  ops.multiply(input, other, n, input);
  ops.add(forget, input, n, next_cell);
  ops.tanh(next_cell, n, other);
  ops.sigmoid(gates + 3 * n, n, input);
  ops.multiply(input, other, n, next_hidden);
}

}  // namespace

bool are_lstm_gates(const Tensor& gates, const Tensor& cell) {
  if (!is_float_type(cell.dtype()) || gates.dtype() != cell.dtype() || cell.dim() == 0 || cell.numel() == 0)
    return false;
  Dims expected = cell.sizes();
  expected[expected.size() - 1] *= 4;
  return gates.sizes() == expected;
}

std::array<Tensor, 2> lstm_states(const Tensor& gates, const Tensor& cell) {
  const Tensor from = contiguous(gates), before = contiguous(cell);
  std::array<Tensor, 2> next{Tensor::empty(cell.sizes(), cell.dtype()),
                             Tensor::empty(cell.sizes(), cell.dtype())};
  const int64_t width = cell.sizes().back(), rows = cell.numel().expect() / width;
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    parallel_for(rows, std::max<int64_t>(1, kPiece / width), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T* spare = Scratch::of_thread().take_array<T>(3 * width);
      for (int64_t r = begin; r < end; ++r)
        next_states(width, from.data_as<T>() + r * 4 * width, before.data_as<T>() + r * width, spare,
                    next[0].data_as<T>() + r * width, next[1].data_as<T>() + r * width);
    });
  };
  for_float_type(cell.dtype(), run);
  return next;
}

}  // namespace framejit::eager::cpu
