// Singular value decomposition and pseudo-inverse.
#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/dense.h"
#include "eager/cpu/matmul/gemm.h"
#include "eager/cpu/scratch.h"

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

/// A = U diag(S) Vh, with U and Vh of all rows of A where `full`, else of as many as S; S alone where U is
/// null.
template <class T>
void decompose(const char* name, const MatrixMap<T>& a, bool full, T* u, Real<T>* s, T* vh) {
  const bool converged = dense_kernels<T>().svd(a.data(), a.rows(), a.cols(), u != nullptr, full, u, s, vh);
  if (!converged)
    throw LinAlgError(concat(name,
                             ": The algorithm failed to converge because the input matrix is ill-conditioned "
                             "or has too many repeated singular values."));
}

}  // namespace

void linalg_svd_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool full = args[1].boolean(), vectors = args[2].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
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
      decompose<T>("linalg.svd", matrix_at<T>(a, i), full,
                   vectors ? matrix_at<T>(made[0], i).data() : nullptr, vector_at<Real<T>>(made[1], i).data(),
                   vectors ? matrix_at<T>(made[2], i).data() : nullptr);
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
      RowMajor<T> matrix = matrix_at<T>(a, i);
      if (hermitian) {
        matrix.diagonal() = matrix.diagonal().real().template cast<T>().eval();
        matrix = RowMajor<T>(matrix.template selfadjointView<Eigen::Lower>());
      }
      const Eigen::Index m = matrix.rows(), n = matrix.cols(), k = std::min(m, n);
      const ScratchScope scope;
      Scratch& scratch = Scratch::of_thread();
      T *u = scratch.take_array<T>(m * k), *vh = scratch.take_array<T>(k * n);
      Real<T>* s = scratch.take_array<Real<T>>(k);
      decompose<T>("linalg.pinv", MatrixMap<T>(matrix.data(), m, n), false, u, s, vh);
      const double least = std::max(atol.data_as<double>()[i], rtol.data_as<double>()[i] * double(s[0]));
      // (diag(1 / s) Vh)^H U^H, of which the GEMM conjugates nothing
      for (Eigen::Index r = 0; r < k; ++r)
        MatrixMap<T>(vh, k, n).row(r) *= double(s[r]) > least ? Real<T>(1) / s[r] : Real<T>(0);
      run_gemm_call({n, m, k, {vh, n, true}, {u, k, true}, matrix_at<T>(result, i).data(), m}, a.dtype());
      if constexpr (!std::is_floating_point_v<T>)
        matrix_at<T>(result, i) = matrix_at<T>(result, i).conjugate().eval();
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
