// Functions that tile expressions of the op table call, where Eigen has none or another meaning. All take
// blocks (see block.h) or fixed-size Eigen expressions, and are called qualified: `tile::remainder(a, b)`.
//   integers.h          wrapping arithmetic, division with Python's and C's rounding, shifts
//   reals.h             comparison, rounding, division, clamping, with PyTorch's NaN and signed zeros
//   elementary.h        exp, log, trigonometric, hyperbolic and error functions
//   single_precision.h  sin, cos, tan, pow of float
//   complexes.h         all of these for complex numbers
#pragma once

#include "eager/cpu/tile/block.h"
#include "eager/cpu/tile/complexes.h"
#include "eager/cpu/tile/elementary.h"
#include "eager/cpu/tile/integers.h"
#include "eager/cpu/tile/reals.h"
