// Derivatives of the kernels of linear algebra (eager/ops/linalg.toml), in terms of ops; defined in
// eager/composite/linalg_formulas.cc. `grad` is the gradient of the result, G in comments.
#pragma once

#include <string>

#include "eager/tensor.h"

namespace framejit::eager::ops {

/// The transposed matrices, conjugated where complex.
Tensor linalg_adjoint(const Tensor& matrix);

Tensor linalg_inv_backward(const Tensor& grad, const Tensor& inverse);
Tensor linalg_solve_backward_A(const Tensor& grad, const Tensor& a, const Tensor& x);
Tensor linalg_solve_backward_B(const Tensor& grad, const Tensor& a);
Tensor linalg_solve_triangular_backward_A(const Tensor& grad, const Tensor& a, const Tensor& x, bool upper,
                                          bool unitriangular);
Tensor linalg_lu_factor_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots);
Tensor linalg_det_backward(const Tensor& grad, const Tensor& a);
Tensor linalg_adjugate_backward(const Tensor& grad, const Tensor& a, const Tensor& adjugate);
Tensor linalg_slogdet_backward(const Tensor& grad_sign, const Tensor& grad_logabsdet, const Tensor& a,
                               const Tensor& sign);
Tensor linalg_cholesky_backward(const Tensor& grad, const Tensor& factor, bool upper);
Tensor cholesky_solve_backward_factor(const Tensor& grad, const Tensor& factor, const Tensor& x, bool upper);
Tensor linalg_qr_backward(const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r,
                          const std::string& mode);
Tensor linalg_svd_backward(const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh, const Tensor& u,
                           const Tensor& s, const Tensor& vh);
Tensor linalg_pinv_backward(const Tensor& grad, const Tensor& a, const Tensor& pinv);
Tensor linalg_eigh_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                            const Tensor& vectors);
/// `dtype`: of the matrix, whose eigenvalues are complex even if it is real.
Tensor linalg_eig_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                           const Tensor& vectors, DType dtype);
Tensor linalg_matrix_exp_backward(const Tensor& grad, const Tensor& a);

}  // namespace framejit::eager::ops
