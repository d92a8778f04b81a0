// Products of large matrices of floats by the loops of panels.h.
#pragma once

#include "eager/cpu/gemm.h"

namespace framejit::eager::cpu {

/// Whether the product is large enough in every direction to be worth packing.
bool worth_panels(const GemmCall& call, DType dtype);
/// Does the call, of float32 or float64; on all threads where `parallel`.
void multiply_panels(const GemmCall& call, DType dtype, bool parallel);

}  // namespace framejit::eager::cpu
