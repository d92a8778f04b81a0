// Tile expressions of special functions: `tile::scalar<special::i0>(a)` applies a function of
// eager/cpu/special/special_math.h to every element.
#pragma once

#include "eager/cpu/special/special_math.h"
#include "eager/cpu/tile/bessel_functions.h"
#include "eager/cpu/tile/double_errors.h"
#include "eager/cpu/tile/float_errors.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

template <double (*kFunction)(double), class A>
auto scalar(const A& a) {
  using T = typename A::Scalar;
  return each([](T x) { return T(kFunction(double(x))); }, a);
}
template <double (*kFunction)(double, double), class A, class B>
auto scalar(const A& a, const B& b) {
  using T = typename A::Scalar;
  return each([](T x, T y) { return T(kFunction(double(x), double(y))); }, a, b);
}
/// The second argument is one number for all elements.
template <double (*kFunction)(double, double), class A>
auto scalar(const A& a, double b) {
  using T = typename A::Scalar;
  return each([b](T x) { return T(kFunction(double(x), b)); }, a);
}

/// The sum of (x + k)^-2 from k = 0, for x > 0: its first terms two by two, then Euler's and Maclaurin's series.
FRAMEJIT_VECTOR_INLINE Doubles trigamma_wide(Doubles x) {
  const auto small = x < 10;
  Doubles sum = {}, z = x;
  if (any(std::bit_cast<Ints>(small))) {
    for (int k = 0; k < 10; k += 2) {
      const Doubles one = x + k, two = x + (k + 1), product = 1 / (one * two);
      sum += (one * one + two * two) * product * product;
    }
    sum = small ? sum : Doubles{};
    z = small ? x + 10 : x;
  }
  const Doubles inverse = 1 / z, square = inverse * inverse;
  const Doubles rest = series(square, 1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730,
                              7.0 / 6, -3617.0 / 510);
  return sum + (inverse + square * (0.5 + inverse * rest));
}
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> polygamma(const A& a, double order) {
  using T = typename A::Scalar;
  const auto exact = [order](T x) { return T(special::polygamma(double(x), order)); };
  if (order != 1) return each(exact, a);
  if constexpr (std::is_same_v<T, float>)
    return in_double_where([](Floats x) FRAMEJIT_INLINED { return x > 0; }, trigamma_wide, exact, a);
  else
    return in_registers_where([](Doubles x) FRAMEJIT_INLINED { return x > 1e-150; }, trigamma_wide, exact, a);
}

/// One step of Newton's method from what is exact enough for float; beyond 1 on what is missing to 1.
template <class A>
EIGEN_STRONG_INLINE auto erfinv_double(const A& a) {
  return in_registers_where([](Doubles y) FRAMEJIT_INLINED { return size_of(y) < 1 - 1e-7; },
                            [](Doubles y) FRAMEJIT_INLINED {
                              constexpr double half_root_of_pi = 0.88622692545275801365;
                              const Doubles size = size_of(y), x = erfinv_series(size);
                              const ErrorParts parts = error_parts(x);
                              const Doubles above =
                                  x < 1 ? parts.near_zero - size : (1 - size) - parts.missing;
                              return with_sign_of(x - above * half_root_of_pi / exp_wide(-x * x), y);
                            },
                            [](double y) { return special::erfinv(y); }, a);
}
template <class A>
EIGEN_STRONG_INLINE auto erfinv(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return erfinv_float(a, [](float x) { return float(special::erfinv(x)); });
  else
    return erfinv_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto ndtr(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return ndtr_float(a);
  else
    return ndtr_double(a);
}
template <class A>
EIGEN_STRONG_INLINE auto entr(const A& a) {
  using T = typename A::Scalar;
  const Block<T> logarithm = tile::log(a);
  return each(
      [](T x, T logarithm) {
        const T below = x == 0 ? T(0) : -std::numeric_limits<T>::infinity(), value = -x * logarithm;
        return (x > 0) | (x != x) ? value : below;
      },
      a, logarithm);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
