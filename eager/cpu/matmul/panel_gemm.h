// Products of matrices by the loops of panels.h: large ones, small ones and those of two vectors.
#pragma once

#include "eager/cpu/matmul/gemm.h"

namespace framejit::eager::cpu {

/// How a product is best computed: by what is here, or by Eigen.
enum class GemmWay : uint8_t { panels, small, rows, dot, bfloats, complexes, eigen };
GemmWay gemm_way(const GemmCall& call, DType dtype);

/// Does the call, of a type that has a `gemm_function` or bfloat16, in a way that is not Eigen's; on all threads where
/// `parallel` and worth while.
void multiply_without_eigen(GemmWay way, const GemmCall& call, DType dtype, bool parallel);

}  // namespace framejit::eager::cpu
