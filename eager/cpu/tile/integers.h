// Integer (and bool) functions of tile expressions. Arithmetic wraps, as NumPy's and PyTorch's does: it is
// done in the unsigned type, where overflow is defined. Division by zero raises what PyTorch raises.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "eager/cpu/tile/block.h"
#include "eager/cpu/tile/series.h"
#include "eager/error.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// The type wrapping arithmetic is done in: unsigned, and at least as wide as int (so that no promotion to
/// int occurs).
template <class T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <class A, class B>
EIGEN_STRONG_INLINE auto wrapping_add(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(Wrapping<T>(x) + Wrapping<T>(y)); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto wrapping_sub(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(Wrapping<T>(x) - Wrapping<T>(y)); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto wrapping_mul(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(Wrapping<T>(x) * Wrapping<T>(y)); }, a, b);
}
/// a + factor * b, the integral form of `add` and `sub` with alpha.
template <class A, class B>
EIGEN_STRONG_INLINE auto wrapping_axpy(const A& a, const B& b, double factor) {
  using T = typename A::Scalar;
  const auto scale = Wrapping<T>(int64_t(factor));
  return each([scale](T x, T y) { return T(Wrapping<T>(x) + scale * Wrapping<T>(y)); }, a, b);
}
template <class A>
EIGEN_STRONG_INLINE auto wrapping_neg(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return T(Wrapping<T>(0) - Wrapping<T>(x)); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto integer_abs(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return x < 0 ? T(Wrapping<T>(0) - Wrapping<T>(x)) : x; }, a);
}

template <class T>
inline void check_divisor(T divisor) {
  if (__builtin_expect(divisor == 0, 0)) fail(ErrorType::runtime, "ZeroDivisionError");
}
/// C's `/` and `%`, with INT_MIN / -1 wrapping to INT_MIN instead of trapping.
template <class T>
inline T divide_towards_zero(T x, T y) {
  check_divisor(y);
  if constexpr (std::is_signed_v<T>)
    if (y == -1) return T(Wrapping<T>(0) - Wrapping<T>(x));
  return T(x / y);
}
template <class T>
inline T modulo_towards_zero(T x, T y) {
  check_divisor(y);
  if constexpr (std::is_signed_v<T>)
    if (y == -1) return T(0);
  return T(x % y);
}

/// Vectors have no division of integers, but of floating numbers that hold these: a quotient that is no whole
/// number is further from the next one than it can be rounded, as long as it has two bits less than the
/// floating type.
template <class T>
using Quotient = std::conditional_t<sizeof(T) == 1, float, double>;
inline constexpr int64_t kMagicBits = std::bit_cast<int64_t>(kRoundingMagic), kLargestDividend = int64_t(1)
                                                                                                 << 50;
template <class T>
[[gnu::always_inline]] inline Quotient<T> as_quotient(T x) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<double>(kMagicBits + x) - kRoundingMagic;
  else
    return Quotient<T>(x);
}
template <class T>
[[gnu::always_inline]] inline T as_integer(Quotient<T> x) {
  if constexpr (sizeof(T) == 1)
    return T(int(x));
  else
    return T(std::bit_cast<int64_t>(x + kRoundingMagic) - kMagicBits);
}
template <class T>
[[gnu::always_inline]] inline bool is_dividend(T x) {
  return sizeof(T) < 8 || ((x > T(-kLargestDividend)) & (x < T(kLargestDividend)));
}
/// `fast` of quotients, `exact` of integers that are too large for them, which also raises the error.
template <class Fast, class Exact, class A, class B>
EIGEN_STRONG_INLINE auto divide_integers(Fast fast, Exact exact, const A& a, const B& b) {
  using T = typename A::Scalar;
  return with_exceptions([=](T x, T y) { return as_integer<T>(fast(as_quotient(x), as_quotient(y))); }, exact,
                         [](T x, T y) { return is_dividend(x) & is_dividend(y) & (y != 0); }, opaque(a),
                         opaque(b));
}

template <class A, class B>
EIGEN_STRONG_INLINE auto integer_div_trunc(const A& a, const B& b) {
  using T = typename A::Scalar;
  return divide_integers([](auto x, auto y) { return std::trunc(x / y); },
                         [](T x, T y) { return divide_towards_zero(x, y); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto integer_fmod(const A& a, const B& b) {
  using T = typename A::Scalar;
  return divide_integers([](auto x, auto y) { return x - std::trunc(x / y) * y; },
                         [](T x, T y) { return modulo_towards_zero(x, y); }, a, b);
}
/// Python's `//`: rounded towards minus infinity.
template <class A, class B>
EIGEN_STRONG_INLINE auto integer_floor_divide(const A& a, const B& b) {
  using T = typename A::Scalar;
  return divide_integers([](auto x, auto y) { return std::floor(x / y); },
                         [](T x, T y) {
                           const T quotient = divide_towards_zero(x, y);
                           const bool inexact_negative =
                               modulo_towards_zero(x, y) != 0 && ((x < 0) != (y < 0));
                           return T(quotient - T(inexact_negative));
                         },
                         a, b);
}
/// Python's `%`: the sign of the divisor.
template <class A, class B>
EIGEN_STRONG_INLINE auto integer_remainder(const A& a, const B& b) {
  using T = typename A::Scalar;
  return divide_integers([](auto x, auto y) { return x - std::floor(x / y) * y; },
                         [](T x, T y) {
                           const T rest = modulo_towards_zero(x, y);
                           return rest != 0 && ((rest < 0) != (y < 0)) ? T(rest + y) : rest;
                         },
                         a, b);
}

/// By repeated squaring, wrapping. Of negative exponents only bases 1 and -1 have an integral result; 0
/// otherwise.
template <class T>
inline T integer_power(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == T(-1)) return exponent % 2 == 0 ? T(1) : T(-1);
    return 0;
  }
  Wrapping<T> result = 1, square = Wrapping<T>(base);
  for (auto left = Wrapping<T>(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= square;
    square *= square;
  }
  return T(result);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto integer_pow(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return integer_power(x, y); }, a, b);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto bitwise_and(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(x & y); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto bitwise_or(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(x | y); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto bitwise_xor(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(x ^ y); }, a, b);
}
template <class A>
EIGEN_STRONG_INLINE auto bitwise_not(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, bool>)
    return not_of_bools(a);
  else
    return each([](T x) { return T(~x); }, a);
}
/// Shifts by a negative count or by the width and more: 0 to the left, the sign (0 or -1) to the right.
template <class A, class B>
EIGEN_STRONG_INLINE auto left_shift(const A& a, const B& b) {
  using T = typename A::Scalar;
  constexpr int width = int(sizeof(T) * 8);
  return each([](T x, T y) { return y < 0 || y >= width ? T(0) : T(Wrapping<T>(x) << y); }, a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto right_shift(const A& a, const B& b) {
  using T = typename A::Scalar;
  constexpr int width = int(sizeof(T) * 8);
  return each([](T x, T y) { return T(x >> (y < 0 || y >= width ? width - 1 : int(y))); }, a, b);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto gcd(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each(
      [](T x, T y) {
        auto left = Wrapping<T>(x < 0 ? Wrapping<T>(0) - Wrapping<T>(x) : Wrapping<T>(x));
        auto right = Wrapping<T>(y < 0 ? Wrapping<T>(0) - Wrapping<T>(y) : Wrapping<T>(y));
        while (right != 0) left = std::exchange(right, left % right);
        return T(left);
      },
      a, b);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
