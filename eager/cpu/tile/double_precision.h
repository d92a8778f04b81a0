// sin, cos, tanh and pow of double: branch-free code that the compiler vectorises, within about 1 ulp (the other functions
// are in double_powers.h and double_angles.h). pow
// keeps logarithms in two doubles, whose sum has about 100 bits. All coefficients are minimax polynomials.
#pragma once

#include "eager/cpu/tile/series.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

// --- angles
// -------------------------------------------------------------------------------------------------------------

/// For |x| up to this, the products of k and the first two parts of pi / 2, of 33 bits each, are exact.
inline constexpr double kLargestWideAngle = 1e6;

/// The sign is that of r, also of -0.
[[gnu::always_inline]] inline double wide_sin_series(double r) {
  const double s = r * r;
  const double cubic = r * s *
                       polynomial(s, -0.16666666666666666, 0.008333333333330924, -0.0001984126983672639,
                                  2.7557316087859115e-06, -2.5051129106812868e-08, 1.5917950684632757e-10);
  return std::copysign(r + cubic, r);
}
/// What is lost in 1 - s / 2 is put back.
[[gnu::always_inline]] inline double wide_cos_series(double r) {
  const double s = r * r, half = 0.5 * s, first = 1 - half;
  const double rest = s * s *
                      polynomial(s, 0.041666666666666664, -0.0013888888888887387, 2.4801587298752326e-05,
                                 -2.7557317265609043e-07, 2.0876145123979486e-09, -1.1382557533627626e-11);
  return first + (((1 - first) - half) + rest);
}
/// sin(x + quarters * pi / 2).
[[gnu::always_inline]] inline double wide_shifted_sin(double x, int quarters) {
  constexpr double two_over_pi = 0.63661977236758134308, first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34,
                   third = 0x1.3198a2e037073p-69;
  const double shifted = x * two_over_pi + kRoundingMagic, k = shifted - kRoundingMagic;
  const double rest = ((x - k * first) - k * second) - k * third;
  const int64_t quadrant = std::bit_cast<int64_t>(shifted) + quarters;
  const double value = quadrant & 1 ? wide_cos_series(rest) : wide_sin_series(rest);
  return quadrant & 2 ? -value : value;
}
template <class A>
EIGEN_STRONG_INLINE auto sin_double(const A& a) {
  return with_exceptions([](double x) { return wide_shifted_sin(x, 0); },
                         [](double x) { return std::sin(x); },
                         [](double x) { return std::abs(x) <= kLargestWideAngle; }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto cos_double(const A& a) {
  return with_exceptions([](double x) { return wide_shifted_sin(x, 1); },
                         [](double x) { return std::cos(x); },
                         [](double x) { return std::abs(x) <= kLargestWideAngle; }, a);
}

// --- tanh
// -------------------------------------------------------------------------------------------------------------

template <class A>
EIGEN_STRONG_INLINE Block<double> tanh_double(const A& a) {
  const Block<double> power = (2 * a.abs().min(350.0)).exp();
  return each(
      [](double x, double power) {
        const double z = x * x;
        const double near_zero =
            x + x * z *
                    polynomial(z, -0.3333333333333333, 0.13333333333333205, -0.05396825396808541,
                               0.021869488527372697, -0.008863235292904859, 0.0035921242513207823,
                               -0.0014557958961442944, 0.0005897681541782088, -0.0002379521957751815,
                               9.332469810375067e-05, -3.2087052700345945e-05, 6.934267590021374e-06);
        const double far = 1 - 2 / (power + 1);
        return std::copysign(!(std::abs(x) >= 0.6) ? near_zero : far, x);
      },
      a, power);
}

// --- powers
// -------------------------------------------------------------------------------------------------------------

/// The sum of two doubles, of which `low` is small.
struct TwoDoubles {
  double high, low;
};
[[gnu::always_inline]] inline TwoDoubles exact_product(double a, double b) {
  const double product = a * b;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return {product, std::fma(a, b, -product)};
#else
  constexpr double splitter = 0x1p27 + 1;
  const double wide_a = a * splitter, wide_b = b * splitter;
  const double a_high = wide_a - (wide_a - a), b_high = wide_b - (wide_b - b);
  const double a_low = a - a_high, b_low = b - b_high;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}
[[gnu::always_inline]] inline TwoDoubles product(TwoDoubles a, TwoDoubles b) {
  const TwoDoubles exact = exact_product(a.high, b.high);
  return {exact.high, exact.low + (a.high * b.low + a.low * b.high)};
}
/// `a` is not smaller than b.high, or zero.
[[gnu::always_inline]] inline TwoDoubles sum(double a, TwoDoubles b) {
  const double high = a + b.high;
  return {high, (b.high - (high - a)) + b.low};
}

/// log2 of a normal positive number: with s = (m - 1) / (m + 1), 2 / ln 2 times s + s^3 / 3 + s^5 R(s^2).
[[gnu::always_inline]] inline TwoDoubles wide_log2(double x) {
  constexpr TwoDoubles two_over_ln2 = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55},
                       third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  constexpr uint64_t mantissa_mask = (uint64_t(1) << 52) - 1, one_bits = std::bit_cast<uint64_t>(1.0);
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const double mantissa = std::bit_cast<double>((bits & mantissa_mask) | one_bits);
  const double e = std::bit_cast<double>((bits >> 52) | std::bit_cast<uint64_t>(0x1p52)) - (0x1p52 + 1023);
  const bool upper = mantissa > 1.4142135623730951;
  const double m = upper ? mantissa * 0.5 : mantissa, exponent = upper ? e + 1 : e;

  const double above = m - 1, below = m + 1, below_low = m - (below - 1), inverse = 1 / below;
  const double quotient = above * inverse;
  const TwoDoubles back = exact_product(quotient, below);
  const TwoDoubles s = {quotient, (((above - back.high) - back.low) - quotient * below_low) * inverse};
  const TwoDoubles square = product(s, s), cube = product(product(s, square), third);
  const double tail =
      s.high * square.high * square.high *
      polynomial(square.high, 0.20000000000000015, 0.14285714285669066, 0.11111111135630654,
                 0.09090904111487104, 0.07692788253019386, 0.06642951402381385, 0.06457135137770102);
  const TwoDoubles series = sum(s.high, {cube.high, cube.low + s.low + tail});
  const double high = series.high + series.low;  // the tail has made `low` large
  const TwoDoubles normal = {high, series.low - (high - series.high)};
  return sum(exponent, product(normal, two_over_ln2));
}

/// 2^(t.high + t.low), in two steps where it is too small or too large for one.
[[gnu::always_inline]] inline double wide_exp2(TwoDoubles t) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56, limit = 1100;
  const bool inside = std::abs(t.high) < limit;
  const double high = inside ? t.high : std::copysign(limit, t.high), low = inside ? t.low : 0;
  const double k = (high + kRoundingMagic) - kRoundingMagic;
  const double f = (high - k) + low;
  const TwoDoubles linear = exact_product(f, ln2);
  const double rest =
      f * f *
      polynomial(f, 0.24022650695910075, 0.05550410866482151, 0.009618129107618695, 0.0013333558146465016,
                 0.00015403530424717879, 1.5252733760575855e-05, 1.3215451670763522e-06,
                 1.0178099393833528e-07, 7.0709703570935954e-09, 4.4483908427689075e-10);
  const TwoDoubles power = sum(1, {linear.high, linear.low + f * ln2_low + rest});
  const double half = (0.5 * k + kRoundingMagic) - kRoundingMagic;
  const auto two_to = [](double n) {
    return std::bit_cast<double>((std::bit_cast<uint64_t>(n + (kRoundingMagic + 1023))) << 52);
  };
  return (power.high + power.low) * two_to(half) * two_to(k - half);
}

/// Of an ordinary base (no zero, subnormal, infinity or NaN) and a finite exponent. Exponents so large that
/// their products would overflow are as good as a smaller one.
[[gnu::always_inline]] inline double wide_power_of(double x, double y, TwoDoubles logarithm) {
  const double exponent = std::abs(y) < 1e20 ? y : std::copysign(1e20, y);
  const TwoDoubles exact = exact_product(exponent, logarithm.high);
  const double power = wide_exp2({exact.high, exact.low + exponent * logarithm.low});
  const bool whole = std::rint(y) == y, odd = whole & (std::rint(y * 0.5) != y * 0.5);
  const double with_sign = odd ? std::copysign(power, x) : power;
  return (x < 0) & !whole ? std::numeric_limits<double>::quiet_NaN() : with_sign;
}
/// Two loops: GCC would not vectorise all of it in one.
template <class A, class B>
EIGEN_STRONG_INLINE auto pow_double(const A& a, const B& b) {
  using Limits = std::numeric_limits<double>;
  const Block<double> x = opaque(a), y = opaque(b);
  Block<double> high, low;
  for (int i = 0; i < kBlock<double>; ++i) {
    const TwoDoubles logarithm = wide_log2(std::abs(x.coeff(i)));
    high.coeffRef(i) = logarithm.high;
    low.coeffRef(i) = logarithm.low;
  }
  return with_exceptions(
      [](double x, double y, double high, double low) {
        return wide_power_of(x, y, {high, low});
      },
      [](double x, double y, double, double) { return std::pow(x, y); },
      [](double x, double y, double, double) {
        const double size = std::abs(x);
        return (size >= Limits::min()) & (size <= Limits::max()) & (std::abs(y) <= Limits::max());
      },
      x, y, high, low);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
