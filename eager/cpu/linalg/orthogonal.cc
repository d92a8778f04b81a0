// Triangular systems, Cholesky and QR factorizations.
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "eager/cpu/linalg/batch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

template <class T>
void solve_triangular(const MatrixMap<T>& a, Matrix<T>& b, bool upper, bool unit) {
  using namespace Eigen;
  if (upper && unit)
    a.template triangularView<UnitUpper>().solveInPlace(b);
  else if (upper)
    a.template triangularView<Upper>().solveInPlace(b);
  else if (unit)
    a.template triangularView<UnitLower>().solveInPlace(b);
  else
    a.template triangularView<Lower>().solveInPlace(b);
}

/// The order of the first leading minor that is not positive, found by the factorization column by column.
template <class T>
int first_bad_minor(const Matrix<T>& a) {
  Matrix<T> l = Matrix<T>::Zero(a.rows(), a.cols());
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    const Real<T> pivot = Eigen::numext::real(a(k, k)) - l.row(k).head(k).squaredNorm();
    if (!(pivot > 0)) return int(k) + 1;
    l(k, k) = std::sqrt(pivot);
    for (Eigen::Index i = k + 1; i < a.rows(); ++i)
      l(i, k) = (a(i, k) - l.row(k).head(k).dot(l.row(i).head(k))) / l(k, k);
  }
  return int(a.rows());  // Eigen's blocked order of summation saw a pivot just below zero
}

}  // namespace

void linalg_solve_triangular_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor()), b = contiguous(args[1].tensor());
  const bool upper = args[2].boolean(), unit = args[3].boolean();
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      Matrix<T> x = matrix_at<T>(b, i);
      if (x.size() > 0) solve_triangular<T>(matrix_at<T>(a, i), x, upper, unit);
      matrix_at<T>(result, i) = x;
    });
  });
  results[0] = std::move(result);
}

void linalg_cholesky_ex_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool upper = args[1].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      Matrix<T> matrix = matrix_at<T>(a, i);
      if (upper) matrix.adjointInPlace();
      const Eigen::LLT<Matrix<T>> factorization(matrix);
      Matrix<T> l = factorization.matrixL();
      if (upper) l.adjointInPlace();
      matrix_at<T>(made[0], i) = l;
      const bool failed = factorization.info() != Eigen::Success && matrix.size() > 0;
      made[1].data_as<int32_t>()[i] = failed ? first_bad_minor(matrix) : 0;
    });
  });
  if (args[2].boolean())
    check_info("linalg.cholesky", made[1], [](int info) {
      return concat(
          "The factorization could not be completed because the input is not positive-definite (the leading "
          "minor of "
          "order ",
          info, " is not positive-definite).");
    });
  store(made, results);
}

/// args: B, factor, upper.
void cholesky_solve_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor b = contiguous(args[0].tensor()), factor = contiguous(args[1].tensor());
  const bool upper = args[2].boolean();
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(b.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(b), rows_of(b), [&](int64_t i) {
      Matrix<T> l = matrix_at<T>(factor, i), x = matrix_at<T>(b, i);
      if (upper) l.adjointInPlace();
      l.template triangularView<Eigen::Lower>().solveInPlace(x);
      l.template triangularView<Eigen::Lower>().adjoint().solveInPlace(x);
      matrix_at<T>(result, i) = x;
    });
  });
  results[0] = std::move(result);
}

void linalg_qr_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool wants_q = args[1].string() != "r";
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), std::max(rows_of(a), columns_of(a)), [&](int64_t i) {
      auto r = matrix_at<T>(made[1], i);
      if (rows_of(a) == 0 || columns_of(a) == 0) {
        r.setZero();
        if (wants_q) matrix_at<T>(made[0], i).setIdentity();
        return;
      }
      const Eigen::HouseholderQR<Matrix<T>> qr(matrix_at<T>(a, i));
      r = qr.matrixQR().topRows(r.rows()).template triangularView<Eigen::Upper>();
      if (!wants_q) return;
      auto q = matrix_at<T>(made[0], i);
      q = qr.householderQ() * Matrix<T>::Identity(q.rows(), q.cols());
    });
  });
  store(made, results);
}

/// The reflections I - tau v v^H whose product is Q: LAPACK's tau is the conjugate of Eigen's.
void geqrf_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), std::max(rows_of(a), columns_of(a)), [&](int64_t i) {
      if (rows_of(a) == 0 || columns_of(a) == 0) return;
      const Eigen::HouseholderQR<Matrix<T>> qr(matrix_at<T>(a, i));
      matrix_at<T>(made[0], i) = qr.matrixQR();
      vector_at<T>(made[1], i) = qr.hCoeffs().conjugate();
    });
  });
  store(made, results);
}

}  // namespace framejit::eager
