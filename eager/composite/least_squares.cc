// Least squares: by QR where matrices are of full rank beyond doubt, else by singular values.
#include <array>
#include <cmath>

#include "eager/composite/linalg_support.h"
#include "eager/composite/no_graph.h"
#include "eager/cpu/linalg/least_squares.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/linalg.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

namespace {

bool all_of(const Tensor& mask) { return item(all(mask)).boolean(); }

/// Solutions by QR, for matrices of full rank; of a wide one, the solution of least norm.
struct QrSolution {
  bool tall;
  Tensor q, r;  ///< no Q where `projected` is there
  Tensor projected;

  QrSolution(const Tensor& a, const Tensor& b) : tall(rows_of(a) >= columns_of(a)) {
    const bool plain = !a.is_symbolic() && !b.is_symbolic() && !may_differentiate(a) && !may_differentiate(b);
    if (plain && tall && a.dtype() == b.dtype() && batch_sizes(a) == batch_sizes(b)) {
      // R of (A, B) is (R of A, Q^H B) in its first rows: no need for Q
      const SymInt n = columns_of(a);
      const Tensor both = narrow(linalg_qr(cat({a, b}, -1), "r")[1], -2, 0, n);
      r = narrow(both, -1, 0, n);
      projected = narrow(both, -1, n, columns_of(b));
      return;
    }
    const auto parts = linalg_qr(tall ? a : mh(a));
    q = parts[0], r = parts[1];
    if (tall) projected = matmul(mh(q), b);
  }
  Tensor of(const Tensor& b) const {
    return tall ? linalg_solve_triangular(r, projected, /*upper=*/true)
                : matmul(q, linalg_solve_triangular(mh(r), b, /*upper=*/false));
  }
};

Tensor frobenius_norm(const Tensor& matrix) {
  return linalg_vector_norm(matrix, 2, Dims{-2, -1}, /*keepdim=*/true);
}

/// Whether no singular value of these triangular matrices is near to `rcond` times the largest, by the norm of the
/// inverse and a few steps of power iteration.
Tensor far_from_singular(const Tensor& r, double rcond) {
  const Tensor inverse = linalg_solve_triangular(r, with_batch(eye(columns_of(r), r.dtype()), batch_sizes(r)),
                                                 /*upper=*/true);
  Tensor x = cast(transposed(sum(abs(r), one_dim(-2), /*keepdim=*/true)), r.dtype());
  for (int i = 0; i < 3; ++i) {
    x = matmul(mh(r), matmul(r, x));
    x = x / frobenius_norm(x);
  }
  constexpr double kMargin = 2;  // both are estimates
  const Tensor ratio = frobenius_norm(matmul(r, x)) * frobenius_norm(inverse);
  return reshape(lt(ratio, 1 / (kMargin * rcond)), batch_sizes(r));
}

/// Which matrices are of full rank beyond doubt, by their triangular factors.
Tensor of_full_rank(const Tensor& r, double rcond) {
  const Tensor pivots = abs(diagonal(r, 0, -2, -1));
  const Dims last = one_dim(-1);
  const Tensor safe = gt(amin(pivots, last), amax(pivots, last) * std::sqrt(epsilon(r.dtype())));
  return all_of(safe) ? safe : logical_or(safe, far_from_singular(r, rcond));
}

struct Solution {
  Tensor x, rank;
};

Solution by_singular_values(const Tensor& a, const Tensor& b, double rcond) {
  if (a.is_symbolic() || may_differentiate(a) || a.numel() == 0) {
    const Tensor tolerance = full(Dims(), rcond, DType::float64);
    return {matmul(linalg_pinv(a, Value(), tolerance, /*hermitian=*/false), b),
            linalg_matrix_rank(a, Value(), tolerance, /*hermitian=*/false)};
  }
  const auto [u, s, vh] = linalg_svd(a, /*full_matrices=*/false);
  const Tensor used = gt(s, amax(s, one_dim(-1), /*keepdim=*/true) * rcond);
  const Tensor inverses = cast(where(used, reciprocal(s), 0.0), a.dtype());
  return {matmul(mh(vh), unsqueeze(inverses, -1) * matmul(mh(u), b)), sum(used, one_dim(-1))};
}

/// What PyTorch's default driver does, without gradients.
Solution by_pivoted_qr(const Tensor& a, const Tensor& b, double rcond) {
  const cpu::LeastSquares found = cpu::least_squares(a, b, rcond);
  return {found.x, found.rank};
}

Solution by_qr(const QrSolution& qr, const Tensor& a, const Tensor& b) {
  return {qr.of(b), full(batch_sizes(a), Value(qr.tall ? columns_of(a) : rows_of(a)), DType::int64)};
}

/// QR may do for the usual tolerance. By `pivoting`, or by singular values, where it does not.
Solution least_squares(const Tensor& a, const Tensor& b, std::optional<double> given, bool pivoting) {
  constexpr int64_t kBlocks = 128;  ///< columns from which QR in blocks is the faster one
  const double usual = epsilon(a.dtype()) * double(sym_max(rows_of(a), columns_of(a)).expect());
  const double rcond = given.value_or(usual);
  pivoting = pivoting && needs_no_graph({a, b}) && a.dtype() == b.dtype() &&
             batch_sizes(a) == batch_sizes(b) && !(a.numel() == 0) && !(b.numel() == 0);
  if (pivoting && (given || columns_of(a).expect() < kBlocks)) return by_pivoted_qr(a, b, rcond);
  if (given || a.is_symbolic() || a.numel() == 0) return by_singular_values(a, b, rcond);
  const QrSolution qr(a, b);
  if (all_of(of_full_rank(detach(qr.r), usual))) return by_qr(qr, a, b);
  return pivoting ? by_pivoted_qr(a, b, rcond) : by_singular_values(a, b, rcond);
}

}  // namespace

/// args: A, B, rcond, driver. Residuals are given where they are no zeros: for tall matrices of full rank, by
/// the drivers that PyTorch gives them for.
void linalg_lstsq_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  check_matrices("torch.linalg.lstsq", a);
  const std::string driver = args[3].is_none() ? "gelsy" : args[3].string();
  FRAMEJIT_CHECK(driver == "gels" || driver == "gelsy" || driver == "gelsd" || driver == "gelss",
                 "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  const bool vector = a.dim() - 1 == b.dim();
  FRAMEJIT_CHECK(vector || a.dim() == b.dim(),
                 "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() "
                 "and (input.dim() - other.dim()) <= 1");
  const Tensor right = vector ? unsqueeze(b, -1) : b;
  const SymInt rows = rows_of(a), columns = columns_of(a);
  FRAMEJIT_CHECK(rows == rows_of(right), "torch.linalg.lstsq: input.size(-2) should match other.size(-",
                 vector ? 1 : 2, ")");
  const Tensor nothing = empty(Dims{0}, real_type(a.dtype()), a.device());
  const bool full_rank = driver == "gels";  // it is relied on
  const Solution found =
      full_rank ? Solution{QrSolution(a, right).of(right), empty(Dims{0}, DType::int64, a.device())}
                : least_squares(a, right, args[2].is_none() ? std::nullopt : std::optional(args[2].real()),
                                /*pivoting=*/driver == "gelsy");
  results[0] = vector ? squeeze(found.x, one_dim(-1)) : found.x;
  results[1] = nothing;
  results[2] = found.rank;
  results[3] = driver == "gelsd" || driver == "gelss" ? singular_values(a) : nothing;
  if (!(rows > columns) || driver == "gelsy") return;
  if (!full_rank && !all_of(eq(found.rank, columns))) return;
  const Tensor distance = matmul(a, found.x) - right;
  results[1] = sum(square(abs(distance)), one_dim(-2));
}

}  // namespace framejit::eager
