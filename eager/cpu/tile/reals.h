// Comparison, selection, rounding and division of tile expressions: cheap functions with exact results.
// PyTorch's rules for NaN and signed zeros are kept. All are single loops that the compiler vectorises, but
// for those on fmod of double.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "eager/cpu/tile/block.h"
#include "eager/cpu/tile/float_division.h"
#include "eager/cpu/tile/series.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

#define FRAMEJIT_TILE_COMPARISON(name, op)                    \
  template <class A, class B>                                 \
  EIGEN_STRONG_INLINE auto name(const A& a, const B& b) {     \
    using T = typename A::Scalar;                             \
    return each([](T x, T y) { return bool(x op y); }, a, b); \
  }
FRAMEJIT_TILE_COMPARISON(eq, ==)
FRAMEJIT_TILE_COMPARISON(ne, !=)
FRAMEJIT_TILE_COMPARISON(lt, <)
FRAMEJIT_TILE_COMPARISON(le, <=)
FRAMEJIT_TILE_COMPARISON(gt, >)
FRAMEJIT_TILE_COMPARISON(ge, >=)
#undef FRAMEJIT_TILE_COMPARISON

template <class A, class B>
EIGEN_STRONG_INLINE auto logical_and(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return bool((x != T(0)) & (y != T(0))); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto logical_or(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return bool((x != T(0)) | (y != T(0))); }, a, b);
}
/// a + alpha * b of bools.
template <class A, class B>
EIGEN_STRONG_INLINE auto masked_or(const A& a, const B& b, double alpha) {
  using T = typename A::Scalar;
  const bool counts = alpha != 0;
  return each([=](T x, T y) { return bool((x != 0) | ((y != 0) & counts)); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto logical_xor(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return (x != T(0)) != (y != T(0)); }, a, b);
}
template <class A>
EIGEN_STRONG_INLINE auto logical_not(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, bool>)
    return not_of_bools(a);
  else
    return each([](T x) { return x == T(0); }, a);
}

/// `condition` is an operand like the others and hence has their type: everything but zero is true.
template <class C, class A, class B>
EIGEN_STRONG_INLINE auto where(const C& condition, const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](auto c, T x, T y) { return c != decltype(c)(0) ? x : y; }, condition, a, b);
}

/// `yes` where the first argument is above zero, `no` elsewhere and at NaN.
template <class C, class A, class B>
EIGEN_STRONG_INLINE auto where_positive(const C& test, const A& yes, const B& no) {
  using T = typename C::Scalar;
  return each([](T c, T x, T y) { return c > 0 ? x : y; }, test, yes, no);
}

/// NaN wins over everything.
template <class A, class B>
EIGEN_STRONG_INLINE auto maximum(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return x > y || x != x ? x : y; }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto minimum(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return x < y || x != x ? x : y; }, a, b);
}
/// NaN loses to everything.
template <class A, class B>
EIGEN_STRONG_INLINE auto fmax(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return x > y || y != y ? x : y; }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto fmin(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return x < y || y != y ? x : y; }, a, b);
}

template <class T>
inline T clamp_element(T x, T low, T high) {
  const T raised = x < low ? low : x, limited = raised > high ? high : raised;  // NaN stays
  return low != low ? low : high != high ? high : limited;
}
template <class A, class L, class H>
EIGEN_STRONG_INLINE auto clamp(const A& a, const L& low, const H& high) {
  using T = typename A::Scalar;
  if constexpr (is_constant_block<L> && is_constant_block<H>)
    if (const T l = low.coeff(0), h = high.coeff(0); l == l && h == h)
      return each(
          [=](T x) {
            const T raised = x < l ? l : x;
            return raised > h ? h : raised;
          },
          a);
  return each([](T x, T l, T h) { return clamp_element(x, l, h); }, a, low, high);
}

template <class A>
EIGEN_STRONG_INLINE auto relu(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return x < 0 ? T(0) : x; }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto sign(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return T(int(x > 0) - int(x < 0)); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto signbit(const A& a) {
  using T = typename A::Scalar;
  return each(
      [](T x) {
        if constexpr (std::is_floating_point_v<T>) return bool(std::signbit(x));
        if constexpr (std::is_signed_v<T>) return x < 0;
        return false;
      },
      a);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto copysign(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return std::copysign(x, y); }, a, b);
}

template <class A>
EIGEN_STRONG_INLINE auto isnan(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return x != x; }, a);
}
/// Only floats can be infinite: for an integer type the limits below are its own, hence the test of the type.
template <class A>
EIGEN_STRONG_INLINE auto isinf(const A& a) {
  using T = typename A::Scalar;
  return each(
      [](T x) {
        if constexpr (std::is_floating_point_v<T>) return std::abs(x) == std::numeric_limits<T>::infinity();
        return false;
      },
      a);
}
template <class A>
EIGEN_STRONG_INLINE auto isinf_of_sign(const A& a, int sign) {
  using T = typename A::Scalar;
  return each(
      [sign](T x) {
        if constexpr (std::is_floating_point_v<T>) return x == T(sign) * std::numeric_limits<T>::infinity();
        return false;
      },
      a);
}
template <class A>
EIGEN_STRONG_INLINE auto isfinite(const A& a) {
  using T = typename A::Scalar;
  return each(
      [](T x) {
        if constexpr (std::is_floating_point_v<T>) return std::abs(x) <= std::numeric_limits<T>::max();
        return true;
      },
      a);
}

/// Correctly rounded; Eigen's sqrt is an approximation on some instruction sets.
template <class A>
EIGEN_STRONG_INLINE auto sqrt(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return std::sqrt(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto rsqrt(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return T(1) / std::sqrt(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto floor(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return std::floor(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto ceil(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return std::ceil(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto trunc(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return std::trunc(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto frac(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return x - std::trunc(x); }, a);
}
/// Half to even.
template <class A>
EIGEN_STRONG_INLINE auto round(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return std::rint(x); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto round_decimals(const A& a, double decimals) {
  using T = typename A::Scalar;
  const T power = std::pow(T(10), T(std::abs(decimals)));
  const bool divide = decimals < 0;
  return each([=](T x) { return divide ? std::rint(x / power) * power : std::rint(x * power) / power; }, a);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto fmod(const A& a, const B& b) {
  using T = typename A::Scalar;
  return with_rest([](T, T, T rest) { return rest; }, a, b);
}
/// Python's `%`: the sign of the divisor, of zeros too.
template <class A, class B>
EIGEN_STRONG_INLINE auto remainder(const A& a, const B& b) {
  using T = typename A::Scalar;
  return with_rest(
      [](T, T y, T rest) {
        const T shifted = (rest < 0) != (y < 0) ? rest + y : rest;
        return rest == 0 ? std::copysign(rest, y) : shifted;
      },
      a, b);
}
/// Python's `//`, consistent with `remainder`: not floor(x / y), which rounds 1 // 0.1 up to 10. `rest` is
/// fmod(x, y).
template <class T>
inline T floor_divide_element(T x, T y, T rest) {
  const T towards_zero = (x - rest) / y;
  const T quotient = (rest != 0) & ((rest < 0) != (y < 0)) ? towards_zero - 1 : towards_zero;
  const T floored = std::floor(quotient), rounded = quotient - floored > T(0.5) ? floored + 1 : floored;
  const T whole = quotient == 0 ? std::copysign(T(0), x / y) : rounded;
  return y == 0 ? x / y : whole;
}
template <class A, class B>
EIGEN_STRONG_INLINE auto floor_divide(const A& a, const B& b) {
  using T = typename A::Scalar;
  return with_rest([](T x, T y, T rest) { return floor_divide_element(x, y, rest); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto div_trunc(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return std::trunc(x / y); }, a, b);
}

/// PyTorch's formula: each end is met exactly.
template <class A, class E, class W>
EIGEN_STRONG_INLINE auto lerp(const A& start, const E& end, const W& weight) {
  using T = typename A::Scalar;
  return each([](T s, T e, T w) { return std::abs(w) < T(0.5) ? s + w * (e - s) : e - (e - s) * (T(1) - w); },
              start, end, weight);
}
template <class A>
EIGEN_STRONG_INLINE auto nan_to_num(const A& a, double nan, double positive, double negative) {
  using T = typename A::Scalar;
  return with_exceptions([](T x) { return x; },
                         [=](T x) { return x != x  ? T(nan)
                                           : x > 0 ? T(positive)
                                                   : T(negative); },
                         [](T x) { return std::abs(x) <= std::numeric_limits<T>::max(); }, a);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto heaviside(const A& a, const B& at_zero) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return x == 0 ? y : T(x > 0); }, a, at_zero);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
