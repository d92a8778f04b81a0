// Transcendental functions of tile expressions: Eigen's vector code where Eigen 3.4 has some for T (exp, log,
// tanh, erf of float; exp, log of double), our own for most functions of float (single_precision.h) and some
// of double (double_precision.h), else libm, element by element. tests/eager/test_accuracy.py checks the
// error of each in units in the last place.
#pragma once

#include <cmath>
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

#include "eager/cpu/tile/block.h"
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
FRAMEJIT_TILE_OF_FLOAT(tan)
FRAMEJIT_TILE_OF_FLOAT(asin)
FRAMEJIT_TILE_OF_FLOAT(acos)
FRAMEJIT_TILE_OF_FLOAT(atan)
FRAMEJIT_TILE_OF_FLOAT(exp2)
FRAMEJIT_TILE_OF_FLOAT(sinh)
FRAMEJIT_TILE_OF_FLOAT(cosh)
FRAMEJIT_TILE_OF_FLOAT(asinh)
FRAMEJIT_TILE_OF_FLOAT(acosh)
FRAMEJIT_TILE_OF_FLOAT(atanh)
FRAMEJIT_TILE_OF_FLOAT(erfc)
FRAMEJIT_TILE_OF_FLOAT(lgamma)
#undef FRAMEJIT_TILE_OF_FLOAT

template <class A>
EIGEN_STRONG_INLINE auto sin(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return sin_float(a);
  else
    return sin_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto cos(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return cos_float(a);
  else
    return cos_double(a);
}
/// Eigen has vectors of float alone.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> tanh(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return a.tanh();
  else
    return tanh_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto log2(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return scaled_log2_float(a, 1);
  else
    return each([](T x) { return std::log2(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto log10(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return scaled_log2_float(a, 0.30102999566398119521);
  else
    return each([](T x) { return std::log10(x); }, a);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto atan2(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return atan2_float(a, b);
  else
    return each([](T x, T y) { return std::atan2(x, y); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto hypot(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return hypot_float(a, b);
  else
    return each([](T x, T y) { return std::hypot(x, y); }, a, b);
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
EIGEN_STRONG_INLINE Block<typename A::Scalar> expm1(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return expm1_float(a);
  else
    return a.expm1();
}
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> log1p(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return log1p_float(a);
  else
    return a.log1p();
}
/// Eigen takes subnormal numbers for the smallest normal one, so they are scaled up before and down after.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> log(const A& a) {
  using T = typename A::Scalar;
  constexpr T smallest = std::numeric_limits<T>::min(), scale = T(0x1p54), log_scale = T(37.42994775023705);
  const Block<T> scaled = each([](T x) { return x < smallest ? x * scale : x; }, a);
  const Block<T> logarithm = scaled.log();
  return each([](T x, T y) { return x < smallest ? y - log_scale : y; }, a, logarithm);
}

template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> digamma(const A& a) {
  using T = typename A::Scalar;
  const Block<T> value = a.digamma();
  const auto infinite = [](T x) { return std::copysign(std::numeric_limits<T>::infinity(), -x); };
  return each([=](T x, T y) { return x == T(0) ? infinite(x) : y; }, a, value);
}

/// log(1 + exp(beta * x)) / beta, x itself where beta * x is above the threshold.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> softplus(const A& a, double beta, double threshold) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>) {
    return softplus_float(a, beta, threshold);
  } else {
    const Block<T> scaled = a * T(beta), soft = scaled.exp().log1p() / T(beta);
    return each([=](T x, T s, T y) { return s > T(threshold) ? x : y; }, a, scaled, soft);
  }
}
/// log(sigmoid(x)).
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> logsigmoid(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return logsigmoid_float(a);
  else
    return each([](T x) { return x < 0 ? x : x != x ? x : T(0); }, a) - log1p((-a.abs()).exp().eval());
}

/// Derivative of the tanh form of GELU: with u = sqrt(2 / pi) * (x + 0.044715 x^3) and t = tanh(u),
/// (1 + t) / 2 + x / 2 * (1 - t^2) * u'.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> gelu_tanh_slope(const A& a) {
  using T = typename A::Scalar;
  constexpr T scale = T(0.7978845608028654), cubic = T(0.044715);
  const Block<T> t = (scale * (a + cubic * a * a * a)).tanh();
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
    const T exponent = b.coeff(0);
    if (exponent == T(2)) return a * a;
    if (exponent == T(3)) return a * a * a;
    if (exponent == T(0.5)) return sqrt(a);
    if (exponent == T(1)) return a;
    if (exponent == T(-1)) return T(1) / a;
    if (exponent == T(-2)) return T(1) / (a * a);
  }
  return pow_of_any(a, b);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto logaddexp(const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>)
    return logaddexp_float(a, b);
  else
    return each(logaddexp_element<T>, a, b);
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
