// Trigonometric functions of float and their inverses.
#pragma once

#include "eager/cpu/tile/series.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

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
  return r * polynomial(s, 1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800);
}
inline double cos_series(double r) {
  const double s = r * r;
  return polynomial(s, 1, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600);
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
  return with_exceptions([](float x) { return tan_of_reduced(x); }, [](float x) { return std::tan(x); },
                         [](float x) { return std::abs(x) <= kLargestAngle; }, a);
}

inline constexpr double kHalfPi = 1.57079632679489661923;

/// atan of a number in [0, 1], within 6e-11 of it. Minimax polynomial of atan(q) / q in q^2.
inline double atan_series(double q) {
  const double z = q * q;
  return q * polynomial(z, 0.9999999999418184, -0.33333331581994413, 0.19999912382494758, -0.1428398469561331,
                        0.11093264813712475, -0.08980318461504926, 0.072458745355282, -0.05428083810433538,
                        0.03421045615081069, -0.016111514609069087, 0.004850568582416934,
                        -0.0006846785360968695);
}
/// The angle, from 0 to pi / 2, at which |y| lies above |x|.
inline double first_quadrant(double y, double x) {
  const double above = std::abs(y), along = std::abs(x);
  const bool steep = above > along;
  const double angle = atan_series((steep ? along : above) / (steep ? above : along));
  return steep ? kHalfPi - angle : angle;
}
template <class A>
EIGEN_STRONG_INLINE auto atan_float(const A& a) {
  return each([](float x) { return std::copysign(float(first_quadrant(x, 1)), x); }, a);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto atan2_float(const A& a, const B& b) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return with_exceptions(
      [](float y, float x) {
        const double angle = first_quadrant(y, x);
        return std::copysign(float(x < 0 ? 2 * kHalfPi - angle : angle), y);
      },
      [](float y, float x) { return std::atan2(y, x); },
      [](float y, float x) {
        return (std::abs(y) < infinity) & (std::abs(x) < infinity) & ((y != 0) | (x != 0));
      },
      opaque(a), opaque(b));
}

/// asin of |x| where that is at most 1/2, else of sqrt((1 - |x|) / 2), half of what is missing to pi / 2.
struct HalfAngle {
  double asin;
  bool large;
};
inline HalfAngle half_angle(double x) {
  const double size = std::abs(x);
  const bool large = size > 0.5;
  const double z = large ? (1 - size) * 0.5 : size * size;
  const double root = large ? std::sqrt(z) : size;
  return {root * polynomial(z, 0.9999999999849395, 0.16666667420583323, 0.07499938251615702,
                            0.0446620261609591, 0.030092286267934337, 0.02471123876965517,
                            0.007224349104048372, 0.034951314689713714),
          large};
}
template <class A>
EIGEN_STRONG_INLINE auto asin_float(const A& a) {
  return each(
      [](float x) {
        const HalfAngle angle = half_angle(x);
        return std::copysign(float(angle.large ? kHalfPi - 2 * angle.asin : angle.asin), x);
      },
      a);
}
template <class A>
EIGEN_STRONG_INLINE auto acos_float(const A& a) {
  return each(
      [](float x) {
        const HalfAngle angle = half_angle(x);
        const double from_x_axis = angle.large ? 2 * angle.asin : kHalfPi - angle.asin;
        return float(x < 0 ? 2 * kHalfPi - from_x_axis : from_x_axis);
      },
      a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
