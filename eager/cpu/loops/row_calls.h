// Pointwise calls whose operands lie in memory row by row (a matrix and a row, a matrix and a column, slices), or that
// are few elements in any layout, or of which the rows are short (row_blocks.h).
#pragma once

#include "eager/cpu/loops/pointwise.h"

namespace framejit::eager::cpu {

/// Strides of an operand over dims of `sizes`, to which it broadcasts; 0 for a number.
Dims broadcast_strides(const Operand& operand, const Dims& sizes);

/// The kernel that reads the operands as they lie in memory.
struct DirectKernel {
  const TileKernel* kernel = nullptr;  ///< null: there is none
  bool halves =
      false;  ///< it converts on the way: single elements are of type `TileCall::operand`, not halves
};

/// Runs the call when its innermost dims make up rows that lie side by side in the result and in every operand, or
/// repeat one element, or when it has few elements; all types must be the kernel's. False, with nothing done, when
/// not.
bool run_rows(const TileCall& call, const DirectKernel& direct, const Operand* operands,
              const Tensor& result);

}  // namespace framejit::eager::cpu
