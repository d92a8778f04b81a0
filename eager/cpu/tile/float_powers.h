// Powers and logarithms of float, and the hyperbolic functions made of them.
#pragma once

#include "eager/cpu/tile/wide.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

inline constexpr double kLn2 = 0.69314718055994530942, kLog2OfE = 1.4426950408889634074;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A positive finite double as m * 2^exponent with m in [1 / sqrt 2, sqrt 2).
template <class V>
struct Mantissa {
  V m, exponent;
};
template <class V>
FRAMEJIT_VECTOR_INLINE Mantissa<V> mantissa_of(V x) {
  constexpr int64_t mantissa_mask = (int64_t(1) << 52) - 1, one_bits = std::bit_cast<int64_t>(1.0);
  const V m = of_bits<V>((bits_of(x) & mantissa_mask) | one_bits);
  // The exponent as a double: placed in the low bits of 2^52, which is then taken off with the bias.
  const V e = of_bits<V>((bits_of(x) >> 52) | std::bit_cast<int64_t>(0x1p52)) - (0x1p52 + 1023);
  const auto upper = m > 1.4142135623730951;
  return {upper ? m * 0.5 : m, upper ? e + 1 : e};
}
/// exponent + log2(1 + above), within 5e-12 of it (near zero too), of a number in [1 / sqrt 2 - 1, sqrt 2 - 1).
/// With s = above / (2 + above), log(1 + above) is 2 (s + s^3 / 3 + ...); the polynomial in s^2 is the minimax
/// approximation.
template <class V>
FRAMEJIT_VECTOR_INLINE V log2_from(V above, V below, V exponent) {
  const V s = above / below;
  return multiply_add(s,
                      series(s * s, 2.885390081790107, 0.9617966733138946, 0.5770835906488823,
                             0.4116723587705176, 0.34073709602049945),
                      exponent);
}
template <class V>
FRAMEJIT_VECTOR_INLINE V log2_series(V x) {
  const Mantissa<V> mantissa = mantissa_of(x);
  return log2_from<V>(mantissa.m - 1, mantissa.m + 1, mantissa.exponent);
}

/// 2^t, limited to what float can tell from 0 and infinity, within 4e-11. Minimax polynomial of 2^f,
/// |f| <= 1/2.
FRAMEJIT_VECTOR_INLINE Doubles exp2_series(Doubles t) {
  const Doubles limited = at_most(at_least(t, -200), 200);
  const Doubles shifted = limited + kRoundingMagic, k = shifted - kRoundingMagic;
  const Doubles power =
      series(limited - k, 0.9999999999616894, 0.6931471807285444, 0.24022651198083936, 0.05550410353033188,
             0.009618027261176946, 0.0013333922920548465, 0.000154692893256054, 1.5201839305437478e-05);
  return of_bits<Doubles>(bits_of(power) + (bits_of(shifted) << 52));
}
FRAMEJIT_VECTOR_INLINE Doubles exp_series(Doubles x) { return exp2_series(x * kLog2OfE); }

/// In float, with an error below 1.2 ulp: of its few steps, those to double and back would be too many. With
/// k the nearest integer to x, 2^(x - k) is a polynomial, and k is added to its exponent.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> exp2_float(const A& a) {
  constexpr float magic = 0x1.8p23f;  // as kRoundingMagic
  return over_registers_where([](Floats x) FRAMEJIT_INLINED { return (size_of(x) < 126) | (x >= 128); },
                              [](Floats x) FRAMEJIT_INLINED {
                                const Floats shifted = x + magic, f = x - (shifted - magic);
                                const Floats power = series(f, 1, 0.6931472f, 0.24022648f, 0.055503324f,
                                                            0.009618437f, 0.0013398875f, 0.0001535336f);
                                const Floats scaled =
                                    of_bits<Floats>(bits_of(power) + (bits_of(shifted) << 23));
                                return x >= 128 ? spread<Floats>(kInfinity) : scaled;
                              },
                              [](float x) { return std::exp2(x); }, registers_of(a));
}

/// `value` where `x`, of which it is the logarithm, is above `zero`; -infinity there, NaN below.
FRAMEJIT_VECTOR_INLINE Doubles logarithm_above(double zero, Doubles x, Doubles value) {
  const double infinity = kInfinity, nan = std::numeric_limits<double>::quiet_NaN();
  return x > zero ? value : x == zero ? spread<Doubles>(-infinity) : spread<Doubles>(nan);
}
FRAMEJIT_VECTOR_INLINE Ints is_below_infinity(Floats x) { return x < kInfinity; }

/// `factor * log2(x)`.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> scaled_log2_float(const A& a, double factor) {
  return in_double_where(
      is_below_infinity,
      [=](Doubles x) FRAMEJIT_INLINED { return logarithm_above(0, x, factor * log2_series(x)); },
      [](float x) { return x; }, a);
}

/// Zero and infinity get logarithms that no exponent makes ordinary.
FRAMEJIT_VECTOR_INLINE Doubles log2_of_size(Doubles x) {
  constexpr double none = 1e300;
  const Doubles size = size_of(x), ordinary = log2_series(size);
  return size == 0 ? spread<Doubles>(-none) : size == double(kInfinity) ? spread<Doubles>(none) : ordinary;
}
/// A negative base has a power where the exponent is a whole number, and that is negative where it is odd.
FRAMEJIT_VECTOR_INLINE Doubles power_of(Doubles x, Doubles y) {
  const Doubles power = exp2_series(y * log2_of_size(x)), half = y * 0.5;
  const auto whole = rounded(y) == y, odd = whole & (rounded(half) != half);
  const Doubles signed_power = odd ? with_sign_of(power, x) : power;
  const auto has_none = (x < 0) & (x > -double(kInfinity)) & ~whole;
  return has_none ? spread<Doubles>(std::numeric_limits<double>::quiet_NaN()) : signed_power;
}
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<float> pow_float(const A& a, const B& b) {
  return in_double_where([](Floats x, Floats y)
                             FRAMEJIT_INLINED { return (x == x) & (size_of(y) < kInfinity); },
                         power_of, [](float x, float y) { return std::pow(x, y); }, a, b);
}

template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> sinh_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        const Doubles size = size_of(x), power = exp_series(size);
        const Doubles near_zero = size * series(size * size, 1, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880);
        return with_sign_of(size < 0.3 ? near_zero : (power - 1 / power) * 0.5, x);
      },
      a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> cosh_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        const Doubles power = exp_series(x);
        return (power + 1 / power) * 0.5;
      },
      a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> expm1_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        const Doubles near_zero = x * series(x, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720);
        return size_of(x) < 0.05 ? near_zero : exp_series(x) - 1;
      },
      a);
}

/// Where 1 + x needs no exponent, x itself has all digits. Infinity and NaN stay.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> log1p_float(const A& a) {
  return in_double_where(
      is_below_infinity,
      [](Doubles x) FRAMEJIT_INLINED {
        const Mantissa<Doubles> sum = mantissa_of(1 + x);
        const auto near_one = sum.exponent == 0;
        const Doubles exponent = near_one ? spread<Doubles>(-0.0) : sum.exponent;  // log1p(-0) is -0
        const Doubles above = near_one ? x : sum.m - 1, below = near_one ? x + 2 : sum.m + 1;
        return logarithm_above(-1, x, kLn2 * log2_from(above, below, exponent));
      },
      [](float x) { return x; }, a);
}

/// Near zero a logarithm of a number near 1 has lost the argument's digits: there it is a series of x.
inline constexpr double kNearZero = 1e-3;

template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> asinh_float(const A& a) {
  return in_double_where([](Floats x) FRAMEJIT_INLINED { return size_of(x) < kInfinity; },
                         [](Doubles x) FRAMEJIT_INLINED {
                           const Doubles size = size_of(x), square = size * size;
                           const Doubles near_zero = size * series(square, 1, -1.0 / 6, 3.0 / 40);
                           const Doubles far = kLn2 * log2_series(size + root(square + 1));
                           return with_sign_of(size < kNearZero ? near_zero : far, x);
                         },
                         [](float x) { return std::asinh(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> acosh_float(const A& a) {
  return in_double_where([](Floats x) FRAMEJIT_INLINED { return (x >= 1) & (x < kInfinity); },
                         [](Doubles x) FRAMEJIT_INLINED { return kLn2 * log2_series(x + root(x * x - 1)); },
                         [](float x) { return std::acosh(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> atanh_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        using Limits = std::numeric_limits<double>;
        const Doubles size = size_of(x), near_zero = x * series(x * x, 1, 1.0 / 3, 1.0 / 5);
        const Doubles far = 0.5 * kLn2 * log2_series((1 + x) / (1 - x));
        const Doubles inside = size < kNearZero ? near_zero : far;
        const Doubles outside = size == 1 ? with_sign_of(spread<Doubles>(Limits::infinity()), x)
                                          : spread<Doubles>(Limits::quiet_NaN());
        return size < 1 ? inside : outside;
      },
      a);
}

FRAMEJIT_VECTOR_INLINE Ints are_finite(Floats x, Floats y) {
  return (size_of(x) < kInfinity) & (size_of(y) < kInfinity);
}
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<float> hypot_float(const A& a, const B& b) {
  return in_double_where(
      are_finite, [](Doubles x, Doubles y) FRAMEJIT_INLINED { return root(multiply_add(x, x, y * y)); },
      [](float x, float y) { return std::hypot(x, y); }, a, b);
}

/// log(1 + x) of x in [0, 1], within 1e-10 of it: with s = x / (2 + x), the series of `log2_from`.
FRAMEJIT_VECTOR_INLINE Doubles log1p_of_unit(Doubles x) {
  const Doubles s = x / (2 + x);
  return s * series(s * s, 1.9999999998028148, 0.6666667930732199, 0.39998690911183515, 0.28620721902542673,
                    0.2139325274381752, 0.2441306059157816);
}
/// log(exp(x) + exp(y)) without overflow; equal infinities stay.
template <class T>
T logaddexp_element(T x, T y) {
  if (std::isinf(x) && x == y) return x;
  const T larger = x > y || x != x ? x : y;
  return larger + std::log1p(std::exp(-std::abs(x - y)));
}
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<float> logaddexp_float(const A& a, const B& b) {
  return in_double_where(
      are_finite,
      [](Doubles x, Doubles y)
          FRAMEJIT_INLINED { return (x > y ? x : y) + log1p_of_unit(exp_series(-size_of(x - y))); },
      logaddexp_element<float>, a, b);
}
/// log(1 + exp(x)) without overflow; NaN stays.
FRAMEJIT_VECTOR_INLINE Doubles softplus_series(Doubles x) {
  return (x > 0 ? x : spread<Doubles>(0)) + log1p_of_unit(exp_series(-size_of(x)));
}
/// log(1 + exp(beta * x)) / beta, x itself where beta * x is above the threshold.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> softplus_float(const A& a, double beta, double threshold) {
  const double factor = float(beta);
  return in_double(
      [=](Doubles x) FRAMEJIT_INLINED {
        const Doubles scaled = x * factor;
        return scaled > double(float(threshold)) ? x : softplus_series(scaled) / factor;
      },
      a);
}
/// log(sigmoid(x)).
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> logsigmoid_float(const A& a) {
  return over_registers(
      [](Floats x) FRAMEJIT_INLINED {
        return 0 - joined(softplus_series(-low(x)), softplus_series(-high(x)));  // of infinity 0, not -0
      },
      registers_of(a));
}

/// x * tanh(log(1 + e)) with e = exp(x) is x * n / (n + 2) with n = e * (e + 2). From 40 on it is x.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> mish_float(const A& a) {
  return in_double(
      [](Doubles x) FRAMEJIT_INLINED {
        const Doubles power = exp_series(at_most(x, 40)), e = x < -120 ? spread<Doubles>(0) : power;
        const Doubles n = e * (e + 2);
        return x * (n / (n + 2));
      },
      a);
}

/// log gamma(x) of x > 0, within 1e-10: Stirling's series from 8 on, below by way of gamma(x) =
/// gamma(x + 8) / (x (x + 1) ... (x + 7)).
FRAMEJIT_VECTOR_INLINE Doubles lgamma_series(Doubles x) {
  const auto small = x < 8;
  const Doubles product = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7);
  const Doubles log2_product = log2_series(small ? product : spread<Doubles>(1));
  const Doubles z = small ? x + 8 : x, inverse = 1 / z;
  const Doubles tail = inverse * series(inverse * inverse, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680);
  const double half_log_two_pi = 0.91893853320467274178;
  return kLn2 * ((z - 0.5) * log2_series(z) - log2_product) - z + half_log_two_pi + tail;
}
/// Near its zeros, 1 and 2, the series has lost the result's digits.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> lgamma_float(const A& a) {
  return in_double_where(
      [](Floats x) FRAMEJIT_INLINED {
        return (x > 0) & (x < 1e30f) & (size_of(x - 1) > 1e-2f) & (size_of(x - 2) > 1e-2f);
      },
      lgamma_series, [](float x) { return std::lgamma(x); }, a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
