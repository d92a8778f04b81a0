// Contract: telling size expressions from plain numbers that look like one.
#pragma once

#include "eager/symint.h"

namespace framejit::eager {

/// Whether `address` is that of an expression that was made. Takes no lock.
bool is_interned(const SizeExpr* address);

/// `SymInt::is_symbolic` for numbers that may be any, as elements of tensors are: one in 65536 random int64
/// is in the range that encodes expressions. Its slow paths ask this, so such a number is a constant to them.
FRAMEJIT_API bool is_expression(SymInt size);

}  // namespace framejit::eager
