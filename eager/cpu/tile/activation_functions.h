// Tile expressions of activations alone.
#pragma once

#include "eager/cpu/tile/complexes.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Derivative of x * s with s = sigmoid(x): s + x * s * (1 - s).
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> silu_slope(const A& a) {
  using T = typename A::Scalar;
  const Block<T> s = sigmoid(a);
  return s * (T(1) + a * (T(1) - s));
}
/// Derivative by b of a * s with s = sigmoid(b): a * s * (1 - s).
template <class A, class B>
EIGEN_STRONG_INLINE Block<typename A::Scalar> gated_slope(const A& a, const B& b) {
  using T = typename A::Scalar;
  const Block<T> s = sigmoid(b);
  return a * s * (T(1) - s);
}
template <class A>
EIGEN_STRONG_INLINE auto complex_silu_slope(const A& a) {
  return each(
      [](Complex x) {
        const Complex s = divide(1, 1.0 + std::exp(-x));
        return multiply(s, 1.0 + multiply(x, 1.0 - s));
      },
      a);
}

/// Derivative of x * t with t = tanh(log(1 + e)), e = exp(x): t + x * sigmoid(x) * (1 - t * t), where 1 - t is
/// 2 / (n + 2) with n = e * (e + 2). From `enough` on it is 1.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> mish_slope(const A& a) {
  using T = typename A::Scalar;
  constexpr T enough = sizeof(T) == 4 ? 20 : 40;
  const Block<T> x = each([](T y) { return y > enough ? enough : y; }, a);
  const Block<T> e = exp(x), n = e * (e + T(2)), rest = (n + T(2)).inverse(), t = n * rest;
  return t + x * (e / (e + T(1))) * (T(1) + t) * (T(2) * rest);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
