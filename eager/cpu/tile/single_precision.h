// sin, cos, tan and pow of float, computed in double by branch-free code that the compiler vectorises: faster
// and more exact (below 0.51 ulp) than vector code in float, and the same bits on every instruction set.
// Arguments outside of a function's ordinary range are left to libm, element by element.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "eager/cpu/tile/block.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Adding it to a double below 2^51 leaves the nearest integer in the low bits of the sum.
inline constexpr double kRoundingMagic = 0x1.8p52;

/// An angle less the nearest multiple of pi / 2, and which multiple that is (its low two bits count).
struct ReducedAngle {
  double rest;
  int64_t quadrant;
};
/// For |x| up to kLargestAngle: k * kHalfPiHigh is exact there, as the constant has 33 bits.
inline constexpr float kLargestAngle = 1e6f;
inline ReducedAngle reduce_angle(float x) {
  constexpr double two_over_pi = 0.63661977236758134308, half_pi_high = 0x1.921fb544p0,
                   half_pi_low = 0x1.0b4611a626331p-34;
  const double shifted = x * two_over_pi + kRoundingMagic, k = shifted - kRoundingMagic;
  return {(x - k * half_pi_high) - k * half_pi_low, std::bit_cast<int64_t>(shifted)};
}

/// Taylor series on [-pi / 4, pi / 4]; the first term left out is below 1e-11 of the result.
inline double sin_series(double r) {
  const double s = r * r;
  return r +
         r * s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 - s * (1.0 / 39916800)))));
}
inline double cos_series(double r) {
  const double s = r * r;
  return 1 + s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 +
                                                                                   s * (1.0 / 479001600))))));
}

/// sin(x + quarters * pi / 2).
inline float shifted_sin(float x, int quarters) {
  const ReducedAngle angle = reduce_angle(x);
  const int64_t quadrant = angle.quadrant + quarters;
  const double value = quadrant & 1 ? cos_series(angle.rest) : sin_series(angle.rest);
  return float(quadrant & 2 ? -value : value);
}
inline float tan_of_reduced(float x) {
  const ReducedAngle angle = reduce_angle(x);
  const double sine = sin_series(angle.rest), cosine = cos_series(angle.rest);
  return float(angle.quadrant & 1 ? -cosine / sine : sine / cosine);
}

/// `fast` everywhere, then `exact` where `ordinary` does not hold.
template <class Fast, class Exact, class Ordinary, class A, class... More>
EIGEN_STRONG_INLINE auto with_exceptions(Fast fast, Exact exact, Ordinary ordinary, const A& a,
                                         const More&... more) {
  constexpr int size = A::SizeAtCompileTime;
  auto result = each(fast, a, more...);
  int exceptions = 0;
  for (int i = 0; i < size; ++i) exceptions += !ordinary(a.coeff(i), more.coeff(i)...);
  if (__builtin_expect(exceptions != 0, 0))
    for (int i = 0; i < size; ++i)
      if (!ordinary(a.coeff(i), more.coeff(i)...)) result.coeffRef(i) = exact(a.coeff(i), more.coeff(i)...);
  return result;
}

template <class A>
EIGEN_STRONG_INLINE auto sin_float(const A& a) {
  return with_exceptions([](float x) { return shifted_sin(x, 0); }, [](float x) { return std::sin(x); },
                         [](float x) { return std::abs(x) <= kLargestAngle; }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto cos_float(const A& a) {
  return with_exceptions([](float x) { return shifted_sin(x, 1); }, [](float x) { return std::cos(x); },
                         [](float x) { return std::abs(x) <= kLargestAngle; }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto tan_float(const A& a) {
  return with_exceptions(
      tan_of_reduced, [](float x) { return std::tan(x); },
      [](float x) { return std::abs(x) <= kLargestAngle; }, a);
}

/// log2 of a positive finite float. With m the mantissa in [1 / sqrt 2, sqrt 2) and s = (m - 1) / (m + 1),
/// log m is the series 2 (s + s^3 / 3 + ...), of which what is left out is below 1e-14.
inline double log2_series(float x) {
  constexpr uint64_t mantissa_mask = (uint64_t(1) << 52) - 1, one_bits = std::bit_cast<uint64_t>(1.0);
  const uint64_t bits = std::bit_cast<uint64_t>(double(x));
  const double m = std::bit_cast<double>((bits & mantissa_mask) | one_bits);
  // The exponent as a double: placed in the low bits of 2^52, which is then taken off with the bias.
  const double e = std::bit_cast<double>((bits >> 52) | std::bit_cast<uint64_t>(0x1p52)) - (0x1p52 + 1023);
  const bool upper = m > 1.4142135623730951;
  const double centred = upper ? m * 0.5 : m, exponent = upper ? e + 1 : e;
  const double s = (centred - 1) / (centred + 1), q = s * s;
  const double series =
      1 +
      q * (1.0 / 3 +
           q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13 + q * (1.0 / 15)))))));
  return exponent + s * series * (2 * 1.4426950408889634074);
}

/// 2^t, limited to what float can tell from 0 and infinity. Taylor series of e^(f ln 2), |f| <= 1/2.
inline double exp2_series(double t) {
  const double limited = t < -200 ? -200 : t > 200 ? 200 : t;
  const double shifted = limited + kRoundingMagic, k = shifted - kRoundingMagic;
  const double r = (limited - k) * 0.69314718055994530942;
  double sum = 1 + r * (1.0 / 10);
  sum = 1 + r * (1.0 / 9) * sum;
  sum = 1 + r * (1.0 / 8) * sum;
  sum = 1 + r * (1.0 / 7) * sum;
  sum = 1 + r * (1.0 / 6) * sum;
  sum = 1 + r * (1.0 / 5) * sum;
  sum = 1 + r * (1.0 / 4) * sum;
  sum = 1 + r * (1.0 / 3) * sum;
  sum = 1 + r * (1.0 / 2) * sum;
  sum = 1 + r * sum;
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRoundingMagic) + 1023;
  return sum * std::bit_cast<double>(exponent << 52);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto pow_float(const A& a, const B& b) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return with_exceptions([](float x, float y) { return float(exp2_series(y * log2_series(x))); },
                         [](float x, float y) { return std::pow(x, y); },
                         [](float x, float y) { return (x > 0) & (x < infinity) & (std::abs(y) < infinity); },
                         a, b);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
