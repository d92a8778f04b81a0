// How a reduced result lies in the space of its operand.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Strides of `result` over `rank` dims of which those in `reduced` are gone or of size 1 in it; 0 on these.
Dims kept_strides(const Tensor& result, int rank, uint64_t reduced);

}  // namespace framejit::eager::cpu
