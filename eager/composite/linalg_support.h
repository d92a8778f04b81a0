// What the composites of linear algebra share: sizes of matrices, broadcasting of batches.
#pragma once

#include <limits>

#include "eager/autograd/linalg_formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/view.h"

namespace framejit::eager {

inline SymInt rows_of(const Tensor& matrix) { return matrix.size(matrix.dim() - 2); }
inline SymInt columns_of(const Tensor& matrix) { return matrix.size(matrix.dim() - 1); }
/// Transposed and conjugated.
inline Tensor mh(const Tensor& matrix) { return linalg_adjoint(matrix); }
inline Tensor transposed(const Tensor& matrix) { return transpose(matrix, -2, -1); }

/// All sizes but the last two.
inline Dims batch_sizes(const Tensor& matrix) {
  Dims sizes = matrix.sizes();
  sizes.resize(sizes.size() - 2);
  return sizes;
}
/// `batch`, then the last `kept` sizes of `tensor`.
inline Tensor with_batch(const Tensor& tensor, Dims batch, int kept = 2) {
  for (int d = tensor.dim() - kept; d < tensor.dim(); ++d) batch.push_back(tensor.size(d));
  return expand(tensor, batch);
}

inline bool may_differentiate(const Tensor& tensor) { return modes().grad_enabled && tensor.requires_grad(); }

/// Of the parts of complex numbers, or of real ones.
inline double epsilon(DType dtype) {
  return real_type(dtype) == DType::float64 ? std::numeric_limits<double>::epsilon()
                                            : double(std::numeric_limits<float>::epsilon());
}

/// IndexError or RuntimeError unless these are matrices (square ones).
void check_matrices(const char* name, const Tensor& a);
void check_square(const char* name, const Tensor& a);

/// Singular values, with a derivative where one may be asked for.
Tensor singular_values(const Tensor& a);
/// Eigenvalues of a symmetric matrix, likewise.
Tensor symmetric_eigenvalues(const Tensor& a, const std::string& triangle = "L");

}  // namespace framejit::eager
