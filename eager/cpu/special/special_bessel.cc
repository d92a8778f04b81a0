// Bessel functions (Eigen's Chebyshev series after Cephes, and libm's) and orthogonal polynomials.
#include <math.h>  // j0 and its kin, which <cmath> does not have

#include <cmath>
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

#include "eager/cpu/special/special_math.h"

namespace framejit::eager::special {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;

/// Of functions that are infinite at zero and have no real values below.
template <class F>
double on_positive(double x, double at_zero, F f) {
  if (x == 0) return at_zero;
  return x > 0 ? f(x) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double i0(double x) { return Eigen::numext::bessel_i0(x); }
double i0e(double x) { return std::isinf(x) ? 0 : Eigen::numext::bessel_i0e(x); }
double i1(double x) { return Eigen::numext::bessel_i1(x); }
double i1e(double x) { return std::isinf(x) ? 0 : Eigen::numext::bessel_i1e(x); }
double j0(double x) { return ::j0(x); }
double j1(double x) { return ::j1(x); }
double y0(double x) { return on_positive(x, -kInfinity, ::y0); }
double y1(double x) { return on_positive(x, -kInfinity, ::y1); }
double k0(double x) { return on_positive(x, kInfinity, Eigen::numext::bessel_k0<double>); }
double k0e(double x) { return on_positive(x, kInfinity, Eigen::numext::bessel_k0e<double>); }
double k1(double x) { return on_positive(x, kInfinity, Eigen::numext::bessel_k1<double>); }
double k1e(double x) { return on_positive(x, kInfinity, Eigen::numext::bessel_k1e<double>); }

double spherical_j0(double x) {
  if (std::isinf(x)) return 0;
  const double square = x * x;
  return std::abs(x) < 0.5
             ? 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
             : std::sin(x) / x;
}

namespace {

/// Ai near zero: Ai(0) f(x) + Ai'(0) g(x), the two power series that solve y'' = x y.
double airy_series(double x) {
  const double cube = x * x * x;
  double f = 1, g = x, f_term = 1, g_term = x;
  for (int k = 3; k < 150; k += 3) {
    f_term *= cube / (k * (k - 1));
    g_term *= cube / (k * (k + 1));
    f += f_term;
    g += g_term;
  }
  return 0.35502805388781723926 * f - 0.25881940379280679840 * g;
}

/// K_{1/3}(z) as the integral of exp(-z cosh t) cosh(t / 3), by the trapezoid rule, which converges
/// exponentially.
double modified_bessel_third(double z) {
  constexpr double step = 1.0 / 16;
  double sum = 0.5 * std::exp(-z);
  for (double t = step; z * std::cosh(t) < 745; t += step)
    sum += std::exp(-z * std::cosh(t)) * std::cosh(t / 3);
  return sum * step;
}

/// Ai far below zero: the asymptotic expansion, up to its smallest term.
double airy_oscillating(double x) {
  const double zeta = 2.0 / 3 * x * std::sqrt(x);
  double even = 1, odd = 0, term = 1;
  for (int k = 1; k < 40; ++k) {
    const double factor = (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2.0 * k - 1)) / zeta;
    if (factor > 1 || std::abs(term) < 1e-18) break;
    term *= factor;
    (k % 2 == 0 ? even : odd) += k % 4 < 2 ? term : -term;
  }
  const double phase = zeta - kPi / 4;
  return (std::cos(phase) * even + std::sin(phase) * odd) / (std::sqrt(kPi) * std::pow(x, 0.25));
}

}  // namespace

double airy_ai(double x) {
  if (x != x || std::isinf(x)) return x != x ? x : 0;
  if (x > 1) return std::sqrt(x / 3) / kPi * modified_bessel_third(2.0 / 3 * x * std::sqrt(x));
  return x > -8 ? airy_series(x) : airy_oscillating(-x);
}

namespace {

/// Beyond this degree rounding has eaten every digit of a recurrence, and it would take forever.
constexpr double kHighestDegree = 1 << 20;

/// p_{k+1} = next(k, p_k, p_{k-1}) up to degree n (without its fraction), from p_0 = 1 and p_1.
template <class F>
double polynomial(double n, double first, F next) {
  n = std::trunc(n);
  if (n < 0) return 0;
  if (!(n <= kHighestDegree)) return std::numeric_limits<double>::quiet_NaN();
  if (n == 0) return 1;
  double before = 1, value = first;
  for (int64_t k = 1; k < int64_t(n); ++k) {
    const double after = next(double(k), value, before);
    before = value;
    value = after;
    if (value != value) break;
  }
  return value;
}
double chebyshev(double x, double n, double first) {
  return polynomial(n, first, [x](double, double p, double q) { return 2 * x * p - q; });
}

}  // namespace

double chebyshev_t(double x, double n) { return chebyshev(x, n, x); }
double chebyshev_u(double x, double n) { return chebyshev(x, n, 2 * x); }
double chebyshev_v(double x, double n) { return chebyshev(x, n, 2 * x - 1); }
double chebyshev_w(double x, double n) { return chebyshev(x, n, 2 * x + 1); }
double shifted_chebyshev_t(double x, double n) { return chebyshev_t(2 * x - 1, n); }
double shifted_chebyshev_u(double x, double n) { return chebyshev_u(2 * x - 1, n); }
double shifted_chebyshev_v(double x, double n) { return chebyshev_v(2 * x - 1, n); }
double shifted_chebyshev_w(double x, double n) { return chebyshev_w(2 * x - 1, n); }
double hermite_h(double x, double n) {
  return polynomial(n, 2 * x, [x](double k, double p, double q) { return 2 * x * p - 2 * k * q; });
}
double hermite_he(double x, double n) {
  return polynomial(n, x, [x](double k, double p, double q) { return x * p - k * q; });
}
double laguerre_l(double x, double n) {
  return polynomial(n, 1 - x,
                    [x](double k, double p, double q) { return ((2 * k + 1 - x) * p - k * q) / (k + 1); });
}
double legendre_p(double x, double n) {
  return polynomial(n, x,
                    [x](double k, double p, double q) { return ((2 * k + 1) * x * p - k * q) / (k + 1); });
}

}  // namespace framejit::eager::special
