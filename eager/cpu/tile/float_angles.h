// Trigonometric functions of float and their inverses.
#pragma once

#include "eager/cpu/tile/wide.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// An angle less the nearest multiple of pi / 2, and which multiple that is (its low two bits count).
struct ReducedAngle {
  Doubles rest;
  Longs quadrant;
};
/// For |x| up to kLargestAngle: k * half_pi_high is exact there, as the constant has 33 bits.
inline constexpr float kLargestAngle = 1e6f;
FRAMEJIT_VECTOR_INLINE ReducedAngle reduce_angle(Doubles x) {
  constexpr double two_over_pi = 0.63661977236758134308, half_pi_high = 0x1.921fb544p0,
                   half_pi_low = 0x1.0b4611a626331p-34;
  const Doubles shifted = multiply_add(x, spread<Doubles>(two_over_pi), spread<Doubles>(kRoundingMagic)),
                k = shifted - kRoundingMagic;
  const Doubles above = multiply_add(k, spread<Doubles>(-half_pi_high), x);
  return {multiply_add(k, spread<Doubles>(-half_pi_low), above), bits_of(shifted)};
}

/// Taylor series on [-pi / 4, pi / 4]; the first term left out is below 1e-11 of the result.
template <class V>
FRAMEJIT_VECTOR_INLINE V sin_series(V r) {
  const V s = r * r;
  return r * series(s, 1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800);
}
template <class V>
FRAMEJIT_VECTOR_INLINE V cos_series(V r) {
  const V s = r * r;
  return series(s, 1, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600);
}

/// sin(x + quarters * pi / 2).
FRAMEJIT_VECTOR_INLINE Doubles shifted_sin(Doubles x, int quarters) {
  const ReducedAngle angle = reduce_angle(x);
  const Longs quadrant = angle.quadrant + quarters;
  const Doubles value = (quadrant & 1) != 0 ? cos_series(angle.rest) : sin_series(angle.rest);
  return of_bits<Doubles>(bits_of(value) ^ ((quadrant & 2) << 62));
}
FRAMEJIT_VECTOR_INLINE Doubles tan_of_reduced(Doubles x) {
  const ReducedAngle angle = reduce_angle(x);
  const Doubles sine = sin_series(angle.rest), cosine = cos_series(angle.rest);
  const auto odd = (angle.quadrant & 1) != 0;
  return (odd ? -cosine : sine) / (odd ? sine : cosine);
}

FRAMEJIT_VECTOR_INLINE Ints is_small_angle(Floats x) { return size_of(x) <= kLargestAngle; }
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> sin_float(const A& a) {
  return in_double_where(
      is_small_angle, [](Doubles x) FRAMEJIT_INLINED { return shifted_sin(x, 0); },
      [](float x) { return std::sin(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> cos_float(const A& a) {
  return in_double_where(
      is_small_angle, [](Doubles x) FRAMEJIT_INLINED { return shifted_sin(x, 1); },
      [](float x) { return std::cos(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> tan_float(const A& a) {
  return in_double_where(
      is_small_angle, tan_of_reduced, [](float x) { return std::tan(x); }, a);
}

inline constexpr double kHalfPi = 1.57079632679489661923;

/// atan of a number in [0, 1], within 6e-11 of it. Minimax polynomial of atan(q) / q in q^2.
FRAMEJIT_VECTOR_INLINE Doubles atan_series(Doubles q) {
  const Doubles z = q * q;
  return q * series(z, 0.9999999999418184, -0.33333331581994413, 0.19999912382494758, -0.1428398469561331,
                    0.11093264813712475, -0.08980318461504926, 0.072458745355282, -0.05428083810433538,
                    0.03421045615081069, -0.016111514609069087, 0.004850568582416934, -0.0006846785360968695);
}
/// The angle, from 0 to pi / 2, at which |y| lies above |x|.
FRAMEJIT_VECTOR_INLINE Doubles first_quadrant(Doubles y, Doubles x) {
  const Doubles above = size_of(y), along = size_of(x);
  const auto steep = above > along;
  const Doubles angle = atan_series((steep ? along : above) / (steep ? above : along));
  return steep ? kHalfPi - angle : angle;
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> atan_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED { return with_sign_of(first_quadrant(x, spread<Doubles>(1)), x); }, a);
}
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<float> atan2_float(const A& a, const B& b) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return in_double_where(
      [](Floats y, Floats x) FRAMEJIT_INLINED {
        return (size_of(y) < infinity) & (size_of(x) < infinity) & ((y != 0) | (x != 0));
      },
      [](Doubles y, Doubles x) FRAMEJIT_INLINED {
        const Doubles angle = first_quadrant(y, x);
        return with_sign_of(x < 0 ? 2 * kHalfPi - angle : angle, y);
      },
      [](float y, float x) { return std::atan2(y, x); }, a, b);
}

/// asin of |x| where that is at most 1/2, else of sqrt((1 - |x|) / 2), half of what is missing to pi / 2.
struct HalfAngle {
  Doubles asin;
  Longs large;
};
FRAMEJIT_VECTOR_INLINE HalfAngle half_angle(Doubles x) {
  const Doubles size = size_of(x);
  const auto large = size > 0.5;
  const Doubles z = large ? (1 - size) * 0.5 : size * size;
  return {(large ? root(z) : size) * series(z, 0.9999999999849395, 0.16666667420583323, 0.07499938251615702,
                                            0.0446620261609591, 0.030092286267934337, 0.02471123876965517,
                                            0.007224349104048372, 0.034951314689713714),
          large};
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> asin_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        const HalfAngle angle = half_angle(x);
        return with_sign_of(angle.large ? kHalfPi - 2 * angle.asin : angle.asin, x);
      },
      a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> acos_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        const HalfAngle angle = half_angle(x);
        const Doubles from_x_axis = angle.large ? 2 * angle.asin : kHalfPi - angle.asin;
        return x < 0 ? 2 * kHalfPi - from_x_axis : from_x_axis;
      },
      a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
