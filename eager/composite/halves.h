// Derivatives that compute in float32 when they are of halves (`widened` and `narrowed` of support.h).
#pragma once

#include "eager/composite/support.h"

namespace framejit::eager {

inline bool is_half(DType dtype) { return is_floating(dtype) && wider_type(dtype) != dtype; }
/// Of an optional tensor.
inline Tensor widened_if(const Tensor& self) { return self.defined() ? widened(self) : self; }

}  // namespace framejit::eager
