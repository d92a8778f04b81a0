// Powers and logarithms of float, and the hyperbolic functions made of them.
#pragma once

#include "eager/cpu/tile/series.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

inline constexpr double kLn2 = 0.69314718055994530942, kLog2OfE = 1.4426950408889634074;

/// log2 of a positive finite double, within 5e-12 of it (at 1 too). With m the mantissa in
/// [1 / sqrt 2, sqrt 2) and s = (m - 1) / (m + 1), log m is the series 2 (s + s^3 / 3 + ...); the polynomial
/// in s^2 is its minimax approximation.
inline double log2_series(double x) {
  constexpr uint64_t mantissa_mask = (uint64_t(1) << 52) - 1, one_bits = std::bit_cast<uint64_t>(1.0);
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const double m = std::bit_cast<double>((bits & mantissa_mask) | one_bits);
  // The exponent as a double: placed in the low bits of 2^52, which is then taken off with the bias.
  const double e = std::bit_cast<double>((bits >> 52) | std::bit_cast<uint64_t>(0x1p52)) - (0x1p52 + 1023);
  const bool upper = m > 1.4142135623730951;
  const double centred = upper ? m * 0.5 : m, exponent = upper ? e + 1 : e;
  const double s = (centred - 1) / (centred + 1);
  return exponent + s * polynomial(s * s, 2.885390081790107, 0.9617966733138946, 0.5770835906488823,
                                   0.4116723587705176, 0.34073709602049945);
}

/// 2^t, limited to what float can tell from 0 and infinity, within 4e-11. Minimax polynomial of 2^f,
/// |f| <= 1/2.
inline double exp2_series(double t) {
  const double limited = t < -200 ? -200 : t > 200 ? 200 : t;
  const double shifted = limited + kRoundingMagic, k = shifted - kRoundingMagic;
  const double power = polynomial(limited - k, 0.9999999999616894, 0.6931471807285444, 0.24022651198083936,
                                  0.05550410353033188, 0.009618027261176946, 0.0013333922920548465,
                                  0.000154692893256054, 1.5201839305437478e-05);
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRoundingMagic) + 1023;
  return power * std::bit_cast<double>(exponent << 52);
}
inline double exp_series(double x) { return exp2_series(x * kLog2OfE); }

/// In float, with an error below 1.2 ulp: of its few steps, those to double and back would be too many. With
/// k the nearest integer to x, 2^(x - k) is a polynomial, and k is added to its exponent.
template <class A>
EIGEN_STRONG_INLINE auto exp2_float(const A& a) {
  constexpr float magic = 0x1.8p23f;  // as kRoundingMagic
  return with_exceptions(
      [](float x) {
        const float shifted = x + magic, f = x - (shifted - magic);
        const float power =
            1 + f * (0.6931472f +
                     f * (0.24022648f +
                          f * (0.055503324f + f * (0.009618437f + f * (0.0013398875f + f * 0.0001535336f)))));
        return std::bit_cast<float>(std::bit_cast<uint32_t>(power) +
                                    (std::bit_cast<uint32_t>(shifted) << 23));
      },
      [](float x) { return std::exp2(x); }, [](float x) { return std::abs(x) < 126; }, a);
}

/// `factor * log2(x)`.
template <class A>
EIGEN_STRONG_INLINE auto scaled_log2_float(const A& a, double factor) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return with_exceptions([=](float x) { return float(factor * log2_series(x)); },
                         [=](float x) { return std::log2(x); },
                         [](float x) { return (x > 0) & (x < infinity); }, a);
}

/// Zero and infinity get logarithms that no exponent makes ordinary.
inline double log2_of_size(float x) {
  constexpr double none = 1e300;
  const float size = std::abs(x);
  const double ordinary = log2_series(size);
  return size == 0 ? -none : size == std::numeric_limits<float>::infinity() ? none : ordinary;
}
/// A negative base has a power where the exponent is a whole number, and that is negative where it is odd.
inline float power_of(float x, float y, double logarithm) {
  const float power = float(exp2_series(y * logarithm));
  const bool whole = std::rint(y) == y, odd = whole & (std::rint(y * 0.5f) != y * 0.5f);
  const float with_sign = odd ? std::copysign(power, x) : power;
  const bool has_none = (x < 0) & (x > -std::numeric_limits<float>::infinity()) & !whole;
  return has_none ? std::numeric_limits<float>::quiet_NaN() : with_sign;
}
/// Two loops: GCC would not vectorise all of it in one.
template <class A, class B>
EIGEN_STRONG_INLINE auto pow_float(const A& a, const B& b) {
  const Block<float> x = opaque(a), y = opaque(b);
  const auto logarithm = each([](float x) { return log2_of_size(x); }, x);
  return with_exceptions([](float x, float y, double logarithm) { return power_of(x, y, logarithm); },
                         [](float x, float y, double) { return std::pow(x, y); },
                         [](float x, float y, double) {
                           return (x == x) & (std::abs(y) < std::numeric_limits<float>::infinity());
                         },
                         x, y, logarithm);
}

template <class A>
EIGEN_STRONG_INLINE auto sinh_float(const A& a) {
  return each(
      [](float x) {
        const double size = std::abs(x), square = size * size, power = exp_series(size);
        const double near_zero = size * polynomial(square, 1, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880);
        return std::copysign(float(size < 0.3 ? near_zero : (power - 1 / power) * 0.5), x);
      },
      a);
}
template <class A>
EIGEN_STRONG_INLINE auto cosh_float(const A& a) {
  return each(
      [](float x) {
        const double power = exp_series(x);
        return float((power + 1 / power) * 0.5);
      },
      a);
}
template <class A>
EIGEN_STRONG_INLINE auto expm1_float(const A& a) {
  return each(
      [](float x) {
        const double near_zero = x * polynomial(x, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720);
        return float(std::abs(x) < 0.05f ? near_zero : exp_series(x) - 1);
      },
      a);
}

/// Near zero a logarithm of a number near 1 has lost the argument's digits: there it is a series of x.
inline constexpr float kNearZero = 1e-3f;

template <class A>
EIGEN_STRONG_INLINE auto asinh_float(const A& a) {
  return with_exceptions(
      [](float x) {
        const double size = std::abs(x), square = size * size;
        const double near_zero = size * polynomial(square, 1, -1.0 / 6, 3.0 / 40);
        const double far = kLn2 * log2_series(size + std::sqrt(square + 1));
        return std::copysign(float(size < kNearZero ? near_zero : far), x);
      },
      [](float x) { return std::asinh(x); },
      [](float x) { return std::abs(x) < std::numeric_limits<float>::infinity(); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto acosh_float(const A& a) {
  return with_exceptions(
      [](float x) {
        const double wide = x;
        return float(kLn2 * log2_series(wide + std::sqrt(wide * wide - 1)));
      },
      [](float x) { return std::acosh(x); },
      [](float x) { return (x >= 1) & (x < std::numeric_limits<float>::infinity()); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto atanh_float(const A& a) {
  return with_exceptions(
      [](float x) {
        const double wide = x;
        const double near_zero = wide * polynomial(wide * wide, 1, 1.0 / 3, 1.0 / 5);
        const double far = 0.5 * kLn2 * log2_series((1 + wide) / (1 - wide));
        return float(std::abs(x) < kNearZero ? near_zero : far);
      },
      [](float x) { return std::atanh(x); }, [](float x) { return std::abs(x) < 1; }, a);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto hypot_float(const A& a, const B& b) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return with_exceptions(
      [](float x, float y) { return float(std::sqrt(double(x) * double(x) + double(y) * double(y))); },
      [](float x, float y) { return std::hypot(x, y); },
      [](float x, float y) { return (std::abs(x) < infinity) & (std::abs(y) < infinity); }, opaque(a),
      opaque(b));
}

/// log(1 + x) of x in [0, 1], within 1e-10 of it: with s = x / (2 + x), the series of `log2_series`.
inline double log1p_of_unit(double x) {
  const double s = x / (2 + x);
  return s * polynomial(s * s, 1.9999999998028148, 0.6666667930732199, 0.39998690911183515,
                        0.28620721902542673, 0.2139325274381752, 0.2441306059157816);
}
/// log(exp(x) + exp(y)) of finite numbers.
inline float logaddexp_finite(float x, float y) {
  const double larger = x > y ? x : y;
  return float(larger + log1p_of_unit(exp_series(-std::abs(double(x) - double(y)))));
}

/// log gamma(x) of x > 0, within 1e-10: Stirling's series from 8 on, below by way of gamma(x) =
/// gamma(x + 8) / (x (x + 1) ... (x + 7)).
inline double rising_product(double x) {
  return x < 8 ? x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7) : 1;
}
inline double lgamma_series(double x, double log2_product) {
  const double z = x < 8 ? x + 8 : x, inverse = 1 / z;
  const double tail = inverse * polynomial(inverse * inverse, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680);
  const double half_log_two_pi = 0.91893853320467274178;
  return kLn2 * ((z - 0.5) * log2_series(z) - log2_product) - z + half_log_two_pi + tail;
}
/// Near its zeros, 1 and 2, the series has lost the result's digits. Two loops, as in `pow_float`.
template <class A>
EIGEN_STRONG_INLINE auto lgamma_float(const A& a) {
  const Block<float> x = opaque(a);
  const auto log2_product = each([](float x) { return log2_series(rising_product(x)); }, x);
  return with_exceptions([](float x, double log2_product) { return float(lgamma_series(x, log2_product)); },
                         [](float x, double) { return std::lgamma(x); },
                         [](float x, double) {
                           return (x > 0) & (x < 1e30f) & (std::abs(x - 1) > 1e-2f) &
                                  (std::abs(x - 2) > 1e-2f);
                         },
                         x, log2_product);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
