#include "eager/cpu/nn/recurrent_rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

template <class T>
void lstm_backward(int64_t n, const T* __restrict gates, const T* __restrict cell,
                   const T* __restrict next_tanh, const T* __restrict grad, T* __restrict grad_cell,
                   T* __restrict grad_gates) {
  for (int64_t i = 0; i < n; ++i) {
    const T in = gates[i], forget = gates[n + i], fresh = gates[2 * n + i], out = gates[3 * n + i];
    const T of_cell = grad_cell[i] + grad[i] * out * (1 - next_tanh[i] * next_tanh[i]);
    grad_gates[i] = of_cell * fresh * in * (1 - in);
    grad_gates[n + i] = of_cell * cell[i] * forget * (1 - forget);
    grad_gates[2 * n + i] = of_cell * in * (1 - fresh * fresh);
    grad_gates[3 * n + i] = grad[i] * next_tanh[i] * out * (1 - out);
    grad_cell[i] = of_cell * forget;
  }
}

template <class T>
void gru_backward(int64_t n, const T* __restrict gates, const T* __restrict state, const T* __restrict grad,
                  T* __restrict grad_gates, T* __restrict grad_product, T* __restrict direct) {
  for (int64_t i = 0; i < n; ++i) {
    const T reset = gates[i], keep = gates[n + i], fresh = gates[2 * n + i], from_hidden = gates[3 * n + i];
    const T of_fresh = grad[i] * (1 - keep) * (1 - fresh * fresh);
    const T of_keep = grad[i] * (state[i] - fresh) * keep * (1 - keep);
    const T of_reset = of_fresh * from_hidden * reset * (1 - reset);
    grad_gates[i] = grad_product[i] = of_reset;
    grad_gates[n + i] = grad_product[n + i] = of_keep;
    grad_gates[2 * n + i] = of_fresh;
    grad_product[2 * n + i] = of_fresh * reset;
    direct[i] = grad[i] * keep;
  }
}

template <class T>
void tanh_backward(int64_t n, const T* __restrict next, const T* __restrict grad, T* __restrict grad_gates) {
  for (int64_t i = 0; i < n; ++i) grad_gates[i] = grad[i] * (1 - next[i] * next[i]);
}
template <class T>
void relu_backward(int64_t n, const T* __restrict next, const T* __restrict grad, T* __restrict grad_gates) {
  for (int64_t i = 0; i < n; ++i) grad_gates[i] = next[i] > 0 ? grad[i] : T(0);
}

template <class T>
inline constexpr cpu::RecurrentRows<T> kRows{&lstm_backward<T>, &gru_backward<T>, &tanh_backward<T>,
                                             &relu_backward<T>};

}  // namespace

extern const cpu::RecurrentRows<float> recurrent_rows_float;
extern const cpu::RecurrentRows<double> recurrent_rows_double;
const cpu::RecurrentRows<float> recurrent_rows_float = kRows<float>;
const cpu::RecurrentRows<double> recurrent_rows_double = kRows<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
