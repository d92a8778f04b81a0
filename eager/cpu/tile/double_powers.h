// Powers and logarithms of double, and the functions made of them, within about 1 ulp: vector code as in wide.h, where
// what one double would lose is carried along in a second one. Arguments whose powers overflow or are subnormal are
// left to libm. The polynomials are near minimax.
#pragma once

#include "eager/cpu/tile/float_powers.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// The sum of two doubles, of which `low` is small.
struct Pair {
  Doubles high, low;
};
/// `a` is not smaller than `b`.
FRAMEJIT_VECTOR_INLINE Pair exact_sum(Doubles a, Doubles b) {
  const Doubles sum = a + b;
  return {sum, b - (sum - a)};
}

inline constexpr double kLn2High = 0x1.62e42fefp-1,
                        kLn2Low = 0x1.473de6af278edp-34;  ///< k * kLn2High is exact

/// exp(r.high + r.low) - 1 for |r| <= ln(2) / 2.
FRAMEJIT_VECTOR_INLINE Pair expm1_series(Pair r) {
  const Doubles tail =
      series(r.high, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325544,
             0.0013888888888883327, 0.00019841269876864356, 2.4801587327007187e-05, 2.755725283351691e-06,
             2.75572718102198e-07, 2.5106274733573296e-08, 2.0915442297780116e-09);
  return exact_sum(r.high, multiply_add(r.high * r.high, tail, r.low));
}
/// exp(x) = 2^k * (1 + rest), with `shifted` as in `exp2_series`.
struct PowerParts {
  Pair rest;
  Doubles shifted;
};
FRAMEJIT_VECTOR_INLINE PowerParts exp_parts(Doubles x) {
  const Doubles shifted = multiply_add(x, spread<Doubles>(kLog2OfE), spread<Doubles>(kRoundingMagic)),
                k = shifted - kRoundingMagic;
  const Doubles first = multiply_add(k, spread<Doubles>(-kLn2High), x);
  return {expm1_series(exact_sum(first, k * -kLn2Low)), shifted};
}
FRAMEJIT_VECTOR_INLINE Doubles two_to(Doubles shifted) {
  return of_bits<Doubles>((bits_of(shifted) + 1023) << 52);
}
/// x * 2^k, in the normal range.
FRAMEJIT_VECTOR_INLINE Doubles scaled(Doubles x, Doubles shifted) {
  return of_bits<Doubles>(bits_of(x) + (bits_of(shifted) << 52));
}
FRAMEJIT_VECTOR_INLINE Doubles exp_wide(Doubles x) {
  const PowerParts parts = exp_parts(x);
  return scaled(1 + parts.rest.high, parts.shifted);
}
/// Of numbers up to 40, also of those whose power is subnormal; 0 below.
FRAMEJIT_VECTOR_INLINE Doubles exp_to_zero(Doubles x) {
  const PowerParts parts = exp_parts(at_least(x, -746));
  return scaled(1 + parts.rest.high, parts.shifted + 600) * 0x1p-600;
}
FRAMEJIT_VECTOR_INLINE Longs has_normal_power(Doubles x) { return size_of(x) < 708; }

template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> exp2_double(const A& a) {
  return in_registers_where([](Doubles x) FRAMEJIT_INLINED { return size_of(x) < 1022; },
                            [](Doubles x) FRAMEJIT_INLINED {
                              const Doubles shifted = x + kRoundingMagic, f = x - (shifted - kRoundingMagic);
                              const Doubles ln2 = spread<Doubles>(0x1.62e42fefa39efp-1), high = f * ln2;
                              const Doubles low = product_rest(f, ln2, high) + f * 0x1.abc9e3b39803fp-56;
                              return scaled(1 + expm1_series({high, low}).high, shifted);
                            },
                            [](double x) { return std::exp2(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> expm1_double(const A& a) {
  return in_registers_where(
      has_normal_power,
      [](Doubles x) FRAMEJIT_INLINED {
        const PowerParts parts = exp_parts(x);
        const Doubles power = two_to(parts.shifted), whole = power - 1, rest = power * parts.rest.high;
        const Doubles sum = whole + rest;
        const Doubles result = sum + (((whole - sum) + rest) + power * parts.rest.low);
        return with_sign_of(size_of(result), x);  // of -0
      },
      [](double x) { return std::expm1(x); }, a);
}

/// exp(|x|) and what is missing to it, and its inverse.
struct PowerAndInverse {
  Doubles power, missing, inverse;
};
FRAMEJIT_VECTOR_INLINE PowerAndInverse power_and_inverse(Doubles x) {
  const PowerParts parts = exp_parts(size_of(x));
  const Pair sum = exact_sum(spread<Doubles>(1), parts.rest.high);
  const Doubles scale = two_to(parts.shifted), power = sum.high * scale;
  return {power, (sum.low + parts.rest.low) * scale, 1 / power};
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> cosh_double(const A& a) {
  return in_registers_where(
      has_normal_power,
      [](Doubles x) FRAMEJIT_INLINED {
        const PowerAndInverse e = power_and_inverse(x);
        return 0.5 * (e.power + (e.inverse + e.missing * (1 - e.inverse * e.inverse)));
      },
      [](double x) { return std::cosh(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> sinh_double(const A& a) {
  return in_registers_where(
      has_normal_power,
      [](Doubles x) FRAMEJIT_INLINED {
        const PowerAndInverse e = power_and_inverse(x);
        const Doubles z = x * x, size = size_of(x);
        const Doubles near_zero =
            multiply_add(size * z,
                         series(z, 0.16666666666666666, 0.008333333333333299, 0.00019841269841324198,
                                2.7557319191381816e-06, 2.5052117695907823e-08, 1.6057679623801635e-10,
                                7.746178593018927e-13),
                         size);
        const Doubles far = 0.5 * (e.power - (e.inverse - e.missing * (1 + e.inverse * e.inverse)));
        return with_sign_of(size < 1 ? near_zero : far, x);
      },
      [](double x) { return std::sinh(x); }, a);
}

/// log(1 + f) of f in [1 / sqrt 2 - 1, sqrt 2 - 1] is f - half + rest, where half = f^2 / 2.
struct LogParts {
  Doubles half, rest;
};
FRAMEJIT_VECTOR_INLINE LogParts log_parts(Doubles f) {
  const Doubles s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  const Doubles tail =
      z * series(z, 0.666666666666667, 0.3999999999989924, 0.2857142862609589, 0.22222211115144158,
                 0.18182890556695763, 0.15331674030163508, 0.1461703754883715);
  return {half, s * (half + tail)};
}
/// As two doubles.
FRAMEJIT_VECTOR_INLINE Pair log_pair(Doubles f) {
  const LogParts parts = log_parts(f);
  const Doubles high = f - parts.half, half_rest = product_rest(0.5 * f, f, parts.half);
  return {high, ((f - high) - parts.half) + (parts.rest - half_rest)};
}
/// x * (factor + factor_low) + (k + k_low).
FRAMEJIT_VECTOR_INLINE Doubles scaled_logarithm(Pair x, double factor, double factor_low, Doubles k,
                                                Doubles k_low) {
  const Doubles wide = spread<Doubles>(factor), product = x.high * wide;
  const Doubles rest = product_rest(x.high, wide, product) + (x.high * factor_low + x.low * factor);
  const Doubles sum = k + product;
  return sum + (((k - sum) + product) + (rest + k_low));
}
/// Also of negative ones, which have no logarithm.
FRAMEJIT_VECTOR_INLINE Longs is_normal_number(Doubles x) {
  return (size_of(x) >= std::numeric_limits<double>::min()) & (x < double(kInfinity));
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> log_double(const A& a) {
  return in_registers_where(
      is_normal_number,
      [](Doubles x) FRAMEJIT_INLINED {
        const Mantissa<Doubles> mantissa = mantissa_of(x);
        const Doubles f = mantissa.m - 1, k = mantissa.exponent;
        const LogParts parts = log_parts(f);
        const Doubles tail = parts.half - multiply_add(k, spread<Doubles>(kLn2Low), parts.rest);
        return logarithm_above(0, x, multiply_add(k, spread<Doubles>(kLn2High), f - tail));
      },
      [](double x) { return std::log(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> log2_double(const A& a) {
  return in_registers_where(
      is_normal_number,
      [](Doubles x) FRAMEJIT_INLINED {
        const Mantissa<Doubles> mantissa = mantissa_of(x);
        const Doubles value = scaled_logarithm(log_pair(mantissa.m - 1), 0x1.71547652b82fep+0,
                                               0x1.777d0ffda0d24p-56, mantissa.exponent, spread<Doubles>(0));
        return logarithm_above(0, x, value);
      },
      [](double x) { return std::log2(x); }, a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> log10_double(const A& a) {
  return in_registers_where(
      is_normal_number,
      [](Doubles x) FRAMEJIT_INLINED {
        const Mantissa<Doubles> mantissa = mantissa_of(x);
        const Doubles value = scaled_logarithm(
            log_pair(mantissa.m - 1), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
            mantissa.exponent * 0x1.3441350900000p-2, mantissa.exponent * 0x1.ef3fde623e256p-35);
        return logarithm_above(0, x, value);
      },
      [](double x) { return std::log10(x); }, a);
}
/// log(1 + x.high + x.low) of x > -1: what 1 + x loses of x is made good.
FRAMEJIT_VECTOR_INLINE Doubles log1p_wide(Pair x) {
  const Doubles sum = 1 + x.high, lost = x.high > 1 ? 1 - (sum - x.high) : x.high - (sum - 1);
  const Mantissa<Doubles> mantissa = mantissa_of(sum);
  const auto near_one = mantissa.exponent == 0;
  const Doubles f = near_one ? x.high : mantissa.m - 1, low = ((near_one ? Doubles{} : lost) + x.low) / sum;
  const LogParts parts = log_parts(f);
  const Doubles k = mantissa.exponent;
  const Doubles tail = parts.half - (parts.rest + multiply_add(k, spread<Doubles>(kLn2Low), low));
  return multiply_add(k, spread<Doubles>(kLn2High), f - tail);
}
FRAMEJIT_VECTOR_INLINE Doubles log1p_wide(Doubles x) { return log1p_wide(Pair{x, Doubles{}}); }
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> log1p_double(const A& a) {
  return in_registers_where([](Doubles x)
                                FRAMEJIT_INLINED { return (size_of(x) >= 1e-300) & (x < double(kInfinity)); },
                            [](Doubles x) FRAMEJIT_INLINED { return logarithm_above(-1, x, log1p_wide(x)); },
                            [](double x) { return std::log1p(x); }, a);
}

/// log(1 + exp(-|x|)).
FRAMEJIT_VECTOR_INLINE Doubles log1p_of_power(Doubles x) { return log1p_wide(exp_to_zero(-size_of(x))); }
FRAMEJIT_VECTOR_INLINE Doubles softplus_wide(Doubles x) {
  return (x < 0 ? spread<Doubles>(0) : x) + log1p_of_power(x);  // NaN stays
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> softplus_double(const A& a, double beta, double threshold) {
  return in_registers(
      [=](Doubles x) FRAMEJIT_INLINED {
        const Doubles scaled = x * beta;
        return scaled > threshold ? x : softplus_wide(scaled) / beta;
      },
      a);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> logsigmoid_double(const A& a) {
  return in_registers([](Doubles x) FRAMEJIT_INLINED { return 0 - softplus_wide(-x); }, a);
}
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<double> logaddexp_double(const A& a, const B& b) {
  return in_registers_where(
      [](Doubles x, Doubles y) FRAMEJIT_INLINED { return size_of(x) + size_of(y) < double(kInfinity); },
      [](Doubles x, Doubles y) FRAMEJIT_INLINED { return (x > y ? x : y) + log1p_of_power(x - y); },
      logaddexp_element<double>, a, b);
}
/// As `mish_float`.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> mish_double(const A& a) {
  return in_registers(
      [](Doubles x) FRAMEJIT_INLINED {
        const Doubles e = exp_to_zero(at_most(x, 40)), n = e * (e + 2);
        return x * (n / (n + 2));
      },
      a);
}

/// Of numbers whose squares are ordinary.
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<double> hypot_double(const A& a, const B& b) {
  return in_registers_where(
      [](Doubles x, Doubles y) FRAMEJIT_INLINED {
        const Doubles size = size_of(x) + size_of(y);
        return (size < 0x1p500) & (size > 0x1p-450);
      },
      [](Doubles x, Doubles y) FRAMEJIT_INLINED {
        const auto swapped = size_of(x) < size_of(y);
        const Doubles larger = swapped ? y : x, smaller = swapped ? x : y;
        const Doubles square = larger * larger;
        const Pair sum =
            exact_sum(square, multiply_add(smaller, smaller, product_rest(larger, larger, square)));
        const Doubles estimate = root(sum.high), back = estimate * estimate;
        const Doubles missing = (sum.high - back) - product_rest(estimate, estimate, back) + sum.low;
        return multiply_add(missing, 0.5 / estimate, estimate);
      },
      [](double x, double y) { return std::hypot(x, y); }, a, b);
}

/// With q = 2 |x| / (1 - |x|) and what it loses, log(1 + q) / 2.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> atanh_double(const A& a) {
  return in_registers_where(
      [](Doubles x) FRAMEJIT_INLINED { return (size_of(x) < 1) & (size_of(x) > 1e-290); },
      [](Doubles x) FRAMEJIT_INLINED {
        const Doubles size = size_of(x), twice = 2 * size, left = 1 - size, left_low = (1 - left) - size;
        const Doubles inverse = 1 / left, q = twice * inverse, back = q * left;
        const Doubles lost = (((twice - back) - product_rest(q, left, back)) - q * left_low) * inverse;
        return with_sign_of(0.5 * log1p_wide(exact_sum(q, lost)), x);
      },
      [](double x) { return std::atanh(x); }, a);
}

/// Up to 1 a polynomial; beyond, 1 - exp(-x^2) times one in (x - 2.5) / (x + 2.5); from 6 on it is 1.
/// erf of x >= 0 where that is below 1, and what is missing to 1 beyond.
struct ErrorParts {
  Doubles near_zero, missing;
};
FRAMEJIT_VECTOR_INLINE ErrorParts error_parts(Doubles x) {
  const Doubles size = at_most(x, 6), z = size * size;
  const Doubles near_zero =
      series(z, -0.37612638903183754, 0.11283791670955111, -0.026866170645123838, 0.005223977625303518,
             -0.0008548327010033328, 0.00012055332214716276, -1.492562250448984e-05, 1.6461446656928557e-06,
             -1.6355118610877652e-07, 1.469248485913288e-08, -1.150035715978376e-09, 6.174097221302586e-11);
  const Doubles below = size * multiply_add(z, near_zero, spread<Doubles>(0x1.1ae3a914fed80p-56));
  const Doubles u = (size - 2.5) / (size + 2.5);
  const Doubles tail =
      series(u, 0.21080636406114356, -0.37173673394897316, 0.2517131932174571, -0.12503305237886875,
             0.039922539074674544, -0.0039937011633297695, -0.0026423659237437705, 0.0008759153799111642,
             0.00022837948919957984, -0.00012887619563316656, -3.417161066059457e-05, 1.8607540721708653e-05,
             7.482093213404787e-06, -2.2763246857282093e-06, -1.5578845879682758e-06, 7.002229594691895e-08);
  return {multiply_add(size, spread<Doubles>(0x1.20dd750429b6dp+0), below), tail * exp_wide(-z)};
}
FRAMEJIT_VECTOR_INLINE Doubles erf_wide(Doubles x) {
  const ErrorParts parts = error_parts(size_of(x));
  return with_sign_of(size_of(x) < 1 ? parts.near_zero : 1 - parts.missing, x);
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> erf_double(const A& a) {
  return in_registers(erf_wide, a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
