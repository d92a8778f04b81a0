// The complementary error function of float, and the inverse of the error function.
#pragma once

#include "eager/cpu/tile/float_powers.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// exp(-x^2) times a polynomial in u = (x - 3.75) / (x + 3.75) for x >= 0, within 2e-10; above 12 all is 0.
FRAMEJIT_VECTOR_INLINE Doubles erfc_series(Doubles x) {
  const Doubles limited = at_most(size_of(x), 12), u = (limited - 3.75) / (limited + 3.75);
  const Doubles scaled =
      series(u, 0.14558972128535902, -0.273421931785481, 0.22600806555959851, -0.1635718778409619,
             0.1026043464710915, -0.05480261417218365, 0.024142801699038294, -0.008218756892270617,
             0.0018058224254465908, -3.0485531455259646e-05, -0.00016213358151263266, 5.052579364206205e-05,
             1.6235590441140678e-05);
  const Doubles tail = scaled * exp_series(-limited * limited);
  return x < 0 ? 2 - tail : tail;
}
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> erfc_float(const A& a) {
  return in_double(erfc_series, a);
}
/// The normal distribution.
template <class A>
FRAMEJIT_VECTOR_INLINE Block<float> ndtr_float(const A& a) {
  return in_double([](Doubles x) FRAMEJIT_INLINED { return 0.5 * erfc_series(x * -0.70710678118654752440); },
                   a);
}

/// With w = -log(1 - x^2), below kErfinvCentre x times a polynomial in w, within 3e-9; beyond, x times one in the
/// root of w, within 4e-10, which most registers do not need.
inline constexpr double kErfinvCentre = 6;
FRAMEJIT_VECTOR_INLINE Doubles erfinv_series(Doubles x) {
  const Doubles w = -kLn2 * log2_series((1 - x) * (1 + x));
  const Doubles central =
      series(w, 0.886226927791834, 0.23201354177709294, 0.011550423289002947, -0.002338711346177977,
             -0.00012192253071080621, 4.06123656536642e-05, 5.637581067695425e-06, -2.3750996409016012e-06,
             2.6833490525390223e-07, -9.179328139664233e-09, -4.880092666733711e-10, 3.5381606228294884e-11);
  const auto inside = w < kErfinvCentre;
  if (!any(std::bit_cast<Ints>(~inside))) return x * central;
  const Doubles tail =
      series(root(w), -4.340826448511444, 17.390659919740912, -25.23271275827162, 21.534963722231566,
             -11.61183427127553, 4.1914964605765075, -1.0336470056906264, 0.17275350204046824,
             -0.018782601388614942, 0.001202045282705059, -3.4434072318892996e-05);
  return x * (inside ? central : tail);
}
/// `exact` is for the ends and what lies beyond.
template <class A, class Exact>
FRAMEJIT_VECTOR_INLINE Block<float> erfinv_float(const A& a, Exact exact) {
  return in_double_where([](Floats x) FRAMEJIT_INLINED { return size_of(x) < 1; }, erfinv_series, exact, a);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
