// Products of matrices of floats by the loops of panels.h: large ones, small ones and those of two vectors.
#pragma once

#include "eager/cpu/matmul/gemm.h"

namespace framejit::eager::cpu {

/// How a product is best computed: by what is here, or by Eigen.
enum class GemmWay : uint8_t { panels, small, rows, dot, bfloats, complexes, eigen };
GemmWay gemm_way(const GemmCall& call, DType dtype);

/// Does the call, of float32, float64, bfloat16 or complex numbers, in a way that is not Eigen's; on all threads where
/// `parallel` and worth while.
void multiply_floats(GemmWay way, const GemmCall& call, DType dtype, bool parallel);

}  // namespace framejit::eager::cpu
