// What vector code of our own is made of: polynomials, and a way out for arguments that they do not cover.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "eager/cpu/tile/block.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Adding it to a double below 2^51 leaves the nearest integer in the low bits of the sum.
inline constexpr double kRoundingMagic = 0x1.8p52;

/// c0 + x * (c1 + x * (c2 + ...)).
inline double polynomial(double, double c0) { return c0; }
template <class... More>
inline double polynomial(double x, double c0, More... more) {
  return c0 + x * polynomial(x, more...);
}

/// `fast` everywhere, then `exact` where `ordinary` does not hold.
template <class Fast, class Exact, class Ordinary, class A, class... More>
EIGEN_STRONG_INLINE auto with_exceptions(Fast fast, Exact exact, Ordinary ordinary, const A& a,
                                         const More&... more) {
  constexpr int size = A::SizeAtCompileTime;
  auto result = each(fast, a, more...);
  int exceptions = 0;
  for (int i = 0; i < size; ++i) exceptions += !ordinary(a.coeff(i), more.coeff(i)...);
  if (__builtin_expect(exceptions != 0, 0))
    for (int i = 0; i < size; ++i)
      if (!ordinary(a.coeff(i), more.coeff(i)...)) result.coeffRef(i) = exact(a.coeff(i), more.coeff(i)...);
  return result;
}

/// Whether an operand is one number for the whole tile (`x ** 2`).
template <class T>
inline constexpr bool is_constant_block = false;
template <class T, class Plain>
inline constexpr bool
    is_constant_block<Eigen::CwiseNullaryOp<Eigen::internal::scalar_constant_op<T>, Plain>> = true;

/// The elements of an operand in memory of their own, of which GCC knows nothing. Of one number it would move
/// parts of a long computation out of the loop, and reading of memory into a branch; then it does not
/// vectorise what is left.
template <class A>
EIGEN_STRONG_INLINE Block<typename A::Scalar> opaque(const A& a) {
  Block<typename A::Scalar> elements = a;
  asm("" : "+m"(elements));
  return elements;
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
