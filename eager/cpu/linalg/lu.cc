// LU factorization with row exchanges, and what follows from it.
#include <Eigen/LU>
#include <Eigen/SVD>

#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/pivot_score.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// P @ A = L @ U of one matrix, L and U in one array. `exchanges[k]` is the row that row k was exchanged
/// with.
template <class T>
struct Lu {
  Matrix<T> factors;
  std::vector<int> exchanges;
  int zero_pivot = -1;  ///< the first column without a pivot
  bool odd = false;     ///< whether the number of exchanges is odd

  explicit Lu(const MatrixMap<T>& matrix) : factors(matrix) {
    using Eigen::internal::partial_lu_impl;
    const Eigen::Index rows = factors.rows(), columns = factors.cols(), side = std::min(rows, columns);
    exchanges.resize(size_t(side));
    if (side == 0) return;
    int count = 0;
    // Eigen's factorization stops at the last row; what is right of it is carried along here.
    zero_pivot = int(partial_lu_impl<T, Eigen::ColMajor, int, Eigen::Dynamic>::blocked_lu(
        rows, side, factors.data(), factors.outerStride(), exchanges.data(), count));
    odd = count % 2 != 0;
    if (columns == side) return;
    auto right = factors.rightCols(columns - side);
    for (Eigen::Index k = 0; k < side; ++k)
      if (exchanges[size_t(k)] != k) right.row(k).swap(right.row(exchanges[size_t(k)]));
    factors.leftCols(side).template triangularView<Eigen::UnitLower>().solveInPlace(right);
  }

  /// Overwrites B with the solution of A @ X = B.
  void solve(Matrix<T>& b) const {
    for (size_t k = 0; k < exchanges.size(); ++k)
      if (exchanges[k] != int(k)) b.row(Eigen::Index(k)).swap(b.row(exchanges[k]));
    factors.template triangularView<Eigen::UnitLower>().solveInPlace(b);
    factors.template triangularView<Eigen::Upper>().solveInPlace(b);
  }
  Matrix<T> inverse() const {
    Matrix<T> x = Matrix<T>::Identity(factors.rows(), factors.rows());
    solve(x);
    return x;
  }
  T determinant() const { return T(odd ? -1 : 1) * factors.diagonal().prod(); }
};

std::string singular_text(const char* what, int info) {
  return concat("The diagonal element ", info, " is zero, the ", what,
                " could not be completed because the input matrix is singular.");
}

/// Elimination without exchanges, for pivot=False; returns the first zero pivot.
template <class T>
int eliminate(Matrix<T>& a) {
  int zero_pivot = -1;
  for (Eigen::Index k = 0; k < std::min(a.rows(), a.cols()); ++k) {
    if (a(k, k) == T(0) && zero_pivot < 0) zero_pivot = int(k);
    const Eigen::Index below = a.rows() - k - 1, right = a.cols() - k - 1;
    a.col(k).tail(below) /= a(k, k);
    a.bottomRightCorner(below, right).noalias() -= a.col(k).tail(below) * a.row(k).tail(right);
  }
  return zero_pivot;
}

/// By A = U S V^H: det(U) * conj(det(V)) * V @ diag(products of the other singular values) @ U^H.
template <class T>
Matrix<T> adjugate_by_svd(const Matrix<T>& a) {
  const Eigen::JacobiSVD<Matrix<T>> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector<Real<T>>& s = svd.singularValues();
  const T factor = svd.matrixU().determinant() * Eigen::numext::conj(svd.matrixV().determinant());
  Vector<T> others = Vector<T>::Constant(s.size(), factor);
  for (Eigen::Index i = 0; i < s.size(); ++i)
    for (Eigen::Index j = 0; j < s.size(); ++j)
      if (i != j) others(i) *= s(j);
  return svd.matrixV() * others.asDiagonal() * svd.matrixU().adjoint();
}

}  // namespace

void linalg_inv_ex_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      const Lu<T> lu(matrix_at<T>(a, i));
      matrix_at<T>(made[0], i) = lu.inverse();
      made[1].data_as<int32_t>()[i] = lu.zero_pivot + 1;
    });
  });
  if (args[1].boolean())
    check_info("linalg.inv", made[1], [](int info) { return singular_text("inversion", info); });
  store(made, results);
}

void linalg_solve_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor()), b = contiguous(args[1].tensor());
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      const Lu<T> lu(matrix_at<T>(a, i));
      Matrix<T> x = matrix_at<T>(b, i);
      lu.solve(x);
      matrix_at<T>(made[0], i) = x;
      made[1].data_as<int32_t>()[i] = lu.zero_pivot + 1;
    });
  });
  if (args[2].boolean())
    check_info("linalg.solve", made[1],
               [](int) { return "The solver failed because the input matrix is singular."; });
  store(made, results);
}

void linalg_lu_factor_ex_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool pivot = args[1].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      auto pivots = vector_at<int32_t>(made[1], i);
      int zero_pivot;
      if (pivot) {
        const Lu<T> lu(matrix_at<T>(a, i));
        matrix_at<T>(made[0], i) = lu.factors;
        for (Eigen::Index k = 0; k < pivots.size(); ++k) pivots[k] = lu.exchanges[size_t(k)] + 1;
        zero_pivot = lu.zero_pivot;
      } else {
        Matrix<T> factors = matrix_at<T>(a, i);
        zero_pivot = eliminate(factors);
        matrix_at<T>(made[0], i) = factors;
        for (Eigen::Index k = 0; k < pivots.size(); ++k) pivots[k] = int32_t(k) + 1;
      }
      made[2].data_as<int32_t>()[i] = zero_pivot + 1;
    });
  });
  if (args[2].boolean())
    check_info("torch.linalg.lu_factor", made[2], [](int info) {
      return concat("U[", info, ",", info,
                    "] is zero and using it on lu_solve would result in a division by zero.");
    });
  store(made, results);
}

void linalg_permutation_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor pivots = contiguous_as(args[0].tensor(), DType::int32);
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t rows = rows_of(result);
    for (int64_t i = 0; i < batch_count(result); ++i) {
      auto p = matrix_at<T>(result, i);
      p.setIdentity();
      const auto exchanged = vector_at<int32_t>(pivots, i);
      // P = P0 @ P1 @ ...: exchanging columns in the order of the factorization.
      for (Eigen::Index k = 0; k < exchanged.size(); ++k) {
        const int64_t other = exchanged[k] - 1;
        FRAMEJIT_CHECK(other >= 0 && other < rows, "lu_unpack: pivots must be from 1 to ", rows, ", got ",
                       other + 1);
        if (other != k) p.col(k).swap(p.col(other));
      }
    }
  });
  results[0] = std::move(result);
}

void linalg_det_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a),
                    [&](int64_t i) { result.data_as<T>()[i] = Lu<T>(matrix_at<T>(a, i)).determinant(); });
  });
  results[0] = std::move(result);
}

void linalg_slogdet_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      const Lu<T> lu(matrix_at<T>(a, i));
      const auto diagonal = lu.factors.diagonal().array();
      made[0].data_as<T>()[i] = T(lu.odd ? -1 : 1) * diagonal.sign().prod();
      made[1].data_as<Real<T>>()[i] = diagonal.abs().log().sum();
    });
  });
  store(made, results);
}

void linalg_adjugate_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (rows_of(a) == 0) return;
      const Lu<T> lu(matrix_at<T>(a, i));
      const auto pivots = lu.factors.diagonal().array().abs();
      // Without nearly zero pivots the inverse is accurate.
      if (pivots.minCoeff() > pivots.maxCoeff() * std::sqrt(std::numeric_limits<Real<T>>::epsilon())) {
        matrix_at<T>(result, i) = lu.determinant() * lu.inverse();
      } else {
        matrix_at<T>(result, i) = adjugate_by_svd<T>(matrix_at<T>(a, i));
      }
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
