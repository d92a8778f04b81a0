// Triangular systems, Cholesky and QR factorizations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/scratch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

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

}  // namespace

void linalg_solve_triangular_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor()), b = contiguous(args[1].tensor());
  const bool upper = args[2].boolean(), unit = args[3].boolean();
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (columns_of(b) > 0)
        factor_kernels<T>().solve_triangular(matrix_at<T>(a, i).data(), rows_of(a), upper, unit,
                                             matrix_at<T>(b, i).data(), columns_of(b),
                                             matrix_at<T>(result, i).data());
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
      made[1].data_as<int32_t>()[i] = factor_kernels<T>().cholesky(matrix_at<T>(a, i).data(), rows_of(a),
                                                                   upper, matrix_at<T>(made[0], i).data());
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
      const T *l = (upper ? turned : given).data(), *u = (upper ? given : turned).data();
      const int64_t n = rows_of(factor), width = columns_of(b);
      T* x = matrix_at<T>(result, i).data();
      const auto solve = factor_kernels<T>().solve_triangular;
      solve(l, n, /*upper=*/false, /*unit=*/false, matrix_at<T>(b, i).data(), width, x);
      solve(u, n, /*upper=*/true, /*unit=*/false, x, width, x);
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
      T* q = wants_q ? matrix_at<T>(made[0], i).data() : nullptr;
      with_safe_squares<T>(matrix_at<T>(a, i), r, [&](const MatrixMap<T>& matrix) {
        factor_kernels<T>().qr(matrix.data(), matrix.rows(), matrix.cols(), r.rows(), q, r.data());
      });
    });
  });
  store(made, results);
}

/// The reflections I - tau v v^H whose product is Q.
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
        factor_kernels<T>().reflections(matrix.data(), factors.rows(), factors.cols(), factors.data(),
                                        taus.data());
      });
    });
  });
  store(made, results);
}

}  // namespace framejit::eager
