// Tensors in a given order of elements.
#pragma once

#include "eager/composite/support.h"
#include "eager/meta/memory_format.h"

namespace framejit::eager {

/// The elements of `self` in a format (None: its own): a copy where it lies otherwise, or where `copy` asks
/// for one.
Tensor in_format(const Tensor& self, const Value& format, bool copy);

}  // namespace framejit::eager
