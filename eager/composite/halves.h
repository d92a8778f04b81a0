// Derivatives that compute in float32 when they are of halves (`widened` and `narrowed` of support.h).
#pragma once

#include <array>

#include "eager/composite/support.h"

namespace framejit::eager {

inline bool is_half(DType dtype) { return is_floating(dtype) && wider_type(dtype) != dtype; }
/// Of tensors that may be undefined.
inline Tensor widened_if(const Tensor& self) { return self.defined() ? widened(self) : self; }
template <size_t kCount>
std::array<Tensor, kCount> narrowed_all(std::array<Tensor, kCount> results, DType dtype) {
  for (Tensor& result : results)
    if (result.defined()) result = narrowed(result, dtype);
  return results;
}

}  // namespace framejit::eager
