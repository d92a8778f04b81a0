// Pointwise calls with short rows: operands are laid out block by block as the result lies.
#pragma once

#include "eager/cpu/loops/row_walk.h"

namespace framejit::eager::cpu {

/// Runs the call when the result is dense and each operand goes on through a row, or repeats one element. False,
/// with nothing done, when not.
bool run_as_blocks(const RowCall& call);

}  // namespace framejit::eager::cpu
