// fmod without libm's loop, and what rests on it.
#pragma once

#include "eager/cpu/tile/wide.h"

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

/// As in `fmod_in_range`, with a fused multiplication and addition in place of a wider type.
template <class A, class B>
FRAMEJIT_VECTOR_INLINE Block<double> fmod_double(const A& a, const B& b) {
#if defined(__FMA__)
  return in_registers_where(
      [](Doubles x, Doubles y) FRAMEJIT_INLINED {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return (size_of(x) < 0x1p51 * size_of(y)) & (size_of(y) < infinity) & (size_of(y) > 0x1p-900);
      },
      [](Doubles x, Doubles y) FRAMEJIT_INLINED {
        const Doubles size = size_of(x), divisor = size_of(y);
        const Doubles rest = multiply_add(-truncated(size / divisor), divisor, size);
        return with_sign_of(rest < 0 ? rest + divisor : rest, x);
      },
      [](double x, double y) { return std::fmod(x, y); }, a, b);
#else
  return each([](double x, double y) { return std::fmod(x, y); }, a, b);
#endif
}

/// `from_rest(x, y, rest)` where `rest` is the element of fmod.
template <class FromRest, class A, class B>
EIGEN_STRONG_INLINE auto with_rest(FromRest from_rest, const A& a, const B& b) {
  using T = typename A::Scalar;
  if constexpr (std::is_same_v<T, float>) {
    const auto exact = [=](T x, T y) { return from_rest(x, y, std::fmod(x, y)); };
    return with_exceptions([=](float x, float y) { return from_rest(x, y, fmod_in_range(x, y)); }, exact,
                           [](float x, float y) { return fmod_is_in_range(x, y); }, opaque(a), opaque(b));
  } else {
    return each(from_rest, opaque(a), opaque(b), fmod_double(a, b));
  }
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
