// Shape rules of the linear algebra kernels: batches of matrices in the last two dims.
#include "eager/error.h"
#include "eager/meta/shapes.h"
#include "eager/meta/type_names.h"

namespace framejit::eager {

namespace {

/// "linalg.inv" of the row linalg_inv_ex: what the user called.
std::string shown_name(const Op& op) {
  std::string name = op.schema.name;
  if (name.front() == '_') name.erase(0, 1);
  name.replace(name.find('_'), 1, ".");
  if (name.ends_with("_ex")) name.resize(name.size() - 3);
  return name;
}

const TensorMeta& matrices(const Op& op, const Value& value) {
  const TensorMeta& meta = value.impl()->meta;
  FRAMEJIT_CHECK(is_inexact(meta.dtype), shown_name(op),
                 ": Expected a floating point or complex tensor as input. Got ",
                 scalar_type_name(meta.dtype));
  FRAMEJIT_CHECK(meta.sizes.size() >= 2, shown_name(op),
                 ": The input tensor A must have at least 2 dimensions.");
  return meta;
}

SymInt rows_of(const TensorMeta& meta) { return meta.sizes.sym(meta.sizes.size() - 2); }
SymInt columns_of(const TensorMeta& meta) { return meta.sizes.sym(meta.sizes.size() - 1); }

const TensorMeta& square_matrices(const Op& op, const Value& value) {
  const TensorMeta& meta = matrices(op, value);
  FRAMEJIT_CHECK(rows_of(meta) == columns_of(meta), shown_name(op),
                 ": A must be batches of square matrices, but they are ", rows_of(meta).str(), " by ",
                 columns_of(meta).str(), " matrices");
  return meta;
}

/// The batch dims of `meta`, then `tail`.
TensorMeta with_tail(const TensorMeta& meta, std::initializer_list<SymInt> tail, DType dtype) {
  Dims sizes = meta.sizes;
  sizes.resize(sizes.size() - 2);
  for (SymInt size : tail) sizes.push_back(size);
  return contiguous_meta(std::move(sizes), dtype, meta.device);
}
TensorMeta with_tail(const TensorMeta& meta, std::initializer_list<SymInt> tail) {
  return with_tail(meta, tail, meta.dtype);
}

TensorMeta nothing_like(const TensorMeta& meta) { return contiguous_meta(Dims{0}, meta.dtype, meta.device); }

SymInt smaller_side(const TensorMeta& meta) { return sym_min(rows_of(meta), columns_of(meta)); }

void check_same_dtype(const Op& op, const TensorMeta& a, const TensorMeta& b) {
  FRAMEJIT_CHECK(a.dtype == b.dtype, shown_name(op),
                 ": Expected A and B to have the same dtype, but found A of type ", scalar_type_name(a.dtype),
                 " and B of type ", scalar_type_name(b.dtype), " instead");
}

}  // namespace

void meta_linalg_square(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = square_matrices(op, args[0]);
  results.push_back(with_tail(a, {rows_of(a), columns_of(a)}));
}

void meta_linalg_inv_ex(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  meta_linalg_square(op, args, results);
  results.push_back(with_tail(args[0].impl()->meta, {}, DType::int32));
}

void meta_linalg_solve(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = square_matrices(op, args[0]);
  const TensorMeta& b = args[1].impl()->meta;
  check_same_dtype(op, a, b);
  FRAMEJIT_CHECK(rows_of(b) == rows_of(a), shown_name(op),
                 ": Incompatible shapes of A and B for the equation AX = B (", rows_of(a).str(), "x",
                 columns_of(a).str(), " and ", rows_of(b).str(), "x", columns_of(b).str(), ")");
  results.push_back(with_tail(a, {rows_of(a), columns_of(b)}));
  results.push_back(with_tail(a, {}, DType::int32));
}

void meta_linalg_solve_triangular(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  meta_linalg_solve(op, args, results);
  results.pop_back();
}

void meta_linalg_lu_factor_ex(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = matrices(op, args[0]);
  results.push_back(with_tail(a, {rows_of(a), columns_of(a)}));
  results.push_back(with_tail(a, {smaller_side(a)}, DType::int32));
  results.push_back(with_tail(a, {}, DType::int32));
}

void meta_linalg_ldl_factor_ex(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = square_matrices(op, args[0]);
  results.push_back(with_tail(a, {rows_of(a), columns_of(a)}));
  results.push_back(with_tail(a, {rows_of(a)}, DType::int32));
  results.push_back(with_tail(a, {}, DType::int32));
}

/// args: LD, pivots, B, hermitian; of one batch shape, as the composite has checked.
void meta_linalg_ldl_solve(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const Value system[] = {args[0], args[2]};
  meta_linalg_solve_triangular(op, system, results);
}

void meta_geqrf(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = args[0].impl()->meta;
  FRAMEJIT_CHECK(a.sizes.size() >= 2, "geqrf: input must have at least 2 dimensions, got shape ",
                 sizes_text(a.sizes), ".");
  FRAMEJIT_CHECK_TYPE(is_inexact(a.dtype), not_implemented,
                      "geqrf: expected a floating point or complex tensor, got ", dtype_name(a.dtype),
                      ". Try input.float().");
  results.push_back(with_tail(a, {rows_of(a), columns_of(a)}));
  results.push_back(with_tail(a, {smaller_side(a)}));
}

void meta_linalg_permutation(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& pivots = args[0].impl()->meta;
  const SymInt rows = args[1].sym_int();
  FRAMEJIT_CHECK(!pivots.sizes.empty() && pivots.sizes.sym(pivots.sizes.size() - 1) <= rows,
                 "Expected pivots to be at most ", rows.str(), " numbers a matrix, but got pivots of shape ",
                 sizes_text(pivots.sizes));
  FRAMEJIT_CHECK(pivots.dtype == DType::int32 || pivots.dtype == DType::int64,
                 "Expected pivots to be a tensor of int32, but got ", dtype_name(pivots.dtype));
  Dims sizes = pivots.sizes;
  sizes[sizes.size() - 1] = rows.bits();
  sizes.push_back(rows);
  results.push_back(contiguous_meta(std::move(sizes), args[2].dtype(), pivots.device));
}

void meta_linalg_det(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  results.push_back(with_tail(square_matrices(op, args[0]), {}));
}

void meta_linalg_slogdet(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = square_matrices(op, args[0]);
  results.push_back(with_tail(a, {}));
  results.push_back(with_tail(a, {}, real_type(a.dtype)));
}

void meta_linalg_cholesky_ex(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  meta_linalg_inv_ex(op, args, results);
}

void meta_cholesky_solve(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const Value turned[] = {args[1], args[0]};
  meta_linalg_solve_triangular(op, turned, results);
}

void meta_linalg_qr(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = matrices(op, args[0]);
  const std::string& mode = args[1].string();
  FRAMEJIT_CHECK(mode == "reduced" || mode == "complete" || mode == "r", "qr received unrecognized mode '",
                 mode, "' but expected one of 'reduced' (default), 'r', or 'complete'");
  const SymInt inner = mode == "complete" ? rows_of(a) : smaller_side(a);
  results.push_back(mode == "r" ? nothing_like(a) : with_tail(a, {rows_of(a), inner}));
  results.push_back(with_tail(a, {inner, columns_of(a)}));
}

void meta_linalg_svd(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = matrices(op, args[0]);
  const bool full = args[1].boolean(), vectors = args[2].boolean();
  const SymInt k = smaller_side(a);
  results.push_back(vectors ? with_tail(a, {rows_of(a), full ? rows_of(a) : k}) : nothing_like(a));
  results.push_back(with_tail(a, {k}, real_type(a.dtype)));
  results.push_back(vectors ? with_tail(a, {full ? columns_of(a) : k, columns_of(a)}) : nothing_like(a));
}

void meta_linalg_pinv(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = matrices(op, args[0]);
  results.push_back(with_tail(a, {columns_of(a), rows_of(a)}));
}

void meta_linalg_eigh(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = square_matrices(op, args[0]);
  const std::string& triangle = args[1].string();
  FRAMEJIT_CHECK(triangle == "L" || triangle == "U" || triangle == "l" || triangle == "u",
                 "Expected UPLO argument to be 'L' or 'U', but got ", triangle);
  results.push_back(with_tail(a, {rows_of(a)}, real_type(a.dtype)));
  results.push_back(args[2].boolean() ? with_tail(a, {rows_of(a), rows_of(a)}) : nothing_like(a));
}

void meta_linalg_eig(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& a = square_matrices(op, args[0]);
  results.push_back(with_tail(a, {rows_of(a)}, complex_type(a.dtype)));
  results.push_back(args[1].boolean() ? with_tail(a, {rows_of(a), rows_of(a)}, complex_type(a.dtype))
                                      : nothing_like(a));
}

}  // namespace framejit::eager
