// Functions of float, computed in double by branch-free vector code, which is more exact (below 0.51 ulp) than such
// code in float and faster than PyTorch's. Before it is rounded to float, a result differs between instruction
// sets only in the last bits of a double, so that the floats are nearly always the same. Arguments outside of a
// function's ordinary range are left to libm, element by element.
//   wide.h            what they are made of
//   float_angles.h    sin, cos, tan, asin, acos, atan, atan2
//   float_powers.h    exp2, log2, log10, log1p, pow, sinh, cosh, asinh, acosh, atanh, expm1, hypot, logaddexp, softplus,
//                     logsigmoid, lgamma
//   float_errors.h    erfc, erfinv
//   float_division.h  fmod, remainder, floor_divide
#pragma once

#include "eager/cpu/tile/float_angles.h"
#include "eager/cpu/tile/float_division.h"
#include "eager/cpu/tile/float_errors.h"
#include "eager/cpu/tile/float_powers.h"
