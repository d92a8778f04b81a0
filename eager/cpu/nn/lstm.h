// What an LSTM does with its gates, in one pass: for what needs no gradient.
#pragma once

#include <array>

#include "eager/cpu/loops/row_ops.h"
#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// The next states of one row of `n` hidden units. Activates the gates, n of each, where they are: input,
/// forget, cell, output.
template <class T>
void next_lstm_states(int64_t n, T* gates, const T* cell, T* next_hidden, T* next_cell) {
  const RowOps<T>& ops = RowOps<T>::get();
  T *input = gates, *forget = gates + n, *fresh = gates + 2 * n, *output = gates + 3 * n;
  ops.sigmoid(input, 2 * n, input);
  ops.tanh(fresh, n, fresh);
  ops.sigmoid(output, n, output);
  ops.multiply(forget, cell, n, next_cell);
  ops.multiply(input, fresh, n, next_hidden);
  ops.add(next_cell, next_hidden, n, next_cell);
  ops.tanh(next_cell, n, next_hidden);
  ops.multiply(output, next_hidden, n, next_hidden);
}

/// Whether gates (..., 4 H) and cell (..., H) fit and are of float32 or float64.
bool are_lstm_gates(const Tensor& gates, const Tensor& cell);
/// The next hidden and cell states, of gates that are not activated yet. The bits of the ops.
std::array<Tensor, 2> lstm_states(const Tensor& gates, const Tensor& cell);

}  // namespace framejit::eager::cpu
