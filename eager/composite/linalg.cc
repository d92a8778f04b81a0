// fj.linalg in terms of the kernels of eager/cpu/linalg/: systems of equations, factorizations, products.
#include <limits>

#include "eager/composite/linalg_support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/joining.h"
#include "generated/ops/linalg.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

void check_matrices(const char* name, const Tensor& a) {
  FRAMEJIT_CHECK(a.dim() >= 2, name, ": The input tensor A must have at least 2 dimensions.");
}
void check_square(const char* name, const Tensor& a) {
  check_matrices(name, a);
  FRAMEJIT_CHECK(rows_of(a) == columns_of(a), name, ": A must be batches of square matrices, but they are ",
                 rows_of(a).str(), " by ", columns_of(a).str(), " matrices");
}

namespace {

/// Both with the common batch.
void broadcast_batches(Tensor& a, Tensor& b) {
  const Dims batch = broadcast_sizes(batch_sizes(a), batch_sizes(b));
  a = with_batch(a, batch);
  b = with_batch(b, batch);
}

/// NumPy's rule: b holds vectors where it has one dim, or one less than A and A's sizes.
bool is_vector(const Tensor& a, const Tensor& b) {
  Dims expected = a.sizes();
  expected.resize(expected.size() - 1);
  return b.dim() == 1 || (a.dim() - 1 == b.dim() && b.sizes() == expected);
}

std::array<Tensor, 2> solve(const char* name, Tensor a, Tensor b, bool left, bool check_errors) {
  check_square(name, a);
  const bool vector = is_vector(a, b);
  FRAMEJIT_CHECK(left || !vector, name,
                 ": Vector broadcasting of the left hand side is not supported for left=False. In this case ",
                 name, " is equivalent to B / A.squeeze(-1)");
  if (vector) b = unsqueeze(b, -1);
  check_matrices(name, b);
  if (!left) a = transposed(a), b = transposed(b);
  FRAMEJIT_CHECK(rows_of(b) == rows_of(a), name, ": Incompatible shapes of A and B for the equation ",
                 left ? "AX = B" : "XA = B", " (", rows_of(a).str(), "x", columns_of(a).str(), " and ",
                 (left ? rows_of(b) : columns_of(b)).str(), "x", (left ? columns_of(b) : rows_of(b)).str(),
                 ")");
  broadcast_batches(a, b);
  std::array<Tensor, 2> solution = _linalg_solve(a, b, check_errors);
  if (!left) solution[0] = transposed(solution[0]);
  if (vector) solution[0] = squeeze(solution[0], one_dim(-1));
  return solution;
}

Tensor solve_triangular(Tensor a, Tensor b, bool upper, bool left, bool unitriangular) {
  check_square("linalg.solve_triangular", a);
  check_matrices("linalg.solve_triangular", b);
  if (!left) {
    a = transposed(a);
    b = transposed(b);
    upper = !upper;
  }
  broadcast_batches(a, b);
  const Tensor x = _linalg_solve_triangular(a, b, upper, unitriangular);
  return left ? x : transposed(x);
}

Tensor unit_lower(const Tensor& lu) {
  const SymInt k = sym_min(rows_of(lu), columns_of(lu));
  return tril(narrow(lu, -1, 0, k), -1) + eye(rows_of(lu), k, lu.dtype(), lu.device());
}
Tensor upper_of(const Tensor& lu) { return triu(narrow(lu, -2, 0, sym_min(rows_of(lu), columns_of(lu)))); }

Tensor nothing(const Tensor& like, DType dtype) { return empty(Dims{0}, dtype, like.device()); }

/// LU @ X = P.mT @ B, or U.mH @ L.mH @ (P.mT @ X) = B.
Tensor lu_solve(const Tensor& lu, const Tensor& pivots, Tensor b, bool left, bool adjoint_of) {
  check_square("linalg.lu_solve", lu);
  check_matrices("linalg.lu_solve", b);
  if (!left) return mh(lu_solve(lu, pivots, mh(b), true, !adjoint_of));
  const Tensor p = _linalg_permutation(pivots, rows_of(lu), lu.dtype());
  if (!adjoint_of)
    return solve_triangular(lu, solve_triangular(lu, matmul(transposed(p), b), false, true, true), true, true,
                            false);
  const Tensor turned = mh(lu);
  return matmul(p,
                solve_triangular(turned, solve_triangular(turned, b, false, true, false), true, true, true));
}

}  // namespace

Tensor singular_values(const Tensor& a) {
  return _linalg_svd(a, /*full_matrices=*/false, /*compute_uv=*/may_differentiate(a))[1];
}
Tensor symmetric_eigenvalues(const Tensor& a, const std::string& triangle) {
  return _linalg_eigh(a, triangle, /*compute_v=*/may_differentiate(a))[0];
}

void linalg_inv_composite(const Value* args, Value* results) {
  results[0] = linalg_inv_ex(args[0].tensor(), /*check_errors=*/true)[0];
}

void linalg_solve_ex_composite(const Value* args, Value* results) {
  auto [x, info] =
      solve("linalg.solve", args[0].tensor(), args[1].tensor(), args[2].boolean(), args[3].boolean());
  results[0] = x;
  results[1] = info;
}
void linalg_solve_composite(const Value* args, Value* results) {
  results[0] = solve("linalg.solve", args[0].tensor(), args[1].tensor(), args[2].boolean(), true)[0];
}
void linalg_solve_triangular_composite(const Value* args, Value* results) {
  results[0] = solve_triangular(args[0].tensor(), args[1].tensor(), args[2].boolean(), args[3].boolean(),
                                args[4].boolean());
}

void linalg_lu_factor_composite(const Value* args, Value* results) {
  const auto factors = linalg_lu_factor_ex(args[0].tensor(), args[1].boolean(), /*check_errors=*/false);
  results[0] = factors[0];
  results[1] = factors[1];
}

void linalg_ldl_factor_composite(const Value* args, Value* results) {
  const auto factors = linalg_ldl_factor_ex(args[0].tensor(), args[1].boolean(), /*check_errors=*/true);
  results[0] = factors[0];
  results[1] = factors[1];
}
/// args: LD, pivots, B, hermitian.
void linalg_ldl_solve_composite(const Value* args, Value* results) {
  Tensor ld = args[0].tensor(), pivots = args[1].tensor(), b = args[2].tensor();
  check_square("linalg.ldl_solve", ld);
  check_matrices("linalg.ldl_solve", b);
  Dims expected = ld.sizes();
  expected.resize(expected.size() - 1);
  FRAMEJIT_CHECK(pivots.sizes() == expected,
                 "linalg.ldl_solve: Expected pivots of shape LD.shape[:-1], which is ", sizes_text(expected),
                 ", but got ", sizes_text(pivots.sizes()));
  FRAMEJIT_CHECK(is_integral(pivots.dtype(), /*include_bool=*/false),
                 "linalg.ldl_solve: Expected pivots to be integers, but got ", dtype_name(pivots.dtype()));
  FRAMEJIT_CHECK(rows_of(b) == rows_of(ld), "linalg.ldl_solve: Incompatible matrix sizes: LD is ",
                 rows_of(ld).str(), " by ", columns_of(ld).str(), " but B is ", rows_of(b).str(), " by ",
                 columns_of(b).str());
  broadcast_batches(ld, b);
  pivots = with_batch(to(pivots, DType::int32), batch_sizes(ld), 1);
  results[0] = _linalg_ldl_solve(ld, pivots, b, args[3].boolean());
}

void linalg_lu_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  const auto factors = linalg_lu_factor_ex(a, args[1].boolean(), /*check_errors=*/false);
  results[0] =
      args[1].boolean() ? _linalg_permutation(factors[1], rows_of(a), a.dtype()) : nothing(a, a.dtype());
  results[1] = unit_lower(factors[0]);
  results[2] = upper_of(factors[0]);
}
void linalg_lu_solve_composite(const Value* args, Value* results) {
  results[0] =
      lu_solve(args[0].tensor(), args[1].tensor(), args[2].tensor(), args[3].boolean(), args[4].boolean());
}
void lu_solve_composite(const Value* args, Value* results) {
  results[0] = lu_solve(args[1].tensor(), args[2].tensor(), args[0].tensor(), true, false);
}
/// args: LU, pivots, unpack_data, unpack_pivots.
void lu_unpack_composite(const Value* args, Value* results) {
  const Tensor lu = args[0].tensor();
  const bool data = args[2].boolean();
  results[0] = args[3].boolean() ? _linalg_permutation(args[1].tensor(), rows_of(lu), lu.dtype())
                                 : nothing(lu, lu.dtype());
  results[1] = data ? unit_lower(lu) : nothing(lu, lu.dtype());
  results[2] = data ? upper_of(lu) : nothing(lu, lu.dtype());
}

void linalg_cholesky_composite(const Value* args, Value* results) {
  results[0] = linalg_cholesky_ex(args[0].tensor(), args[1].boolean(), /*check_errors=*/true)[0];
}
/// args: B, factor, upper.
void cholesky_solve_composite(const Value* args, Value* results) {
  Tensor b = args[0].tensor(), factor = args[1].tensor();
  check_square("cholesky_solve", factor);
  check_matrices("cholesky_solve", b);
  broadcast_batches(b, factor);
  results[0] = _cholesky_solve(b, factor, args[2].boolean());
}
void cholesky_inverse_composite(const Value* args, Value* results) {
  const Tensor factor = args[0].tensor();
  check_square("cholesky_inverse", factor);
  const Tensor one = eye(rows_of(factor), factor.dtype(), factor.device());
  results[0] = _cholesky_solve(with_batch(one, batch_sizes(factor)), factor, args[1].boolean());
}
/// args: B, A, upper, transpose, unitriangular.
void triangular_solve_composite(const Value* args, Value* results) {
  const Tensor a = args[1].tensor();
  const bool turned = args[3].boolean(), upper = args[2].boolean() != turned;
  const Tensor x =
      solve_triangular(turned ? transposed(a) : a, args[0].tensor(), upper, true, args[4].boolean());
  results[0] = x;
  results[1] = clone(with_batch(a, batch_sizes(x)));
}

void qr_composite(const Value* args, Value* results) {
  const auto factors = linalg_qr(args[0].tensor(), args[1].boolean() ? "reduced" : "complete");
  results[0] = factors[0];
  results[1] = factors[1];
}

void linalg_svd_composite(const Value* args, Value* results) {
  const auto parts = _linalg_svd(args[0].tensor(), args[1].boolean(), true);
  for (int i = 0; i < 3; ++i) results[i] = parts[size_t(i)];
}
void linalg_svdvals_composite(const Value* args, Value* results) {
  results[0] = singular_values(args[0].tensor());
}
/// args: self, some, compute_uv.
void svd_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  if (!args[2].boolean()) {
    check_matrices("linalg.svd", a);
    auto zeros_of = [&](SymInt side) {
      Dims sizes = batch_sizes(a);
      sizes.push_back(side);
      sizes.push_back(side);
      return zeros(sizes, a.dtype(), a.device());
    };
    results[0] = zeros_of(rows_of(a));
    results[1] = singular_values(a);
    results[2] = zeros_of(columns_of(a));
    return;
  }
  const auto parts = _linalg_svd(a, !args[1].boolean(), true);
  results[0] = parts[0];
  results[1] = parts[1];
  results[2] = mh(parts[2]);
}

void linalg_eigh_composite(const Value* args, Value* results) {
  const auto parts = _linalg_eigh(args[0].tensor(), args[1].string(), true);
  results[0] = parts[0];
  results[1] = parts[1];
}
void linalg_eigvalsh_composite(const Value* args, Value* results) {
  results[0] = symmetric_eigenvalues(args[0].tensor(), args[1].string());
}

void linalg_eig_composite(const Value* args, Value* results) {
  const auto parts = _linalg_eig(args[0].tensor(), /*compute_v=*/true);
  results[0] = parts[0];
  results[1] = parts[1];
}
void linalg_eigvals_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = _linalg_eig(self, /*compute_v=*/may_differentiate(self))[0];
}

void det_composite(const Value* args, Value* results) { results[0] = linalg_det(args[0].tensor()); }
void slogdet_composite(const Value* args, Value* results) {
  const auto parts = linalg_slogdet(args[0].tensor());
  results[0] = parts[0];
  results[1] = parts[1];
}
void logdet_composite(const Value* args, Value* results) {
  const auto [sign, logabsdet] = linalg_slogdet(args[0].tensor());
  results[0] = is_complex(sign.dtype())
                   ? log(sign) + logabsdet
                   : where(eq(sign, -1), std::numeric_limits<double>::quiet_NaN(), logabsdet);
}
void matrix_exp_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  results[0] = narrowed(_linalg_matrix_exp(widened(a)), a.dtype());
}

/// By repeated squaring.
void matrix_power_composite(const Value* args, Value* results) {
  Tensor base = args[0].tensor();
  int64_t exponent = args[1].integer();
  check_square("linalg.matrix_power", base);
  if (exponent == 0) {
    return void(results[0] = zero(base) + eye(rows_of(base), base.dtype(), base.device()));
  }
  if (exponent < 0) base = linalg_inv(base);
  exponent = std::abs(exponent);
  Tensor result;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = result.defined() ? matmul(result, base) : base;
    if (exponent > 1) base = matmul(base, base);
  }
  results[0] = result == args[0].tensor() ? clone(result) : result;
}

/// args: tau, of the reflections I - tau v v^H whose v are the columns below the diagonal, with 1 on it.
void linalg_householder_product_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), tau = args[1].tensor();
  check_matrices("torch.linalg.householder_product", input);
  const SymInt rows = rows_of(input), columns = columns_of(input);
  FRAMEJIT_CHECK(rows >= columns,
                 "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
                 "input.shape[-1]");
  FRAMEJIT_CHECK(columns >= tau.size(tau.dim() - 1),
                 "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to "
                 "tau.shape[-1], but got ",
                 columns.str(), " and ", tau.size(tau.dim() - 1).str());
  const Tensor unit = eye(rows, columns, input.dtype(), input.device());
  const Tensor vectors = tril(input, -1) + unit;
  Tensor q = zero(input) + unit;
  for (int64_t i = tau.size(tau.dim() - 1).expect() - 1; i >= 0; --i) {
    const Tensor v = narrow(vectors, -1, i, 1);
    q = q - unsqueeze(narrow(tau, -1, i, 1), -1) * matmul(v, matmul(mh(v), q));
  }
  results[0] = q;
}

}  // namespace framejit::eager
