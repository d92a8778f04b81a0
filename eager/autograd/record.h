// The autograd layer of the dispatcher.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// The tensor arguments that require grad.
FRAMEJIT_API uint64_t args_requiring_grad(const Op& op, const Value* args);
/// What derivatives may save of a tensor that is about to be written: its elements, and where its gradient
/// goes.
Tensor copy_with_history(const Tensor& self);
/// Runs `op` and gives its results the history they need. `requiring`: from `args_requiring_grad`, 0 in
/// no_grad mode.
void call_with_autograd(const Op& op, const Value* args, Value* results, uint64_t requiring);

}  // namespace framejit::eager
