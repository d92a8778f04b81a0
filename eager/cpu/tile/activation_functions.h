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

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
