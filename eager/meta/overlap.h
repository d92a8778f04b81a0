// Elements that lie in the same memory, which nothing can be written to.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// RuntimeError where a dim of `self` was expanded: its elements are one, and cannot take several values.
void check_writable(const Op& op, const Tensor& self);

}  // namespace framejit::eager
