// Eager pointwise ops: from boxed arguments to the loop driver (cpu/loops/pointwise.h).
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// The kernel of every pointwise row.
void pointwise_kernel(const Op& op, const Value* args, Value* results);
/// Computes the pointwise `op` into `result`, which has the broadcast shape and may be one of the operands.
FRAMEJIT_API void pointwise_into(const Op& op, const Value* args, const Tensor& result);

}  // namespace framejit::eager
