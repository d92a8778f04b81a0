// Norms, condition numbers, ranks and pseudo-inverses.
#include <cmath>
#include <limits>
#include <optional>

#include "eager/composite/linalg_support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/linalg.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

namespace {

/// `dim` = (row dim, column dim), counted from the front.
struct MatrixDims {
  int row, column;

  MatrixDims(const char* name, const Tensor& a, const Dims& dim) {
    FRAMEJIT_CHECK(dim.size() == 2, name, ": dim must be a 2-tuple. Got ", sizes_text(dim));
    row = wrap_dim(dim[0], a.dim());
    column = wrap_dim(dim[1], a.dim());
    FRAMEJIT_CHECK(row != column, name, ": dims must be different. Got (", dim[0], ", ", dim[1], ")");
  }
};

/// The largest along `dim`, which stays with size 1: zero of none, where amax would raise.
Tensor largest_along(const Tensor& nonnegative, int dim) {
  return nonnegative.size(dim) == 0 ? sum(nonnegative, Dims{dim}, true) : amax(nonnegative, Dims{dim}, true);
}

/// A norm that is a function of the singular values.
template <class F>
Tensor spectral_norm(const Tensor& a, const MatrixDims& dims, bool keepdim, F reduce) {
  const Tensor last = movedim(a, Dims{dims.row, dims.column}, Dims{-2, -1});
  Tensor result = reduce(singular_values(last));
  if (!keepdim) return result;
  result = unsqueeze(result, std::min(dims.row, dims.column));
  return unsqueeze(result, std::max(dims.row, dims.column));
}

/// Largest (or smallest) sum of absolute values along `summed`, over `compared`.
Tensor extreme_sum(const Tensor& a, int summed, int compared, bool largest, bool keepdim) {
  const Tensor sums = sum(abs(a), Dims{summed}, true);
  const Tensor result = largest ? largest_along(sums, compared) : amin(sums, Dims{compared}, true);
  return keepdim ? result : squeeze(result, Dims{summed, compared});
}

Tensor frobenius_norm(const Tensor& a, const Dims& dim, bool keepdim) {
  return linalg_vector_norm(a, 2, dim, keepdim);
}

/// `order` is a number or one of the names.
Tensor matrix_norm(const char* name, const Value& order, const Tensor& a, const Dims& dim, bool keepdim) {
  FRAMEJIT_CHECK(a.dim() >= 2, name, ": The input tensor A must have at least 2 dimensions.");
  FRAMEJIT_CHECK(is_inexact(a.dtype()), name, ": Expected a floating point or complex tensor as input. Got ",
                 dtype_name(a.dtype()));
  const MatrixDims dims(name, a, dim);
  if (order.tag() == Value::Tag::string) {
    FRAMEJIT_CHECK(order.string() == "fro" || order.string() == "nuc", name, ": Order ", order.string(),
                   " not supported.");
    if (order.string() == "fro") return frobenius_norm(a, dim, keepdim);
    return spectral_norm(a, dims, keepdim, [](const Tensor& s) { return sum(s, one_dim(-1)); });
  }
  const double p = order.real();
  if (std::abs(p) == 2)
    return spectral_norm(a, dims, keepdim, [p](const Tensor& s) {
      return p > 0 ? squeeze(largest_along(s, s.dim() - 1), one_dim(-1)) : amin(s, one_dim(-1));
    });
  if (std::abs(p) == 1) return extreme_sum(a, dims.row, dims.column, p > 0, keepdim);
  FRAMEJIT_CHECK(std::isinf(p), name, ": Order ", p, " not supported.");
  return extreme_sum(a, dims.column, dims.row, p > 0, keepdim);
}

Tensor cast_if(const Tensor& self, const Value& dtype) {
  return dtype.is_none() ? self : cast(self, dtype.dtype());
}

/// A tolerance as a float64 tensor that broadcasts against the batch.
Tensor tolerance(const Value& value) {
  return value.is_tensor() ? cast(value.tensor(), DType::float64) : full(Dims(), value, DType::float64);
}

struct Tolerances {
  Tensor absolute, relative;

  /// A relative tolerance of epsilon times the longer side, unless one is given or the absolute one is not
  /// zero.
  Tolerances(const Tensor& a, const Value& atol, const Value& rtol) {
    const double usual = epsilon(a.dtype()) * double(sym_max(rows_of(a), columns_of(a)).expect());
    absolute = tolerance(atol.is_none() ? Value(0.0) : atol);
    if (!rtol.is_none())
      relative = tolerance(rtol);
    else if (atol.is_tensor())
      relative = where(gt(absolute, 0), 0.0, full(Dims(), usual, DType::float64));
    else
      relative = tolerance(!atol.is_none() && atol.real() > 0 ? 0.0 : usual);
  }
};

Tensor matrix_rank(const Tensor& a, const Tolerances& tolerances, bool hermitian) {
  const Tensor values = hermitian ? abs(symmetric_eigenvalues(a)) : singular_values(a);
  if (values.size(values.dim() - 1) == 0) return zeros(batch_sizes(a), DType::int64, a.device());
  const Tensor least = maximum(tolerances.absolute, tolerances.relative * amax(values, one_dim(-1)));
  return sum(gt(values, unsqueeze(least, -1)), one_dim(-1));
}

Tensor pinv(const Tensor& a, const Tolerances& tolerances, bool hermitian) {
  if (hermitian) check_square("linalg.pinv", a);
  const Dims batch = batch_sizes(a);
  return _linalg_pinv(a, expand(tolerances.absolute, batch), expand(tolerances.relative, batch), hermitian);
}

/// Vectors, or matrices in the last two dims, by how many dims ord or dim say.
Tensor norm(const Value* args, const Value& order) {
  const Tensor a = cast_if(args[0].tensor(), args[4]);
  const bool keepdim = args[3].boolean();
  const std::optional<Dims> dim = optional_dims(args[2]);
  FRAMEJIT_CHECK(!dim || dim->size() == 1 || dim->size() == 2 || order.is_none(),
                 "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", sizes_text(*dim));
  FRAMEJIT_CHECK(dim || order.is_none() || a.dim() == 1 || a.dim() == 2,
                 "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ", a.dim(),
                 "D.");
  const bool matrices = !order.is_none() && (dim ? dim->size() == 2 : a.dim() == 2);
  if (matrices) return matrix_norm("linalg.matrix_norm", order, a, dim ? *dim : Dims{0, 1}, keepdim);
  FRAMEJIT_CHECK(order.tag() != Value::Tag::string, "linalg.norm: Order ", order.string(),
                 " is of matrices, but got vectors.");
  return linalg_vector_norm(a, order.is_none() ? Value(2) : order, dim, keepdim);
}

}  // namespace

void linalg_norm_composite(const Value* args, Value* results) { results[0] = norm(args, args[1]); }
void linalg_norm_str_composite(const Value* args, Value* results) { results[0] = norm(args, args[1]); }

/// args: self, ord, dim, keepdim, dtype.
void linalg_matrix_norm_composite(const Value* args, Value* results) {
  results[0] = matrix_norm("linalg.matrix_norm", args[1], cast_if(args[0].tensor(), args[4]), args[2].dims(),
                           args[3].boolean());
}
void nuclear_norm_composite(const Value* args, Value* results) {
  results[0] = matrix_norm("nuclear_norm", "nuc", args[0].tensor(), args[1].dims(), args[2].boolean());
}

/// The norm of A times that of its inverse; the inverse of a singular matrix has an infinite one.
void linalg_cond_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  check_matrices("linalg.cond", a);
  const Value& p = args[1];
  const bool named = p.tag() == Value::Tag::string;
  if (!named && (p.is_none() || std::abs(p.real()) == 2)) {
    const Tensor s = singular_values(a);
    if (columns_of(s) == 0) return void(results[0] = zeros(batch_sizes(a), a.dtype(), a.device()));
    const Tensor largest = select(s, -1, 0), smallest = select(s, -1, -1);
    results[0] = p.is_none() || p.real() > 0 ? largest / smallest : smallest / largest;
    return;
  }
  check_square("linalg.cond", a);
  if (rows_of(a) == 0) return void(results[0] = zeros(batch_sizes(a), a.dtype(), a.device()));
  const auto [inverse, info] = linalg_inv_ex(a);
  const Dims last{-2, -1};
  const Tensor product =
      matrix_norm("linalg.cond", p, a, last, false) * matrix_norm("linalg.cond", p, inverse, last, false);
  results[0] = masked_fill(product, ne(info, 0), std::numeric_limits<double>::infinity());
}

/// args: self, atol, rtol, hermitian.
void linalg_matrix_rank_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  check_matrices("linalg.matrix_rank", a);
  results[0] = matrix_rank(a, Tolerances(a, args[1], args[2]), args[3].boolean());
}
void linalg_matrix_rank_tol_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  check_matrices("linalg.matrix_rank", a);
  results[0] = matrix_rank(a, Tolerances(a, args[1], 0.0), args[2].boolean());
}

void linalg_pinv_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  check_matrices("linalg.pinv", a);
  results[0] = pinv(a, Tolerances(a, args[1], args[2]), args[3].boolean());
}
void linalg_pinv_rcond_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  check_matrices("linalg.pinv", a);
  results[0] = pinv(a, Tolerances(a, 0.0, args[1]), args[2].boolean());
}
void pinverse_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor();
  check_matrices("linalg.pinv", a);
  results[0] = pinv(a, Tolerances(a, 0.0, args[1]), false);
}

}  // namespace framejit::eager
