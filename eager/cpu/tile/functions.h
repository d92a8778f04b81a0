// Functions that tile expressions of the op table call, where Eigen has none or another meaning. All take
// blocks (see block.h), or any fixed-size Eigen expression, and are called qualified: `tile::remainder(a,
// b)`.
//
//   integers.h     wrapping arithmetic, division with Python's and C's rounding, shifts
//   reals.h        rounding, division, comparison and clamping with PyTorch's treatment of NaN and signed
//   zeros elementary.h   exp, log, trigonometric, hyperbolic, error functions: Eigen's vector code, or libm
//   where it has none
#pragma once

#include "eager/cpu/tile/block.h"
#include "eager/cpu/tile/elementary.h"
#include "eager/cpu/tile/integers.h"
#include "eager/cpu/tile/reals.h"
