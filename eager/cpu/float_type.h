// Kernels that compute in the two floating-point types that need no conversion.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

inline bool is_float_type(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// `f(T())`: double for float64, float for everything else, which is converted to it.
template <class F>
void for_float_type(DType dtype, F f) {
  dtype == DType::float64 ? f(double()) : f(float());
}

}  // namespace framejit::eager::cpu
