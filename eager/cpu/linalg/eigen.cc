// Eigenvalues and eigenvectors of any square matrices, and the matrix exponential.
#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

#include "eager/cpu/linalg/batch.h"

namespace framejit::eager {

using namespace cpu;

void linalg_eig_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool vectors = args[1].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Complex = std::complex<Real<T>>;
    using Solver = std::conditional_t<std::is_same_v<T, Complex>, Eigen::ComplexEigenSolver<Matrix<T>>,
                                      Eigen::EigenSolver<Matrix<T>>>;
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (rows_of(a) == 0) return;
      const Matrix<T> matrix = matrix_at<T>(a, i);
      if (!matrix.allFinite()) throw LinAlgError("linalg.eig: input tensor should not contain infs or NaNs.");
      const Solver solver(matrix, vectors);
      vector_at<Complex>(made[0], i) = solver.eigenvalues();
      if (vectors) matrix_at<Complex>(made[1], i) = solver.eigenvectors();
    });
  });
  store(made, results);
}

void linalg_matrix_exp_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (rows_of(a) == 0) return;
      const Matrix<T> matrix = matrix_at<T>(a, i);
      matrix_at<T>(result, i) = matrix.exp();
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
