// The normal distribution of double, by a complementary error function within 3 ulp (that of libm, within 2, serves erfc itself).
#pragma once

#include "eager/cpu/special/special_math.h"
#include "eager/cpu/tile/double_powers.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Of x up to 6. What squaring loses is put back: it counts 36 times in the power. From 3/8 on to 1, where the
/// difference to 1 would have lost digits, it is a polynomial times exp(-x^2).
FRAMEJIT_VECTOR_INLINE Doubles erfc_wide(Doubles x) {
  const Doubles size = at_most(size_of(x), 6), square = size * size;
  const Doubles lost = product_rest(size, size, square);
  const ErrorParts parts = error_parts(size);
  const Doubles middle =
      exp_wide(-square) * series((size - 0.6875) * 3.2, 0.5308708724175545, -0.12450991172542974,
                                 0.02509268228726011, -0.004512110071187091, 0.0007405293033568662,
                                 -0.00011261506266744693, 1.604089018786512e-05, -2.15750839067389e-06,
                                 2.75743257907895e-07, -3.3656360714486826e-08, 3.936855036586014e-09,
                                 -4.43452356565245e-10, 5.007754208914806e-11, -5.254894351289604e-12);
  const Doubles tail = size < 1 ? middle : parts.missing, exact = tail - tail * lost;
  const Doubles near_zero = 1 - with_sign_of(parts.near_zero, x), beyond = x < 0 ? 2 - exact : exact;
  return size < 0.375 ? near_zero : beyond;
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<double> ndtr_double(const A& a) {
  constexpr double scale = -0.70710678118654752440;
  return in_registers_where([](Doubles x) FRAMEJIT_INLINED { return x > -8; },
                            [](Doubles x) FRAMEJIT_INLINED { return 0.5 * erfc_wide(x * scale); },
                            [](double x) { return special::ndtr(x); }, a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
