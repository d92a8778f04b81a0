// Distances between vectors.
#include <cmath>

#include "eager/autograd/losses_formulas.h"
#include "eager/composite/support.h"
#include "eager/cpu/nn/distances.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/scatter.h"
#include "generated/ops/shapes.h"
#include "generated/ops/losses.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// |a - b|^2 = |a|^2 + |b|^2 - 2 a b, by one product of matrices.
Tensor euclidean_by_product(const Tensor& a, const Tensor& b) {
  const Tensor ones_a = ones_like(narrow(a, -1, 0, 1)), ones_b = ones_like(narrow(b, -1, 0, 1));
  const Dims last = one_dim(-1);
  const Tensor left = cat({a * -2, sum(square(a), last, true), ones_a}, -1);
  const Tensor right = cat({b, ones_b, sum(square(b), last, true)}, -1);
  const Tensor squares = clamp_min(matmul(left, transpose(right, -2, -1)), 0);
  const Tensor zero = eq(squares, 0);
  return masked_fill(sqrt(masked_fill(squares, zero, 1)), zero, 0);
}

/// By the kernel: batches as one dim.
Tensor distances_of_rows(const Tensor& x1, const Tensor& x2, double p) {
  const DType dtype = promote(x1.dtype(), x2.dtype());
  Dims batch1 = x1.sizes(), batch2 = x2.sizes();
  batch1.resize(x1.dim() - 2), batch2.resize(x2.dim() - 2);
  Dims sizes = broadcast_sizes(batch1, batch2);
  SymInt count = 1;
  for (int d = 0; d < sizes.size(); ++d) count = count * sizes.sym(d);
  const auto as_batch = [&](const Tensor& x) {
    const SymInt rows = x.size(x.dim() - 2), width = x.size(x.dim() - 1);
    Dims whole = sizes;
    whole.push_back(rows), whole.push_back(width);
    const Tensor wide = widened(cast(x, dtype));
    return reshape(wide.sizes() == whole ? wide : expand(wide, whole),
                   Dims{count.bits(), rows.bits(), width.bits()});
  };
  const Tensor distances = pairwise_norms(as_batch(x1), as_batch(x2), p);
  sizes.push_back(x1.size(x1.dim() - 2)), sizes.push_back(x2.size(x2.dim() - 2));
  return narrowed(reshape(distances, sizes), dtype);
}

/// Whether neither a trace records what is done nor a derivative of the derivative is wanted.
bool by_kernel(const Tensor& grad, const Tensor& self) {
  return !modes().grad_enabled && !grad.is_symbolic() && !self.is_symbolic();
}

/// The gradient of differences (..., M) whose norms are `distances` (...).
Tensor norm_backward(const Tensor& grad, const Tensor& differences, const Tensor& distances, double p) {
  const Tensor whole = unsqueeze(distances, -1), weight = unsqueeze(grad, -1);
  if (p == 0) return differences * 0 * weight;
  if (p == 1) return sign(differences) * weight;
  if (p != 2) return where(eq(abs(differences), whole), sign(differences) * weight, 0);
  const Tensor zero = eq(whole, 0);
  return masked_fill(weight / masked_fill(whole, zero, 1), zero, 0) * differences;
}

}  // namespace

namespace ops {

std::array<Tensor, 2> pairwise_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                                              const Tensor& distances, double p,
                                              const std::array<bool, 2>& needed) {
  std::array<Tensor, 2> gradients;
  if (by_kernel(grad, self)) {
    if (needed[0]) gradients[0] = cpu::pairwise_norms_backward(grad, self, other, distances, p);
    if (needed[1])
      gradients[1] =
          cpu::pairwise_norms_backward(transpose(grad, 1, 2), other, self, transpose(distances, 1, 2), p);
    return gradients;
  }
  const Tensor changes = norm_backward(grad, unsqueeze(self, 2) - unsqueeze(other, 1), distances, p);
  if (needed[0]) gradients[0] = sum(changes, one_dim(2));
  if (needed[1]) gradients[1] = -sum(changes, one_dim(1));
  return gradients;
}

Tensor condensed_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& distances, double p) {
  if (by_kernel(grad, self)) return cpu::condensed_norms_backward(grad, self, distances, p);
  const Tensor pairs = triu_indices(self.size(0), self.size(0), 1);
  const Tensor first = select(pairs, 0, 0), second = select(pairs, 0, 1);
  const Tensor changes =
      norm_backward(grad, index_select(self, 0, first) - index_select(self, 0, second), distances, p);
  const Tensor zero = zeros_like(self);
  return index_add(zero, 0, first, changes) - index_add(zero, 0, second, changes);
}

}  // namespace ops

/// args: x1, x2, dim, eps. Each vector is made as long as 1 (or shorter where it is near 0) first.
void cosine_similarity_composite(const Value* args, Value* results) {
  const Tensor x1 = args[0].tensor(), x2 = args[1].tensor();
  const Dims sizes = broadcast_sizes(x1.sizes(), x2.sizes());
  const int dim = wrap_dim(args[2].integer(), sizes.size());
  FRAMEJIT_CHECK(is_floating(x1.dtype()) || is_floating(x2.dtype()),
                 "expected common dtype to be floating point, yet common dtype is ", dtype_name(x1.dtype()));
  const auto unit = [&](const Tensor& x) {
    const Tensor whole = expand(x, sizes), squares = sum(square(whole), one_dim(dim), true);
    const Tensor zero = eq(squares, 0);
    const Tensor length = masked_fill(sqrt(masked_fill(squares, zero, 1)), zero, 0);
    return whole / clamp_min(length, args[3]);
  };
  results[0] = sum(unit(x1) * unit(x2), one_dim(dim));
}

/// args: x1, x2, p, eps, keepdim.
void pairwise_distance_composite(const Value* args, Value* results) {
  const Tensor distance = norm(sub(args[0], args[1]) + args[3], args[2], one_dim(-1));
  results[0] = args[4].boolean() ? unsqueeze(distance, -1) : distance;
}

/// args: x1, x2, p, compute_mode.
void cdist_composite(const Value* args, Value* results) {
  const Tensor x1 = args[0].tensor(), x2 = args[1].tensor();
  const double p = args[2].real();
  FRAMEJIT_CHECK(is_floating(x1.dtype()),
                 "cdist only supports floating-point dtypes, X1 got: ", dtype_name(x1.dtype()));
  FRAMEJIT_CHECK(is_floating(x2.dtype()),
                 "cdist only supports floating-point dtypes, X2 got: ", dtype_name(x2.dtype()));
  FRAMEJIT_CHECK(x1.dim() >= 2, "cdist: X1 should have at least two dimensions, got ", x1.dim(), "D");
  FRAMEJIT_CHECK(x2.dim() >= 2, "cdist: X2 should have at least two dimensions, got ", x2.dim(), "D");
  const SymInt width = x1.size(x1.dim() - 1), rows1 = x1.size(x1.dim() - 2), rows2 = x2.size(x2.dim() - 2);
  FRAMEJIT_CHECK(width == x2.size(x2.dim() - 1),
                 "X1 and X2 must have the same number of columns. X1: ", width.str(),
                 " X2: ", x2.size(x2.dim() - 1).str());
  FRAMEJIT_CHECK(p >= 0, "cdist only supports non-negative p values");
  const std::string mode = args[3].is_none() ? "use_mm_for_euclid_dist_if_necessary" : args[3].string();
  const bool if_necessary = mode == "use_mm_for_euclid_dist_if_necessary",
             always = mode == "use_mm_for_euclid_dist";
  FRAMEJIT_CHECK_TYPE(if_necessary || always || mode == "donot_use_mm_for_euclid_dist", value, mode,
                      " is not a valid value for compute_mode");
  if (width == 0) {
    Dims batch1 = x1.sizes(), batch2 = x2.sizes();
    batch1.resize(x1.dim() - 2), batch2.resize(x2.dim() - 2);
    Dims sizes = broadcast_sizes(batch1, batch2);
    sizes.push_back(rows1), sizes.push_back(rows2);
    return void(results[0] = zeros(sizes, x1.dtype(), x1.device()));
  }
  const bool by_product = p == 2 && (always || (if_necessary && (rows1 > 25 || rows2 > 25)));
  results[0] = by_product                    ? euclidean_by_product(x1, x2)
               : cpu::has_distance_kernel(p) ? distances_of_rows(x1, x2, p)
                                             : norm(unsqueeze(x1, -2) - unsqueeze(x2, -3), p, one_dim(-1));
}

/// args: input, p.
void pdist_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  FRAMEJIT_CHECK(input.dim() == 2, "pdist only supports 2D tensors, got: ", input.dim(), "D");
  FRAMEJIT_CHECK(is_floating(input.dtype()), "pdist only supports floating-point dtypes");
  FRAMEJIT_CHECK(args[1].real() >= 0, "pdist only supports non-negative p values");
  const double p = args[1].real();
  if (cpu::has_distance_kernel(p))
    return void(results[0] = narrowed(condensed_norms(widened(input), p), input.dtype()));
  const int64_t rows = input.size(0).expect();
  std::vector<Tensor> parts;
  for (int64_t i = 0; i + 1 < rows; ++i)
    parts.push_back(narrow(input, 0, i, 1) - narrow(input, 0, i + 1, rows - i - 1));
  if (parts.empty()) parts.push_back(narrow(input, 0, 0, 0));
  results[0] = norm(cat(parts, 0), args[1], one_dim(-1));
}

}  // namespace framejit::eager
