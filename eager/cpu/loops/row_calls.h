// Pointwise calls whose operands lie in memory row by row: a matrix and a row, a matrix and a column, slices.
#pragma once

#include "eager/cpu/loops/pointwise.h"

namespace framejit::eager::cpu {

/// Strides of an operand over dims of `sizes`, to which it broadcasts; 0 for a number.
Dims broadcast_strides(const Operand& operand, const Dims& sizes);

/// Runs the call when trailing dims make up rows that lie side by side in the result and in every operand, or
/// repeat one element, and all types are the kernel's. False, with nothing done, when not.
bool run_rows(const TileCall& call, const Operand* operands, const Tensor& result);

}  // namespace framejit::eager::cpu
