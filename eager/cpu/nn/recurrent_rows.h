// Inner loops of the gradients of recurrent layers, compiled once per instruction set
// (tile/recurrent_rows.cc).
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// T: float or double. Over `n` hidden units; gates lie one after the other, n elements each, and are
/// activated.
template <class T>
struct RecurrentRows {
  /// Gates: input, forget, cell, output. `grad`: of the next hidden state; `next_tanh`: tanh of the next cell
  /// state. `grad_cell` is of the next cell state, and becomes that of `cell`, the one before. `grad_gates`:
  /// of the gates before activation.
  void (*lstm_backward)(int64_t n, const T* gates, const T* cell, const T* next_tanh, const T* grad,
                        T* grad_cell, T* grad_gates);
  /// Gates: reset, update, new, and what the hidden state gives to the new one. `grad_product` is the
  /// gradient of the hidden state's product with the weight; it differs from `grad_gates` in what is for the
  /// new gate. `direct`: what reaches `state`, the hidden state before, past the product.
  void (*gru_backward)(int64_t n, const T* gates, const T* state, const T* grad, T* grad_gates,
                       T* grad_product, T* direct);
  /// Of `next` = tanh(gate), and of max(gate, 0).
  void (*tanh_backward)(int64_t n, const T* next, const T* grad, T* grad_gates);
  void (*relu_backward)(int64_t n, const T* next, const T* grad, T* grad_gates);
};

/// Those of the chosen instruction set.
template <class T>
const RecurrentRows<T>& recurrent_rows();

}  // namespace framejit::eager::cpu
