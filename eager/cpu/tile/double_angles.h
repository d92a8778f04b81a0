// Trigonometric functions of double and their inverses, within about 1 ulp; see double_powers.h.
#pragma once

#include "eager/cpu/tile/double_powers.h"
#include "eager/cpu/tile/float_angles.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

inline constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;  ///< pi / 2 less kHalfPi

/// sin and cos of an angle in [-pi / 4, pi / 4].
FRAMEJIT_VECTOR_INLINE Pair sin_pair(Pair r) {
  const Doubles z = r.high * r.high;
  const Doubles cubic = r.high * z *
                        series(z, -0.16666666666666666, 0.008333333333330924, -0.0001984126983672639,
                               2.7557316087859115e-06, -2.5051129106812868e-08, 1.5917950684632757e-10);
  return exact_sum(r.high, multiply_add(-0.5 * z, r.low, cubic + r.low));
}
FRAMEJIT_VECTOR_INLINE Pair cos_pair(Pair r) {
  const Doubles z = r.high * r.high, half = 0.5 * z;
  const Doubles rest = z * z *
                       series(z, 0.041666666666666664, -0.0013888888888887387, 2.4801587298752326e-05,
                              -2.7557317265609043e-07, 2.0876145123979486e-09, -1.1382557533627626e-11);
  const Doubles first = 1 - half, half_rest = product_rest(0.5 * r.high, r.high, half);
  return exact_sum(first, (((1 - first) - half) - half_rest) + multiply_add(-r.high, r.low, rest));
}
/// For |x| up to this, the products of k and the first two parts of pi / 2, of 33 bits each, are exact.
inline constexpr double kLargestTangent = 1e6;
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> tan_double(const A& a) {
  return in_registers_where(
      [](Doubles x) FRAMEJIT_INLINED { return size_of(x) <= kLargestTangent; },
      [](Doubles x) FRAMEJIT_INLINED {
        constexpr double two_over_pi = 0.63661977236758134308, first = 0x1.921fb544p+0,
                         second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
        const Doubles shifted =
                          multiply_add(x, spread<Doubles>(two_over_pi), spread<Doubles>(kRoundingMagic)),
                      k = shifted - kRoundingMagic;
        const Doubles above = multiply_add(k, spread<Doubles>(-first), x), part = k * second;
        const Doubles sum = above - part, lost = (above - sum) - part;
        const Pair rest = exact_sum(sum, multiply_add(k, spread<Doubles>(-third), lost));
        const Pair sine = sin_pair(rest), cosine = cos_pair(rest);
        const auto odd = (bits_of(shifted) & 1) != 0;
        const Doubles y = odd ? -cosine.high : sine.high, y_low = odd ? -cosine.low : sine.low;
        const Doubles d = odd ? sine.high : cosine.high, d_low = odd ? sine.low : cosine.low;
        const Doubles inverse = 1 / d, quotient = y * inverse, back = quotient * d;
        const Doubles missing = ((y - back) - product_rest(quotient, d, back)) + (y_low - quotient * d_low);
        const Doubles result = multiply_add(missing, inverse, quotient);
        return x == 0 ? x : result;
      },
      [](double x) { return std::tan(x); }, a);
}

/// (asin(x) - x) / x^3 of x^2 up to 1/4.
FRAMEJIT_VECTOR_INLINE Doubles asin_tail(Doubles z) {
  return series(z, 0.16666666666666669, 0.07499999999998425, 0.04464285714637338, 0.030381944137085216,
                0.0223721730020056, 0.0173523912659092, 0.013971235301124917, 0.011478952690254089,
                0.010324318288763578, 0.005450878187643825, 0.017419357965078285, -0.014881409393100096,
                0.028778442612773937);
}
/// asin of |x| where that is at most 1/2, else of sqrt((1 - |x|) / 2), half of what is missing to pi / 2.
struct WideHalfAngle {
  Pair asin;
  Longs large;
};
FRAMEJIT_VECTOR_INLINE WideHalfAngle wide_half_angle(Doubles x) {
  const Doubles size = size_of(x);
  const auto large = size > 0.5;
  const Doubles z = large ? (1 - size) * 0.5 : size * size, estimate = large ? root(z) : size;
  const Doubles square = estimate * estimate;
  const Doubles missing = ((z - square) - product_rest(estimate, estimate, square)) / (2 * estimate);
  const Doubles low = large & (z > 0) ? missing : spread<Doubles>(0);
  return {{estimate, multiply_add(estimate * z, asin_tail(z), low)}, large};
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> asin_double(const A& a) {
  return in_registers(
      [](Doubles x) FRAMEJIT_INLINED {
        const WideHalfAngle angle = wide_half_angle(x);
        const Doubles twice = 2 * angle.asin.high, left = kHalfPi - twice;
        const Doubles far = left + (((kHalfPi - left) - twice) + (kHalfPiLow - 2 * angle.asin.low));
        return with_sign_of(angle.large ? far : angle.asin.high + angle.asin.low, x);
      },
      a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> acos_double(const A& a) {
  return in_registers(
      [](Doubles x) FRAMEJIT_INLINED {
        const WideHalfAngle angle = wide_half_angle(x);
        // From pi / 2 or, near the ends, from 0 or pi.
        const auto below = x < 0, none = ~below;
        const Doubles size = angle.asin.high * (angle.large ? spread<Doubles>(2) : spread<Doubles>(1)),
                      low = angle.asin.low * (angle.large ? spread<Doubles>(2) : spread<Doubles>(1));
        const auto down = angle.large ? below : none;  // whether the angle is taken off
        const Doubles start = angle.large ? (below ? spread<Doubles>(2 * kHalfPi) : spread<Doubles>(0))
                                          : spread<Doubles>(kHalfPi),
                      start_low = angle.large ? (below ? spread<Doubles>(2 * kHalfPiLow) : spread<Doubles>(0))
                                              : spread<Doubles>(kHalfPiLow);
        const Doubles step = down ? -size : size, step_low = down ? -low : low;
        const Doubles sum = start + step;
        return start == 0 ? size + low : sum + (((start - sum) + step) + (start_low + step_low));
      },
      a);
}

/// The angle at which |y| lies above x, by way of a quotient of at most tan(pi / 8) of their size: beyond, of (small -
/// large) / (small + large), whose angle is pi / 4 less. What sum, difference and quotient have lost is made good.
FRAMEJIT_VECTOR_INLINE Doubles upper_angle(Doubles y, Doubles x) {
  const Doubles above = size_of(y), along = size_of(x), zero{};
  const auto steep = above > along;
  const Doubles small = steep ? along : above, large = steep ? above : along;
  const auto turned = small > 0.41421356237309503 * large;
  const Doubles difference = small - large, sum = small + large;
  const Doubles n = turned ? difference : small, n_low = turned ? small - (difference + large) : zero;
  const Doubles d = turned ? sum : large, d_low = turned ? small - (sum - large) : zero;
  const Doubles inverse = 1 / d, q = n * inverse, back = q * d, z = q * q;
  const Doubles lost = (((n - back) - product_rest(q, d, back)) + (n_low - q * d_low)) * inverse;
  const Doubles tail = multiply_add(
      q * z,
      series(z, -0.3333333333333333, 0.19999999999999804, -0.14285714285659457, 0.11111111105119366,
             -0.09090908751706075, 0.07692296323157784, -0.06666423954373399, 0.05878918292975588,
             -0.05230375457575766, 0.04551233844825883, -0.03456132296817663, 0.01627552168380677),
      lost);
  // So many times pi / 4, and the small angle up or down from there.
  const auto left = x < 0, down = steep ? ~left : left;
  const Doubles base = steep  ? spread<Doubles>(2)
                       : left ? spread<Doubles>(4)
                              : zero,
                one = turned ? spread<Doubles>(1) : zero, eighths = base + (down ? -one : one);
  const Doubles step = down ? -q : q, step_low = down ? -tail : tail, start = eighths * (0.5 * kHalfPi);
  const Doubles angle = start + step;
  return angle +
         (((start - angle) + step) + multiply_add(eighths, spread<Doubles>(0.5 * kHalfPiLow), step_low));
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> atan_double(const A& a) {
  return in_registers_where(
      [](Doubles x) FRAMEJIT_INLINED { return size_of(x) < 1e300; },
      [](Doubles x) FRAMEJIT_INLINED { return with_sign_of(upper_angle(x, spread<Doubles>(1)), x); },
      [](double x) { return std::atan(x); }, a);
}
/// Of numbers whose quotient, and what it loses, are ordinary.
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<double> atan2_double(const A& a, const B& b) {
  return in_registers_where(
      [](Doubles y, Doubles x) FRAMEJIT_INLINED {
        return (size_of(y) < 1e150) & (size_of(x) < 1e150) & (size_of(y) > 1e-120) & (size_of(x) > 1e-120);
      },
      [](Doubles y, Doubles x) FRAMEJIT_INLINED { return with_sign_of(upper_angle(y, x), y); },
      [](double y, double x) { return std::atan2(y, x); }, a, b);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
