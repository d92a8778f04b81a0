// Singular value decomposition and pseudo-inverse.
#include <Eigen/SVD>

#include "eager/cpu/linalg/batch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Raises where the decomposition would not end: on NaN and infinities.
template <class T>
void check_finite(const char* name, const MatrixMap<T>& matrix, int64_t index, bool is_batch) {
  if (matrix.allFinite()) return;
  throw LinAlgError(
      concat(name, ": ", is_batch ? concat("(Batch element ", index, "): ") : "",
             "The algorithm failed to converge because the input matrix contained non-finite values."));
}

}  // namespace

void linalg_svd_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool full = args[1].boolean(), vectors = args[2].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  const unsigned options = !vectors ? 0u
                           : full   ? unsigned(Eigen::ComputeFullU | Eigen::ComputeFullV)
                                    : unsigned(Eigen::ComputeThinU | Eigen::ComputeThinV);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), std::max(rows_of(a), columns_of(a)), [&](int64_t i) {
      if (rows_of(a) == 0 || columns_of(a) == 0) {
        if (!vectors) return;
        matrix_at<T>(made[0], i).setIdentity();
        matrix_at<T>(made[2], i).setIdentity();
        return;
      }
      check_finite<T>("linalg.svd", matrix_at<T>(a, i), i, a.dim() > 2);
      const Eigen::BDCSVD<Matrix<T>> svd(matrix_at<T>(a, i), options);
      vector_at<Real<T>>(made[1], i) = svd.singularValues();
      if (!vectors) return;
      matrix_at<T>(made[0], i) = svd.matrixU();
      matrix_at<T>(made[2], i) = svd.matrixV().adjoint();
    });
  });
  store(made, results);
}

void linalg_pinv_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const Tensor atol = contiguous_as(args[1].tensor(), DType::float64);
  const Tensor rtol = contiguous_as(args[2].tensor(), DType::float64);
  const bool hermitian = args[3].boolean();
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), std::max(rows_of(a), columns_of(a)), [&](int64_t i) {
      if (rows_of(a) == 0 || columns_of(a) == 0) return;
      check_finite<T>("linalg.pinv", matrix_at<T>(a, i), i, a.dim() > 2);
      Matrix<T> matrix = matrix_at<T>(a, i);
      if (hermitian) {
        matrix.diagonal() = matrix.diagonal().real().template cast<T>().eval();
        matrix = Matrix<T>(matrix.template selfadjointView<Eigen::Lower>());
      }
      const Eigen::BDCSVD<Matrix<T>> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const double largest = double(svd.singularValues()(0));
      const double least = std::max(atol.data_as<double>()[i], rtol.data_as<double>()[i] * largest);
      const Vector<T> inverse = svd.singularValues().unaryExpr(
          [least](Real<T> s) { return double(s) > least ? T(Real<T>(1) / s) : T(0); });
      matrix_at<T>(result, i) = svd.matrixV() * inverse.asDiagonal() * svd.matrixU().adjoint();
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
