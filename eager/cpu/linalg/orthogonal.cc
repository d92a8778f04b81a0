// Triangular systems, Cholesky and QR factorizations.
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/scratch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

template <class T>
void solve_triangular(const MatrixMap<T>& a, const MatrixMap<T>& b, bool upper, bool unit, MatrixMap<T> x) {
  using namespace Eigen;
  if constexpr (std::is_floating_point_v<T>)
    return factor_kernels<T>().solve_triangular(a.data(), a.rows(), upper, unit, b.data(), b.cols(),
                                                x.data());
  else {
    Matrix<T> solution = b;
    if (upper && unit)
      a.template triangularView<UnitUpper>().solveInPlace(solution);
    else if (upper)
      a.template triangularView<Upper>().solveInPlace(solution);
    else if (unit)
      a.template triangularView<UnitLower>().solveInPlace(solution);
    else
      a.template triangularView<Lower>().solveInPlace(solution);
    x = solution;
  }
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

/// Returns the order of the first leading minor that is not positive, or 0.
template <class T>
int cholesky(const MatrixMap<T>& a, bool upper, MatrixMap<T> factor) {
  if constexpr (std::is_floating_point_v<T>) {
    return factor_kernels<T>().cholesky(a.data(), a.rows(), upper, factor.data());
  } else {
    Matrix<T> matrix = a;
    if (upper) matrix.adjointInPlace();
    const Eigen::LLT<Matrix<T>> factorization(matrix);
    Matrix<T> l = factorization.matrixL();
    if (upper) l.adjointInPlace();
    factor = l;
    return factorization.info() != Eigen::Success && matrix.size() > 0 ? first_bad_minor(matrix) : 0;
  }
}

/// Reflections are made of squares. Where those of `matrix` would overflow or vanish: the power of two that
/// brings its largest entry near 1; else 1.
template <class T>
auto scale_for_squares(const MatrixMap<T>& matrix) {
  using Real = typename Eigen::NumTraits<T>::Real;
  using Limits = std::numeric_limits<Real>;
  const Real largest =
      std::max<Real>(matrix.real().cwiseAbs().maxCoeff(), matrix.imag().cwiseAbs().maxCoeff());
  if (!(largest > 0) || !std::isfinite(largest)) return Real(1);
  const int exponent = std::ilogb(largest);
  if (std::abs(exponent) < Limits::max_exponent / 4) return Real(1);
  return std::ldexp(Real(1), std::clamp(-exponent, Limits::min_exponent, Limits::max_exponent - 1));
}

/// Calls `f` with `matrix`, or with its product with scale_for_squares, by which `f`'s triangle is divided.
template <class T, class F>
void with_safe_squares(const MatrixMap<T>& matrix, MatrixMap<T> triangle, F f) {
  const auto scale = scale_for_squares<T>(matrix);
  if (scale == 1) return f(matrix);
  RowMajor<T> scaled = matrix * scale;
  f(MatrixMap<T>(scaled.data(), scaled.rows(), scaled.cols()));
  triangle.template triangularView<Eigen::Upper>() /= scale;
}

/// `q` without columns: only R is wanted.
template <class T>
void qr(const MatrixMap<T>& a, MatrixMap<T> q, MatrixMap<T> r) {
  if constexpr (std::is_floating_point_v<T>) {
    factor_kernels<T>().qr(a.data(), a.rows(), a.cols(), r.rows(), q.size() > 0 ? q.data() : nullptr,
                           r.data());
  } else {
    const Eigen::HouseholderQR<Matrix<T>> factors(a);
    r = factors.matrixQR().topRows(r.rows()).template triangularView<Eigen::Upper>();
    if (q.size() > 0) q = factors.householderQ() * Matrix<T>::Identity(q.rows(), q.cols());
  }
}

}  // namespace

void linalg_solve_triangular_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor()), b = contiguous(args[1].tensor());
  const bool upper = args[2].boolean(), unit = args[3].boolean();
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (columns_of(b) > 0)
        solve_triangular<T>(matrix_at<T>(a, i), matrix_at<T>(b, i), upper, unit, matrix_at<T>(result, i));
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
      made[1].data_as<int32_t>()[i] = cholesky<T>(matrix_at<T>(a, i), upper, matrix_at<T>(made[0], i));
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
      if (columns_of(b) == 0) return;
      RowMajor<T> given = matrix_at<T>(factor, i), turned = given.adjoint();
      const MatrixMap<T> l((upper ? turned : given).data(), given.rows(), given.cols()),
          u((upper ? given : turned).data(), given.rows(), given.cols());
      const auto x = matrix_at<T>(result, i);
      solve_triangular<T>(l, matrix_at<T>(b, i), /*upper=*/false, /*unit=*/false, x);
      solve_triangular<T>(u, x, /*upper=*/true, /*unit=*/false, x);
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
      const auto q = wants_q ? matrix_at<T>(made[0], i) : MatrixMap<T>(nullptr, 0, 0);
      with_safe_squares<T>(matrix_at<T>(a, i), r, [&](const MatrixMap<T>& matrix) { qr<T>(matrix, q, r); });
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
      auto factors = matrix_at<T>(made[0], i);
      auto taus = vector_at<T>(made[1], i);
      with_safe_squares<T>(matrix_at<T>(a, i), factors, [&](const MatrixMap<T>& matrix) {
        if constexpr (std::is_floating_point_v<T>) {
          factor_kernels<T>().reflections(matrix.data(), factors.rows(), factors.cols(), factors.data(),
                                          taus.data());
        } else {
          const Eigen::HouseholderQR<Matrix<T>> qr(matrix);
          factors = qr.matrixQR();
          taus = qr.hCoeffs().conjugate();
        }
      });
    });
  });
  store(made, results);
}

}  // namespace framejit::eager
