// fmod of float without libm's loop, and what rests on it.
#pragma once

#include "eager/cpu/tile/series.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Where `fmod_in_range` is right: the quotient has at most 28 bits.
inline bool fmod_is_in_range(float x, float y) {
  return (std::abs(double(x)) < 0x1p28 * std::abs(double(y))) &
         (std::abs(y) < std::numeric_limits<float>::infinity());
}
/// Exact: the product of the quotient and a float is a double, as is what it leaves of x. Where the quotient
/// was rounded up to a whole number, the rest has the wrong sign.
inline float fmod_in_range(float x, float y) {
  const double size = std::abs(double(x)), divisor = std::abs(double(y));
  const double rest = size - std::trunc(size / divisor) * divisor;
  return std::copysign(float(rest < 0 ? rest + divisor : rest), x);
}

/// `from_rest(x, y, rest)` where `rest` is the element of fmod.
template <class FromRest, class A, class B>
EIGEN_STRONG_INLINE auto with_rest(FromRest from_rest, const A& a, const B& b) {
  using T = typename A::Scalar;
  const auto exact = [=](T x, T y) { return from_rest(x, y, std::fmod(x, y)); };
  if constexpr (std::is_same_v<T, float>)
    return with_exceptions([=](float x, float y) { return from_rest(x, y, fmod_in_range(x, y)); }, exact,
                           [](float x, float y) { return fmod_is_in_range(x, y); }, opaque(a), opaque(b));
  else
    return each(exact, a, b);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
