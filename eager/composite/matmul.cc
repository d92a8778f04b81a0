// Products made of mm and bmm, and attention.
#include <cmath>
#include <limits>

#include "eager/composite/fused_sums.h"
#include "eager/composite/halves.h"
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/nn/attention.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/matmul.h"
#include "generated/ops/neural.h"
#include "generated/ops/random.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor transposed(const Tensor& matrix) { return transpose(matrix, -2, -1); }

Tensor dot_product(const Tensor& a, const Tensor& b) {
  FRAMEJIT_CHECK(a.dim() == 1 && b.dim() == 1, "1D tensors expected, but got ", a.dim(), "D and ", b.dim(),
                 "D tensors");
  FRAMEJIT_CHECK(a.size(0) == b.size(0), "inconsistent tensor size, expected tensor ", sizes_text(a.sizes()),
                 " and src ", sizes_text(b.sizes()), " to have the same number of elements, but got ",
                 a.size(0).str(), " and ", b.size(0).str(), " elements respectively");
  static const Op& multiply = get_op("mul");
  if (const Tensor fused = fused_sum(multiply, {a, b}, std::nullopt, false); fused.defined()) return fused;
  const bool summed_as_is = a.dtype() == DType::float32 || a.dtype() == DType::float64;
  if (summed_as_is && a.dtype() == b.dtype()) return sum(a * b);  // faster than a product of matrices
  return reshape(mm(unsqueeze(a, 0), unsqueeze(b, 1)), Dims());
}

Tensor matrix_vector(const Tensor& a, const Tensor& b) {
  FRAMEJIT_CHECK(a.dim() == 2 && b.dim() == 1, "vector + matrix @ vector expected, got ", a.dim(), ", ",
                 b.dim());
  FRAMEJIT_CHECK(a.size(1) == b.size(0), "size mismatch, got input (", a.size(0).str(), "), mat (",
                 a.size(0).str(), "x", a.size(1).str(), "), vec (", b.size(0).str(), ")");
  return squeeze(mm(a, unsqueeze(b, 1)), one_dim(1));
}

/// Leading dims of `a` made rows: one product with a matrix instead of many.
Tensor folded_product(const Tensor& a, const Tensor& matrix) {
  Dims sizes = a.sizes();
  Dims leading = sizes;
  leading.resize(sizes.size() - 1);
  const Tensor rows = reshape(a, {numel(leading).bits(), sizes.back()});
  sizes[sizes.size() - 1] = matrix.sizes()[1];
  return reshape(mm(rows, matrix), sizes);
}

Dims batch_sizes(const Tensor& tensor) {
  Dims sizes = tensor.sizes();
  sizes.resize(sizes.size() - 2);
  return sizes;
}

/// One batch dim, after broadcasting to `batch`.
Tensor as_batch(const Tensor& tensor, const Dims& batch) {
  Dims sizes = batch;
  sizes.push_back(tensor.sizes()[tensor.dim() - 2]);
  sizes.push_back(tensor.sizes()[tensor.dim() - 1]);
  return reshape(expand(tensor, sizes), {numel(batch).bits(), sizes[batch.size()], sizes[batch.size() + 1]});
}

Tensor batched_product(const Tensor& a, const Tensor& b) {
  const Dims batch = broadcast_sizes(batch_sizes(a), batch_sizes(b));
  Dims sizes = batch;
  sizes.push_back(a.sizes()[a.dim() - 2]);
  sizes.push_back(b.sizes()[b.dim() - 1]);
  return reshape(bmm(as_batch(a, batch), as_batch(b, batch)), sizes);
}

Tensor product(const Tensor& a, const Tensor& b) {
  FRAMEJIT_CHECK(a.dim() > 0 && b.dim() > 0, "both arguments to matmul need to be at least 1D, but they are ",
                 a.dim(), "D and ", b.dim(), "D");
  if (a.dim() == 1 && b.dim() == 1) return dot_product(a, b);
  if (a.dim() == 2 && b.dim() == 2) return mm(a, b);
  if (a.dim() == 2 && b.dim() == 1) return matrix_vector(a, b);
  if (a.dim() == 1) return squeeze(product(unsqueeze(a, 0), b), one_dim(-2));
  if (b.dim() == 1) return squeeze(product(a, unsqueeze(b, 1)), one_dim(-1));
  if (b.dim() == 2) {
    FRAMEJIT_CHECK(a.size(a.dim() - 1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (",
                   floor_div(a.numel(), sym_max(1, a.size(a.dim() - 1))).str(), "x",
                   a.size(a.dim() - 1).str(), " and ", b.size(0).str(), "x", b.size(1).str(), ")");
    return folded_product(a, b);
  }
  return batched_product(a, b);
}

/// A factor of integers is an integer: PyTorch cuts its fraction off.
Value factor_for(DType dtype, const Value& factor) {
  const bool cut = category(dtype) <= category(DType::int64) && factor.tag() == Value::Tag::real;
  return cut ? Value(int64_t(factor.real())) : factor;
}

/// Whether a factor, which may be complex, is this number.
bool equals(const Value& factor, double number) {
  return factor.tag() == Value::Tag::complex ? factor.complex() == number : factor.real() == number;
}

/// beta * self + alpha * product, without multiplications by one; self is not read where beta is zero.
Tensor scaled_sum(const Value& self, const Tensor& product, const Value& beta_given,
                  const Value& alpha_given) {
  const Value beta = factor_for(product.dtype(), beta_given),
              alpha = factor_for(product.dtype(), alpha_given);
  const Tensor scaled = equals(alpha, 1) ? product : product * alpha;
  if (equals(beta, 0)) return scaled;
  return add(scaled, equals(beta, 1) ? self : Value(self * beta));  // in the order of the product in memory
}

/// The sum of the products of a batch: rows of all first matrices side by side times the second ones stacked.
Tensor summed_products(const Tensor& a, const Tensor& b) {
  FRAMEJIT_CHECK(a.dim() == 3 && b.dim() == 3, "batch1 and batch2 must be 3D tensors, got ", a.dim(),
                 "D and ", b.dim(), "D");
  FRAMEJIT_CHECK(a.size(0) == b.size(0), "batch1 and batch2 must have same number of batches, got ",
                 a.size(0).str(), " and ", b.size(0).str());
  FRAMEJIT_CHECK(a.size(2) == b.size(1), "Incompatible matrix sizes for bmm (", a.size(1).str(), "x",
                 a.size(2).str(), " and ", b.size(1).str(), "x", b.size(2).str(), ")");
  const SymInt inner = a.size(0) * a.size(2);
  return mm(reshape(transpose(a, 0, 1), {a.size(1).bits(), inner.bits()}),
            reshape(b, {inner.bits(), b.size(2).bits()}));
}

}  // namespace

void matmul_composite(const Value* args, Value* results) {
  results[0] = product(args[0].tensor(), args[1].tensor());
}
void dot_composite(const Value* args, Value* results) {
  results[0] = dot_product(args[0].tensor(), args[1].tensor());
}
void mv_composite(const Value* args, Value* results) {
  results[0] = matrix_vector(args[0].tensor(), args[1].tensor());
}

void outer_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), other = args[1].tensor();
  FRAMEJIT_CHECK(self.dim() == 1 && other.dim() == 1, "outer: Expected 1-D argument self and vec2, but got ",
                 self.dim(), "-D and ", other.dim(), "-D");
  results[0] = unsqueeze(self, 1) * other;
}

namespace {

/// Whether these are halves of one dtype, matrices or batches of them, and `self` has a place in the product's
/// sizes: multiplied and added up in float32, then, and rounded once.
bool are_halves_to_add(const Tensor& self, const Tensor& a, const Tensor& b, int rank) {
  if (!is_half(a.dtype()) || b.dtype() != a.dtype() || self.dtype() != a.dtype()) return false;
  if (a.dim() != rank || b.dim() != rank || self.dim() > rank) return false;
  Dims sizes = a.sizes();
  sizes[rank - 1] = b.sizes()[rank - 1];
  return broadcast_sizes(self.sizes(), sizes) == sizes;
}

/// beta * self + alpha * (a @ b), of matrices.
Tensor sum_with_product(const Value& self, const Tensor& a, const Tensor& b, const Value& beta,
                        const Value& alpha) {
  if (!equals(beta, 0) && self.is_tensor() && are_halves_to_add(self.tensor(), a, b, 2))
    return addmm_of_halves(self.tensor(), a, b, beta, alpha);
  return scaled_sum(self, mm(a, b), beta, alpha);
}

}  // namespace

void addmm_composite(const Value* args, Value* results) {
  results[0] = sum_with_product(args[0], args[1].tensor(), args[2].tensor(), args[3], args[4]);
}
void addmv_composite(const Value* args, Value* results) {
  const Tensor matrix = args[1].tensor(), vector = args[2].tensor();
  if (is_half(matrix.dtype()) && vector.dim() == 1 && args[0].is_tensor() && args[0].tensor().dim() <= 1) {
    const Tensor self = args[0].tensor();
    const Tensor column = self.dim() == 1 ? unsqueeze(self, 1) : self;
    results[0] =
        squeeze(sum_with_product(column, matrix, unsqueeze(vector, 1), args[3], args[4]), one_dim(1));
    return;
  }
  results[0] = scaled_sum(args[0], matrix_vector(matrix, vector), args[3], args[4]);
}
void baddbmm_composite(const Value* args, Value* results) {
  const Tensor a = args[1].tensor(), b = args[2].tensor();
  if (equals(args[3], 0) || !args[0].is_tensor() || !are_halves_to_add(args[0].tensor(), a, b, 3))
    return void(results[0] = scaled_sum(args[0], bmm(a, b), args[3], args[4]));
  Dims sizes = a.sizes();
  sizes[2] = b.sizes()[2];
  results[0] = baddbmm_of_halves(expand(args[0].tensor(), sizes), a, b, args[3], args[4]);
}
void addbmm_composite(const Value* args, Value* results) {
  results[0] = scaled_sum(args[0], summed_products(args[1].tensor(), args[2].tensor()), args[3], args[4]);
}
/// Factors of bools are bools.
void addr_composite(const Value* args, Value* results) {
  const Tensor &self = args[0].tensor(), &rows = args[1].tensor(), &columns = args[2].tensor();
  const auto fits = [&](const Tensor& tensor) { return tensor.dtype() == self.dtype() && tensor.dim() == 1; };
  if (is_floating(self.dtype()) && !is_half(self.dtype()) && fits(rows) && fits(columns) &&
      equals(args[3], 1))
    return void(results[0] = addcmul(self, unsqueeze(rows, 1), unsqueeze(columns, 0), args[4]));
  const Tensor product = outer(args[1].tensor(), args[2].tensor());
  if (product.dtype() != DType::bool_ || args[0].impl()->meta.dtype != DType::bool_)
    return void(results[0] = scaled_sum(args[0], product, args[3], args[4]));
  const auto factor = [](const Value& number) { return Value(!equals(number, 0)); };
  const Tensor scaled = logical_and(product, factor(args[4]));
  results[0] = logical_or(logical_and(args[0], factor(args[3])), scaled);
}

/// Of halves, the bias is added before the sums are rounded.
void linear_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), weight = args[1].tensor();
  if (!args[2].is_none() && is_half(input.dtype()) && input.dim() > 0 && weight.dim() == 2) {
    Dims sizes = input.sizes();
    Dims leading = sizes;
    leading.resize(input.dim() - 1);
    const Tensor rows = input.dim() == 2 ? input : reshape(input, {numel(leading).bits(), sizes.back()});
    const Tensor sum = sum_with_product(args[2], rows, transposed(weight), Value(1.0), Value(1.0));
    sizes[input.dim() - 1] = weight.sizes()[0];
    return void(results[0] = input.dim() == 2 ? sum : reshape(sum, sizes));
  }
  const Tensor transformed = product(input, weight.dim() == 2 ? transposed(weight) : weight);
  results[0] = args[2].is_none() ? transformed : add(transformed, args[2]);
}

namespace {

/// As a summand: minus infinity where a bool mask is false.
Tensor additive_mask(const Tensor& mask, DType dtype) {
  if (mask.dtype() != DType::bool_) return mask;
  return masked_fill(zeros(mask.sizes(), dtype, mask.device()), logical_not(mask),
                     -std::numeric_limits<double>::infinity());
}

Tensor causal_mask(SymInt rows, SymInt columns, DType dtype) {
  return additive_mask(tril(ones(Dims{rows.bits(), columns.bits()}, DType::bool_)), dtype);
}

}  // namespace

/// args: query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa. Halves are attended to in
/// float32; a query that may see no key gets zeros.
void attention_composite(const Value* args, Value* results) {
  const DType dtype = args[0].impl()->meta.dtype;
  const Tensor query = widened(args[0].tensor());
  Tensor key = widened(args[1].tensor()), value = widened(args[2].tensor());
  FRAMEJIT_CHECK(
      query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
      "scaled_dot_product_attention: Expected query, key, and value to all be at least 2 dimensional, but "
      "got query.dim(): ",
      query.dim(), ", key.dim(): ", key.dim(), " and value.dim(): ", value.dim());
  FRAMEJIT_CHECK(args[3].is_none() || !args[5].boolean(),
                 "scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  if (args[7].boolean()) {
    const SymInt heads = query.size(query.dim() - 3);
    key = repeat_interleave(key, floor_div(heads, key.size(key.dim() - 3)), SymInt(-3));
    value = repeat_interleave(value, floor_div(heads, value.size(value.dim() - 3)), SymInt(-3));
  }
  if (key.size(key.dim() - 2) == 0)  // zeros, in any dtype: there is nothing to weigh
    return void(results[0] = narrowed(product(product(query, transposed(key)), value), dtype));
  const double width = double(query.size(query.dim() - 1).expect());
  const double scale = args[6].is_none() ? 1 / std::sqrt(width) : args[6].real();
  const Tensor given_mask = args[3].is_none() ? Tensor() : args[3].tensor();
  if (args[4].real() == 0 && needs_no_graph({query, key, value}) &&
      (!given_mask.defined() || needs_no_graph({given_mask})) &&
      cpu::attends_by_blocks(query, key, value, given_mask)) {
    const Tensor mask =
        given_mask.defined() ? cast(additive_mask(given_mask, query.dtype()), query.dtype()) : Tensor();
    return void(results[0] = narrowed(
                    cpu::attend_by_blocks(query, key, value, mask, scale, args[5].boolean()), dtype));
  }
  Tensor scores = product(query * scale, transposed(key));
  if (args[5].boolean())
    scores = scores + causal_mask(query.size(query.dim() - 2), key.size(key.dim() - 2), query.dtype());
  Tensor blind;
  if (!args[3].is_none()) {
    scores = scores + additive_mask(args[3].tensor(), query.dtype());
    blind = eq(amax(detach(scores), one_dim(-1), true), -std::numeric_limits<double>::infinity());
    scores = masked_fill(scores, blind, 0);
  }
  Tensor weights = softmax(scores, -1);
  if (blind.defined()) weights = masked_fill(weights, blind, 0);
  if (args[4].real() > 0) weights = dropout(weights, args[4].real(), true);
  results[0] = narrowed(product(weights, value), dtype);
}

}  // namespace framejit::eager
