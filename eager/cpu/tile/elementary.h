// Transcendental functions of tile expressions: Eigen's vector code for exp of both types and for tanh and erf of float; our
// own (single_precision.h, double_*.h) for the others; libm, element by element, for a few of double.
// tests/eager/test_accuracy.py checks the error of each in units in the last place.
#pragma once

#include <cmath>
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

#include "eager/cpu/tile/block.h"
#include "eager/cpu/tile/double_angles.h"
#include "eager/cpu/tile/double_powers.h"
#include "eager/cpu/tile/double_precision.h"
#include "eager/cpu/tile/reals.h"
#include "eager/cpu/tile/single_precision.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Our own code for float, libm for double.
#define FRAMEJIT_TILE_OF_FLOAT(name)                       \
  template <class A>                                       \
  EIGEN_STRONG_INLINE auto name(const A& a) {              \
    using T = typename A::Scalar;                          \
    if constexpr (std::is_same_v<T, float>)                \
      return name##_float(a);                              \
    else                                                   \
      return each([](T x) { return T(std::name(x)); }, a); \
  }
FRAMEJIT_TILE_OF_FLOAT(asinh)
FRAMEJIT_TILE_OF_FLOAT(acosh)
FRAMEJIT_TILE_OF_FLOAT(erfc)
FRAMEJIT_TILE_OF_FLOAT(lgamma)
#undef FRAMEJIT_TILE_OF_FLOAT

/// Our own code for both.
#define FRAMEJIT_TILE_OF_REALS(name)                         \
  template <class A, class... More>                          \
  EIGEN_STRONG_INLINE auto name(const A& a, More... more) {  \
    if constexpr (std::is_same_v<typename A::Scalar, float>) \
      return name##_float(a, more...);                       \
    else                                                     \
      return name##_double(a, more...);                      \
  }
FRAMEJIT_TILE_OF_REALS(sin)
FRAMEJIT_TILE_OF_REALS(cos)
FRAMEJIT_TILE_OF_REALS(tan)
FRAMEJIT_TILE_OF_REALS(asin)
FRAMEJIT_TILE_OF_REALS(acos)
FRAMEJIT_TILE_OF_REALS(atan)
FRAMEJIT_TILE_OF_REALS(exp2)
FRAMEJIT_TILE_OF_REALS(expm1)
FRAMEJIT_TILE_OF_REALS(log1p)
FRAMEJIT_TILE_OF_REALS(sinh)
FRAMEJIT_TILE_OF_REALS(cosh)
FRAMEJIT_TILE_OF_REALS(atanh)
FRAMEJIT_TILE_OF_REALS(softplus)
FRAMEJIT_TILE_OF_REALS(logsigmoid)
FRAMEJIT_TILE_OF_REALS(mish)
#undef FRAMEJIT_TILE_OF_REALS

/// Eigen has vectors of float alone. Of those, an expression.
template <class A>
EIGEN_STRONG_INLINE auto tanh(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return a.tanh();
  else
    return tanh_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto erf(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return a.erf();
  else
    return erf_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto log2(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return scaled_log2_float(a, 1);
  else
    return log2_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto log10(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return scaled_log2_float(a, 0.30102999566398119521);
  else
    return log10_double(a);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto atan2(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return atan2_float(a, b);
  else
    return atan2_double(a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto hypot(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return hypot_float(a, b);
  else
    return hypot_double(a, b);
}

/// Eigen keeps the exponent of a double in its normal range: below, 0 and the subnormal numbers are missing.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> exp(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, double>) {
    const Block<T> x = a, value = x.exp();
    if (!(x < T(-708)).any()) return value;
    return each([](T x, T y) { return x < T(-708) ? std::exp(x) : y; }, x, value);
  } else {
    return a.exp();
  }
}

template <class A>
EIGEN_STRONG_INLINE auto sigmoid(const A& a) {
  using T = typename A::Scalar;
  return ((-a).exp() + T(1)).inverse().eval();
}

template <class A>
EIGEN_STRONG_INLINE auto log(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return scaled_log2_float(a, kLn2);
  else
    return log_double(a);
}

template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> digamma(const A& a) {
  using T = typename A::Scalar;
  const Block<T> value = a.digamma();
  const auto infinite = [](T x) { return std::copysign(std::numeric_limits<T>::infinity(), -x); };
  return each([=](T x, T y) { return x == T(0) ? infinite(x) : y; }, a, value);
}

/// Derivative of the tanh form of GELU: with u = sqrt(2 / pi) * (x + 0.044715 x^3) and t = tanh(u),
/// (1 + t) / 2 + x / 2 * (1 - t^2) * u'.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> gelu_tanh_slope(const A& a) {
  using T = typename A::Scalar;
  constexpr T scale = T(0.7978845608028654), cubic = T(0.044715);
  const Block<T> u = scale * (a + cubic * a * a * a), t = tanh(u);
  return T(0.5) * (T(1) + t) + T(0.5) * a * (T(1) - t * t) * (scale * (T(1) + T(3) * cubic * a * a));
}

template <class A, class B>
[[gnu::noinline]] Block<typename A::Scalar> pow_of_any(const A& a, const B& b) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return pow_float(a, b);
  else
    return pow_double(a, b);
}
/// Squares, roots and the like are exact where the exponent is one number for the whole tile.
template <class A, class B>
[[gnu::always_inline]] inline Block<typename A::Scalar> pow(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (is_constant_block<B>) {
    const T twice = 2 * b.coeff(0);
    const int halves =
        std::abs(twice) <= 6 ? int(twice) : 0;  // one comparison for all: this is done for each block
    if (T(halves) == twice) switch (halves) {
        case 6:
          return a * a * a;
        case 4:
          return a * a;
        case 2:
          return a;
        case 1:
          return sqrt(a);
        case -2:
          return T(1) / a;
        case -4:
          return T(1) / (a * a);
        default:
          break;
      }
  }
  return pow_of_any(a, b);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto logaddexp(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return logaddexp_float(a, b);
  else
    return logaddexp_double(a, b);
}
/// x * log(y), 0 where x is 0 unless y is NaN.
template <class A, class B>
EIGEN_STRONG_INLINE auto xlogy(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each(
      [](T x, T y) {
        if (y != y) return y;
        return x == 0 ? T(0) : x * std::log(y);
      },
      a, b);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
