// LU factorization with row exchanges, and what follows from it.
#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/dense.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/scratch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// The diagonal of U, and the sign of P.
template <class T>
struct Diagonal {
  explicit Diagonal(const MatrixMap<T>& a)
      : elements(Scratch::of_thread().take_array<T>(a.rows()), a.rows()) {
    odd = factor_kernels<T>().determinant(a.data(), a.rows(), elements.data());
  }
  T sign() const { return T(odd ? -1 : 1); }
  T product() const { return sign() * elements.prod(); }

  ScratchScope scope;
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> elements;
  bool odd;
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

/// By A = U S V^H: det(U) * det(V^H) * V @ diag(products of the other singular values) @ U^H.
template <class T>
void adjugate_by_svd(const MatrixMap<T>& a, MatrixMap<T> result) {
  const Eigen::Index n = a.rows();
  RowMajor<T> u(n, n), vh(n, n);
  Vector<Real<T>> s(n);
  if (!a.allFinite()) return result.setConstant(T(std::numeric_limits<Real<T>>::quiet_NaN())), void();
  dense_kernels<T>().svd(a.data(), n, n, true, true, u.data(), s.data(), vh.data());
  const T factor = Diagonal<T>(MatrixMap<T>(u.data(), n, n)).product() *
                   Diagonal<T>(MatrixMap<T>(vh.data(), n, n)).product();
  Vector<T> others = Vector<T>::Constant(n, factor);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      if (i != j) others(i) *= s(j);
  const RowMajor<T> scaled = others.asDiagonal() * u.adjoint();
  result.noalias() = vh.adjoint() * scaled;
}

}  // namespace

void linalg_inv_ex_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      made[1].data_as<int32_t>()[i] = factor_kernels<T>().inverse(matrix_at<T>(a, i).data(), rows_of(a),
                                                                  matrix_at<T>(made[0], i).data()) +
                                      1;
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
      made[1].data_as<int32_t>()[i] =
          factor_kernels<T>().solve(matrix_at<T>(a, i).data(), rows_of(a), matrix_at<T>(b, i).data(),
                                    columns_of(b), matrix_at<T>(made[0], i).data()) +
          1;
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
        zero_pivot = factor_kernels<T>().lu(matrix_at<T>(a, i).data(), rows_of(a), columns_of(a),
                                            matrix_at<T>(made[0], i).data(), pivots.data());
        pivots.array() += 1;
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
                    [&](int64_t i) { result.data_as<T>()[i] = Diagonal<T>(matrix_at<T>(a, i)).product(); });
  });
  results[0] = std::move(result);
}

void linalg_slogdet_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      const Diagonal<T> diagonal(matrix_at<T>(a, i));
      made[0].data_as<T>()[i] = diagonal.sign() * diagonal.elements.sign().prod();
      made[1].data_as<Real<T>>()[i] = diagonal.elements.abs().log().sum();
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
      const Diagonal<T> diagonal(matrix_at<T>(a, i));
      const auto pivots = diagonal.elements.abs().eval();
      auto adjugate = matrix_at<T>(result, i);
      // Without nearly zero pivots the inverse is accurate.
      if (pivots.minCoeff() > pivots.maxCoeff() * std::sqrt(std::numeric_limits<Real<T>>::epsilon())) {
        factor_kernels<T>().inverse(matrix_at<T>(a, i).data(), rows_of(a), adjugate.data());
        adjugate *= diagonal.product();
      } else {
        adjugate_by_svd<T>(matrix_at<T>(a, i), adjugate);
      }
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
