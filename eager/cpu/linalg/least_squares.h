// Least squares of any rank, for what needs no gradient.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

struct LeastSquares {
  Tensor x, rank;
};
/// For each matrix of a batch the X of least norm for which A X - B is least. Of one dtype of linear algebra and with the same
/// batch dims; singular values below `rcond` times the largest count as zero.
LeastSquares least_squares(const Tensor& a, const Tensor& b, double rcond);

}  // namespace framejit::eager::cpu
