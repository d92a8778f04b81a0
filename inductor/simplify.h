// Cleans a loop's body: equal loads, numbers and casts become one; what no store needs goes away.
#pragma once

#include "inductor/loop_ir.h"

namespace framejit::inductor {

/// Keeps the order of what remains. Operands that nobody uses any more are dropped.
Loop simplify(const Loop& loop);

/// Drops stores into buffers that no step reads and that are not results, and steps that do nothing then.
void drop_dead_stores(LoopProgram& program);

}  // namespace framejit::inductor
