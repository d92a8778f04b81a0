// Tile expressions of losses (eager/ops/neural.toml) alone.
#pragma once

#include <cmath>

#include "eager/cpu/tile/block.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

/// With d = |a - b|: a parabola up to `delta`, and from there on a line of the given slope.
template <class A, class B>
EIGEN_STRONG_INLINE auto huber_elements(const A& a, const B& b, double delta, double slope) {
  using T = typename A::Scalar;
  return each(
      [=, knee = T(delta), factor = T(0.5 * slope / delta), half = T(0.5 * delta), rise = T(slope)](T x,
                                                                                                    T y) {
        const T d = std::abs(x - y), squared = d * d * factor, straight = (d - half) * rise;
        return d <= knee ? squared : straight;
      },
      a, b);
}
template <class A, class B>
EIGEN_STRONG_INLINE auto huber_slope(const A& a, const B& b, double delta, double slope) {
  using T = typename A::Scalar;
  return each(
      [=, knee = T(delta), factor = T(slope / delta), rise = T(slope)](T x, T y) {
        const T d = x - y, inner = d * factor, outer = std::copysign(rise, d);
        return std::abs(d) > knee ? outer : inner;  // NaN stays
      },
      a, b);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
