// Special functions around the gamma function and the normal distribution. The series are Eigen's (after
// Cephes).
#include <cmath>
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

#include "eager/cpu/special/special_math.h"

namespace framejit::eager::special {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSqrtPi = 1.7724538509055160273, kSqrtHalf = 0.70710678118654752440;
constexpr double kLargeOrder = 1e5;  // above it the series of the incomplete gamma functions ends too early

/// gammaincc(a, x), or gammainc, of a large a: the first terms of Temme's uniform expansion (1979).
double gammainc_of_large(double a, double x, bool upper) {
  const double mu = x / a - 1;
  const double half = std::abs(mu) < 1e-3 ? mu * mu * (1.0 / 2 - mu * (1.0 / 3 - mu * (1.0 / 4 - mu / 5)))
                                          : mu - std::log1p(mu);  // eta^2 / 2
  const double eta = std::copysign(std::sqrt(2 * half), mu);
  const double first = std::abs(eta) < 1e-3 ? -1.0 / 3 + eta / 12 : 1 / mu - 1 / eta;
  const double rest = std::exp(-a * half) / std::sqrt(2 * 3.14159265358979323846 * a) * first;
  const double part = std::erfc((upper ? eta : -eta) * std::sqrt(a / 2)) / 2;
  return upper ? part + rest : part - rest;
}

}  // namespace

double zeta(double x, double q) {
  if (x == 1) return kInfinity;
  if (x < 1 || x != x || q != q) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (x != std::floor(x)) return kNaN;  // a power of a negative number
  }
  return Eigen::numext::zeta(x, q);
}

double polygamma(double x, double order) {
  if (order == 0) return x == 0 ? -std::copysign(kInfinity, x) : Eigen::numext::digamma(x);
  const double sign = std::fmod(order, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(order + 1) * zeta(order + 1, x);
}

double gammainc(double a, double x) {
  if (x < 0 || a < 0 || x != x || a != a) return kNaN;
  if (a == 0) return x > 0 ? 1 : kNaN;
  if (x == 0) return 0;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 0;
  if (std::isinf(x)) return 1;
  return a > kLargeOrder ? gammainc_of_large(a, x, false) : Eigen::numext::igamma(a, x);
}
double gammaincc(double a, double x) {
  if (x < 0 || a < 0 || x != x || a != a) return kNaN;
  if (a == 0) return x > 0 ? 0 : kNaN;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 1;
  if (std::isinf(x)) return 0;
  return a > kLargeOrder ? gammainc_of_large(a, x, true) : Eigen::numext::igammac(a, x);
}

double ndtr(double x) { return 0.5 * std::erfc(-x * kSqrtHalf); }
double ndtri(double p) {
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  return p > 0 && p < 1 ? Eigen::numext::ndtri(p) : kNaN;
}

/// Two steps of Newton's method from the inverse of the normal distribution, on what is missing to 1 where that has more
/// digits.
double erfinv(double y) {
  if (!(std::abs(y) < 1)) return std::abs(y) == 1 ? std::copysign(kInfinity, y) : kNaN;
  const double size = std::abs(y);
  double x = -ndtri(0.5 * (1 - size)) * kSqrtHalf;
  for (int step = 0; step < 2; ++step) {
    const double above = size > 0.5 ? (1 - size) - std::erfc(x) : std::erf(x) - size;
    x -= above * (0.5 * kSqrtPi) * std::exp(x * x);
  }
  return std::copysign(x, y);
}

/// exp(x * x), with the rounding error of the square made good.
static double exp_of_square(double x) {
  const double square = x * x, error = std::fma(x, x, -square);
  return std::exp(square) * (1 + error);
}

double erfcx(double x) {
  if (x < 0) return x < -27 ? kInfinity : 2 * exp_of_square(x) - erfcx(-x);
  if (x < 12) return exp_of_square(x) * std::erfc(x);
  if (x > 1e8) return 1 / (kSqrtPi * x);
  double fraction = x;  // the continued fraction of Laplace, from its far end
  for (int k = 24; k > 0; --k) fraction = x + 0.5 * k / fraction;
  return 1 / (kSqrtPi * fraction);
}

double log_ndtr(double x) {
  const double t = x * kSqrtHalf;
  return x < -1 ? std::log(0.5 * erfcx(-t)) - t * t : std::log1p(-0.5 * std::erfc(t));
}

double entr(double x) {
  if (x != x) return x;
  if (x > 0) return -x * std::log(x);
  return x == 0 ? 0 : -kInfinity;
}

double xlog1py(double x, double y) {
  if (y != y) return y;
  return x == 0 ? 0 : x * std::log1p(y);
}

}  // namespace framejit::eager::special
