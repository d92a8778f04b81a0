// Complex functions of tile expressions. They compute in complex128, for complex64 too (see `wider_type`),
// but for those of rows with `narrow`. Products are plain: no infinities are recovered from NaN, as C's own
// operators do.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

#include "eager/cpu/tile/block.h"
#include "eager/cpu/tile/elementary.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

using Complex = std::complex<double>;

inline Complex multiply(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
/// Smith's division: scaled by the larger part of the divisor, so that no square overflows.
inline Complex divide(Complex x, Complex y) {
  const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  if (std::abs(c) >= std::abs(d)) {
    if (c == 0) return {a / std::abs(c), b / std::abs(d)};
    const double ratio = d / c, scale = 1 / (c + d * ratio);
    return {(a + b * ratio) * scale, (b - a * ratio) * scale};
  }
  const double ratio = c / d, scale = 1 / (c * ratio + d);
  return {(a * ratio + b) * scale, (b * ratio - a) * scale};
}

/// The real and imaginary parts of a block, one after the other.
template <class T>
using Parts = Eigen::Array<RealOf<T>, 2 * kBlock<T>, 1>;
template <class T>
EIGEN_STRONG_INLINE Eigen::Map<const Parts<T>> parts_of(const BlockMap<T>& block) {
  return Eigen::Map<const Parts<T>>(reinterpret_cast<const RealOf<T>*>(block.data()));
}
template <class A>
EIGEN_STRONG_INLINE Parts<typename A::Scalar> parts_of(const A& a) {
  const Block<typename A::Scalar> block = a;
  return parts_of<typename A::Scalar>(BlockMap<typename A::Scalar>(block.data()));
}

/// a + factor * b, with a real factor, which leaves infinite parts apart.
template <class A, class B>
EIGEN_STRONG_INLINE Block<typename A::Scalar> complex_axpy(const A& a, const B& b, double factor) {
  using T = typename A::Scalar;
  Block<T> sum;
  Eigen::Map<Parts<T>>(reinterpret_cast<RealOf<T>*>(sum.data())) =
      parts_of(a) + RealOf<T>(factor) * parts_of(b);
  return sum;
}
template <class A, class B>
EIGEN_STRONG_INLINE Block<typename A::Scalar> complex_mul(const A& a, const B& b) {
  return a * b;
}
template <class A, class B>
EIGEN_STRONG_INLINE auto complex_div(const A& a, const B& b) {
  return each(divide, a, b);
}
/// Of complex64 in float64, where no square of an ordinary number overflows.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> complex_reciprocal(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, Complex>) {
    return each([](Complex x) { return divide(1, x); }, a);
  } else {
    const Block<double> re = each([](T x) { return double(x.real()); }, a),
                        im = each([](T x) { return double(x.imag()); }, a);
    const Block<double> square = re * re + im * im;
    if (!((square > 0) && (square < std::numeric_limits<double>::infinity())).all())
      return each([](T x) { return T(divide(1, Complex(x))); }, a);
    return each([](double x, double y) { return T(float(x), float(y)); }, Block<double>(re / square),
                Block<double>(-im / square));
  }
}
template <class A>
EIGEN_STRONG_INLINE auto complex_abs(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, Complex>)
    return each([](T x) { return std::hypot(x.real(), x.imag()); }, a);
  else
    return hypot_float(each([](T x) { return x.real(); }, a), each([](T x) { return x.imag(); }, a));
}
template <class A>
EIGEN_STRONG_INLINE auto complex_sgn(const A& a) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, Complex>)
    return each(
        [](Complex x) {
          const double length = std::hypot(x.real(), x.imag());
          return length == 0 ? Complex(0) : Complex(x.real() / length, x.imag() / length);
        },
        a);
  else  // a double has room for the squares of floats
    return each(
        [](T x) {
          const double real = x.real(), imag = x.imag(), square = real * real + imag * imag;
          const double scale = square == 0 ? 0 : 1 / std::sqrt(square);
          return T(float(real * scale), float(imag * scale));
        },
        a);
}

#define FRAMEJIT_TILE_COMPLEX(name, expression)           \
  template <class A>                                      \
  EIGEN_STRONG_INLINE auto complex_##name(const A& a) {   \
    return each([](Complex x) { return expression; }, a); \
  }
FRAMEJIT_TILE_COMPLEX(sqrt, std::sqrt(x))
FRAMEJIT_TILE_COMPLEX(rsqrt, divide(1, std::sqrt(x)))
FRAMEJIT_TILE_COMPLEX(exp, std::exp(x))
FRAMEJIT_TILE_COMPLEX(exp2, std::exp(x* M_LN2))
FRAMEJIT_TILE_COMPLEX(log, std::log(x))
FRAMEJIT_TILE_COMPLEX(log2, std::log(x) * M_LOG2E)
FRAMEJIT_TILE_COMPLEX(log10, std::log(x) * M_LOG10E)
FRAMEJIT_TILE_COMPLEX(sin, std::sin(x))
FRAMEJIT_TILE_COMPLEX(cos, std::cos(x))
FRAMEJIT_TILE_COMPLEX(tan, std::tan(x))
FRAMEJIT_TILE_COMPLEX(sinh, std::sinh(x))
FRAMEJIT_TILE_COMPLEX(cosh, std::cosh(x))
FRAMEJIT_TILE_COMPLEX(tanh, std::tanh(x))
FRAMEJIT_TILE_COMPLEX(asin, std::asin(x))
FRAMEJIT_TILE_COMPLEX(acos, std::acos(x))
FRAMEJIT_TILE_COMPLEX(atan, std::atan(x))
FRAMEJIT_TILE_COMPLEX(asinh, std::asinh(x))
FRAMEJIT_TILE_COMPLEX(acosh, std::acosh(x))
FRAMEJIT_TILE_COMPLEX(atanh, std::atanh(x))
FRAMEJIT_TILE_COMPLEX(sigmoid, divide(1, 1.0 + std::exp(-x)))
FRAMEJIT_TILE_COMPLEX(isinf, std::isinf(x.real()) || std::isinf(x.imag()))
FRAMEJIT_TILE_COMPLEX(isfinite, std::isfinite(x.real()) && std::isfinite(x.imag()))
#undef FRAMEJIT_TILE_COMPLEX

/// exp(x) - 1 and log(1 + x), exact near zero.
template <class A>
EIGEN_STRONG_INLINE auto complex_expm1(const A& a) {
  return each(
      [](Complex x) {
        const double half_sine = std::sin(x.imag() / 2);
        return Complex(std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
                       std::exp(x.real()) * std::sin(x.imag()));
      },
      a);
}
template <class A>
EIGEN_STRONG_INLINE auto complex_log1p(const A& a) {
  return each(
      [](Complex x) {
        if (std::abs(x.real()) > 0.5 || std::abs(x.imag()) > 0.5) return std::log(1.0 + x);
        const double square = x.real() * (2 + x.real()) + x.imag() * x.imag();
        return Complex(std::log1p(square) / 2, std::atan2(x.imag(), 1 + x.real()));
      },
      a);
}

template <class A, class B>
EIGEN_STRONG_INLINE auto complex_logaddexp(const A& a, const B& b) {
  return each(
      [](Complex x, Complex y) {
        if (x != x || y != y) return x + y;
        const Complex larger = x.real() < y.real() ? y : x, smaller = x.real() < y.real() ? x : y;
        if (std::isfinite(larger.real()) || larger.real() != smaller.real())
          return larger + std::log(1.0 + std::exp(smaller - larger));
        return larger.real() < 0 ? larger : std::log(std::exp(smaller) + std::exp(larger));
      },
      a, b);
}

/// Small whole exponents by multiplication, as in PyTorch; 0 to the power of 0 is 1.
inline Complex power(Complex x, Complex y) {
  if (y == 0.0) return 1;
  if (y == 1.0) return x;
  if (y == 2.0) return multiply(x, x);
  if (y == 3.0) return multiply(multiply(x, x), x);
  if (y == 0.5) return std::sqrt(x);
  if (y == -1.0) return divide(1, x);
  if (x == 0.0 && y.real() > 0) return 0;
  return std::exp(multiply(y, std::log(x)));
}
template <class A, class B>
EIGEN_STRONG_INLINE auto complex_pow(const A& a, const B& b) {
  return each(power, a, b);
}

/// As `lerp`, by way of |weight|^2, which has no root.
template <class A, class E, class W>
EIGEN_STRONG_INLINE auto complex_lerp(const A& start, const E& end, const W& weight) {
  using T = typename A::Scalar;
  using R = RealOf<T>;
  return each(
      [](T s, T e, T w) {
        const R x = e.real() - s.real(), y = e.imag() - s.imag(), u = w.real(), v = w.imag();
        const bool near_start = u * u + v * v < R(0.25);
        const R p = near_start ? u : u - 1;  // from which end, and how far
        const R from_re = near_start ? s.real() : e.real(), from_im = near_start ? s.imag() : e.imag();
        return T(from_re + (p * x - v * y), from_im + (p * y + v * x));
      },
      start, end, weight);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
