// Tile expressions of special functions: `tile::scalar<special::i0>(a)` applies a function of
// eager/cpu/special/special_math.h to every element.
#pragma once

#include "eager/cpu/special/special_math.h"
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

template <class A>
EIGEN_STRONG_INLINE auto erfinv(const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, float>)
    return erfinv_float(a, [](float x) { return float(special::erfinv(x)); });
  else
    return scalar<special::erfinv>(a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
