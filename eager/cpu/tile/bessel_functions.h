// Modified Bessel functions: up to 8 their power series, whose terms are all positive, beyond a polynomial in 16 / x - 1
// times exp(x) / root(x).
#pragma once

#include "eager/cpu/special/special_math.h"
#include "eager/cpu/tile/double_powers.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// Up to which the power series serves.
inline constexpr double kBesselCentre = 8;

/// The sum of t^k / (k! (k + order)!) from `k` on to `last`, divided by its first term.
template <int order, int last, int k = 0>
FRAMEJIT_VECTOR_INLINE Doubles bessel_series(Doubles t) {
  if constexpr (k == last)
    return spread<Doubles>(1);
  else
    return multiply_add(t * (1.0 / ((k + 1) * (k + 1 + order))), bessel_series<order, last, k + 1>(t),
                        spread<Doubles>(1));
}

/// exp(-x) root(x) times the function, of x >= 8: within 2e-16 for doubles, 2e-10 for floats.
template <int order, bool kDouble>
FRAMEJIT_VECTOR_INLINE Doubles bessel_tail(Doubles x) {
  const Doubles u = 16 / x - 1;
  if constexpr (order == 0 && kDouble)
    return series(u, 0.4021765094450081, 0.003360551983667854, 0.00013621607439232746, 1.1143033791556743e-05,
                  1.4838475473607391e-06, 2.973598432479169e-07, 8.87225351128584e-08, 3.932602459703109e-08,
                  2.1545177650836005e-08, 7.553516470355896e-09, -6.729724111923548e-09,
                  -1.3404241991980871e-08, -5.4685974495866e-09, 7.540601378890834e-09, 7.58022133915272e-09,
                  -3.4857887470034955e-09, -6.188265090497361e-09, 1.497880830187091e-09,
                  3.881151253996067e-09, -5.562201990080394e-10, -1.7789375042917173e-09,
                  1.4672236659214398e-10, 5.181936971288284e-10, -1.9216763724933513e-11,
                  -7.06893851181878e-11);
  else if constexpr (order == 0)
    return series(u, 0.4021765094450081, 0.003360552227107552, 0.00013621634810372812, 1.1139924003904079e-05,
                  1.4801668682355922e-06, 3.071251794715818e-07, 1.0222957952124411e-07,
                  3.173468265128346e-08, 3.21343456778252e-09);
  else if constexpr (kDouble)
    return series(
        u, 0.38939845902587233, -0.009749577193235728, -0.00021923576383430274, -1.5038547201176271e-05,
        -1.8349101134666435e-06, -3.483855609009937e-07, -1.0001323461066435e-07, -4.312935369971356e-08,
        -2.337059627111857e-08, -8.426622829598154e-09, 6.715795128085017e-09, 1.4029693589852716e-08,
        6.040877342160988e-09, -7.630751970065577e-09, -8.044231276166508e-09, 3.406636130196794e-09,
        6.4870195719816896e-09, -1.4171698018664596e-09, -4.047785403711858e-09, 5.146498826087142e-10,
        1.8513716745511988e-09, -1.342266320082222e-10, -5.388285995923524e-10, 1.7502497778701306e-11,
        7.347992441734663e-11);
  else
    return series(u, 0.38939845902587233, -0.009749577441134048, -0.00021923605339011808,
                  -1.5035390362454545e-05, -1.8310212382191527e-06, -3.581953648145277e-07,
                  -1.1423534161320156e-07, -3.5904638329365215e-08, -4.2368978067496745e-09);
}

template <bool kDouble>
FRAMEJIT_VECTOR_INLINE Doubles bessel_power(Doubles x) {
  if constexpr (kDouble)
    return exp_wide(x);
  else
    return exp_series(x);
}
/// The function, times exp(-|x|) where `kScaled`.
template <int order, bool kScaled, bool kDouble>
FRAMEJIT_VECTOR_INLINE Doubles bessel_wide(Doubles x) {
  const Doubles size = size_of(x), centre = at_most(size, kBesselCentre);
  constexpr int last = kDouble ? 28 : 18;
  const Doubles sum = bessel_series<order, last>(centre * centre * 0.25);
  Doubles result = order == 0 ? sum : sum * centre * 0.5;
  if constexpr (kScaled) result = result * bessel_power<kDouble>(-centre);
  if (const Longs beyond = size > kBesselCentre; any(std::bit_cast<Ints>(beyond))) {
    const Doubles far = at_least(size, kBesselCentre);
    const Doubles tail = bessel_tail<order, kDouble>(far) / root(far);
    if constexpr (kScaled)
      result = beyond ? tail : result;
    else
      result = beyond ? tail * bessel_power<kDouble>(far) : result;
  }
  if constexpr (order == 1) result = with_sign_of(result, x);
  return result;
}

#define FRAMEJIT_TILE_BESSEL(name, order, scaled)                                                     \
  template <class A>                                                                                  \
  EIGEN_STRONG_INLINE auto name(const A& a) {                                                         \
    using T = typename A::Scalar;                                                                     \
    const auto exact = [](T x) { return T(special::name(double(x))); };                               \
    if constexpr (std::is_same_v<T, float>)                                                           \
      return in_double_where(                                                                         \
          [](Floats x) FRAMEJIT_INLINED { return size_of(x) < 700; },                                 \
          [](Doubles x) FRAMEJIT_INLINED { return bessel_wide<order, scaled, false>(x); }, exact, a); \
    else                                                                                              \
      return in_registers_where(                                                                      \
          [](Doubles x) FRAMEJIT_INLINED { return size_of(x) < 700; },                                \
          [](Doubles x) FRAMEJIT_INLINED { return bessel_wide<order, scaled, true>(x); }, exact, a);  \
  }
FRAMEJIT_TILE_BESSEL(i0, 0, false)
FRAMEJIT_TILE_BESSEL(i0e, 0, true)
FRAMEJIT_TILE_BESSEL(i1, 1, false)
FRAMEJIT_TILE_BESSEL(i1e, 1, true)
#undef FRAMEJIT_TILE_BESSEL

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
