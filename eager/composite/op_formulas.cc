// Derivatives that take more than an expression (declared in eager/autograd/formulas.h).
#include "eager/autograd/formulas.h"
#include "eager/composite/halves.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/softmax_columns.h"
#include "eager/cpu/nn/softmax_rows.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager::ops {

namespace {

uint64_t mask_of(const std::optional<Dims>& dim, int rank) {
  return dim_mask(dim ? Value(*dim) : Value(), rank);
}

/// With size-1 dims in place of the reduced ones, so that it broadcasts against the input.
Tensor with_kept_dims(Tensor reduced, const Dims& sizes, const std::optional<Dims>& dim, bool keepdim) {
  if (keepdim) return reduced;
  const uint64_t mask = mask_of(dim, sizes.size());
  for (int i = 0; i < sizes.size(); ++i)
    if (mask >> i & 1) reduced = unsqueeze(reduced, i);
  return reduced;
}

}  // namespace

/// The product of all others, for each element: of those before it times of those after it, so that zeros
/// need no division. `self` has one reduced dim, the last.
static Tensor product_of_others(const Tensor& self) {
  const Dims last = one_dim(-1);
  const SymInt length = self.size(self.dim() - 1);
  const Tensor one = ones_like(narrow(self, -1, 0, 1));
  const Tensor before = cumprod(cat({one, narrow(self, -1, 0, length - 1)}, -1), -1);
  const Tensor backwards = flip(self, last);
  const Tensor after = flip(cumprod(cat({one, narrow(backwards, -1, 0, length - 1)}, -1), -1), last);
  return before * after;
}

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                     const std::optional<Dims>& dim, bool keepdim) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return zeros_like(self);
  const uint64_t mask = mask_of(dim, self.dim());
  Dims order, reduced;
  for (int i = 0; i < self.dim(); ++i) (mask >> i & 1 ? reduced : order).push_back(int64_t(i));
  Dims front_sizes;
  for (int64_t d : order) front_sizes.push_back(self.sizes()[int(d)]);
  for (int64_t d : reduced) order.push_back(d);
  const Tensor moved = permute(self, order);
  Dims flat_sizes = front_sizes;
  flat_sizes.push_back(reduced_count(self.sizes(), dim));
  const Tensor others = permute(reshape(product_of_others(reshape(moved, flat_sizes)), moved.sizes()),
                                inverse_permutation(order));
  return with_kept_dims(grad, self.sizes(), dim, keepdim) * others;
}

Tensor extremum_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                         const std::optional<Dims>& dim, bool keepdim) {
  const Tensor mask = eq(self, with_kept_dims(result, self.sizes(), dim, keepdim));
  const Tensor share = with_kept_dims(grad, self.sizes(), dim, keepdim) / sum(mask, dim, true);
  return where(mask, share, 0);
}

Tensor var_backward(const Tensor& grad, const Tensor& self, const std::optional<Dims>& dim,
                    const Value& correction, bool keepdim) {
  const Value scale = variance_divisor(reduced_count(self.sizes(), dim), correction);
  return with_kept_dims(grad, self.sizes(), dim, keepdim) * 2 / scale * (self - mean(self, dim, true));
}

/// d result[j] / d self[i], for j >= i, is the product of the elements up to j without element i. Computed
/// from that definition, which takes quadratic time but needs no division by elements that may be zero.
Tensor times_factor(const Tensor& grad, const Value& factor) {
  const bool is_plain = factor.tag() == Value::Tag::sym_int ? !factor.sym_int().is_symbolic()
                                                            : factor.tag() == Value::Tag::real;
  return is_plain && factor.real() == 1 ? grad : grad * factor;
}

/// Sums of each element and all that follow it.
static Tensor sums_from_here(const Tensor& x, SymInt dim) {
  const Dims along = one_dim(dim);
  return flip(cumsum(flip(x, along), dim), along);
}

/// With s_i the sum of grad_j * result_j over j >= i: s_i / self_i, up to the first zero. There it is the sum of grad_j
/// times the products without that zero, and 0 from there on.
static Tensor cumprod_backward_by_sums(const Tensor& grad, const Tensor& self, const Tensor& result,
                                       SymInt dim) {
  const Tensor zero = eq(self, 0);
  const bool known = !self.is_symbolic() && !grad.is_symbolic();
  const Tensor sums = sums_from_here(grad * result, dim);
  if (known && !*any(zero).data_as<bool>()) return sums / self;
  const Tensor zeros_so_far = cumsum(zero, dim), first = logical_and(zero, eq(zeros_so_far, 1));
  const Tensor without = cumprod(masked_fill(self, first, 1), dim);
  const Tensor before = masked_fill(sums / masked_fill(self, zero, 1), ge(zeros_so_far, 1), 0);
  return where(first, sums_from_here(masked_fill(grad * without, lt(zeros_so_far, 1), 0), dim), before);
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, SymInt dim) {
  if (self.dim() == 0) return grad;
  const SymInt length = self.size(wrap_dim(dim.expect(), self.dim()));
  if (self.numel() == 0) return grad;
  if (!modes().grad_enabled) return cumprod_backward_by_sums(grad, cast(self, result.dtype()), result, dim);
  // Every element by itself: differentiable whatever is zero.
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < length.expect(); ++i) {
    // Products that include element i, with that element left out.
    const Tensor before = i == 0 ? ones_like(narrow(self, dim, 0, 1)) : narrow(result, dim, i - 1, 1);
    const SymInt rest = length - i - 1;
    Tensor products = before;
    if (rest > 0) products = cat({before, before * cumprod(narrow(self, dim, i + 1, rest), dim)}, dim);
    parts.push_back(sum(narrow(grad, dim, i, length - i) * products, one_dim(dim), true));
  }
  return cat(parts, dim);
}

Tensor pow_backward_self(const Tensor& grad, const Value& self, const Value& exponent) {
  if (exponent.is_number() && exponent.tag() != Value::Tag::scalar_node) {
    const std::complex<double> power = exponent.complex();
    if (power == 0.0) return zeros_like(grad);
    if (power == 1.0) return grad;
    if (power == 2.0) return grad * (self * 2);
    const Value lower = exponent.tag() == Value::Tag::complex ? Value(power - 1.0)
                        : exponent.tag() == Value::Tag::real  ? Value(power.real() - 1)
                                                              : Value(exponent.sym_int() - 1);
    return grad * (pow(self, lower) * exponent);
  }
  // A number of a graph is computed with as a tensor.
  const bool traced = exponent.tag() == Value::Tag::scalar_node;
  const Tensor power = traced ? full(Dims(), exponent, exponent.scalar_node().dtype) : exponent.tensor();
  const Tensor slope = grad * (pow(self, sub(power, 1)) * power);
  return where(eq(power, 0), 0, slope);
}

static Value real_part(const Value& number) {
  if (number.is_tensor()) return real(number.tensor());
  return number.tag() == Value::Tag::complex ? Value(number.complex().real()) : number;
}

/// 0 ** y is constant for y > 0, so the logarithm's infinity is not taken there.
Tensor pow_backward_exponent(const Tensor& grad, const Value& self, const Value& exponent,
                             const Tensor& result) {
  const Tensor base = self.is_tensor() ? self.tensor() : full(Dims(), self, result.dtype());
  const Tensor zero_base = logical_and(eq(base, 0), ge(real_part(exponent), 0));
  return grad * where(zero_base, 0, result * log(base));
}

Tensor index_put_backward_self(const Tensor& grad, const std::vector<Tensor>& indices,
                               const Dims& value_sizes, bool accumulate) {
  return accumulate ? grad : index_put_elements(grad, indices, zeros_of(grad, Dims()), false);
}

std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<Tensor>& tensors, SymInt dim) {
  std::vector<Tensor> parts;
  SymInt at = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() == 1 && tensor.size(0) == 0) {
      parts.push_back(zeros_like(tensor));
      continue;
    }
    const SymInt length = tensor.size(wrap_dim(dim.expect(), tensor.dim()));
    const Tensor part = narrow(grad, dim, at, length);
    parts.push_back(part.dtype() == tensor.dtype() ? part : cast(part, tensor.dtype()));
    at = at + length;
  }
  return parts;
}

/// A gradient that will not be differentiated, in one kernel. Undefined where there is none.
static Tensor softmax_backward_by_kernel(const Tensor& grad, const Tensor& result, SymInt given, bool log) {
  if (modes().grad_enabled || grad.is_symbolic() || result.is_symbolic() || result.dim() == 0 ||
      grad.dtype() != result.dtype())
    return {};
  const int dim = wrap_dim(given.expect(), result.dim());
  if (cpu::are_softmax_rows(result, dim))
    return cpu::softmax_rows_backward(cpu::contiguous(grad), result, log);
  if (cpu::has_softmax_columns(result, dim))
    return cpu::softmax_columns_backward(cpu::contiguous(grad), result, dim, log);
  return {};
}

Tensor softmax_backward(const Tensor& grad, const Tensor& result, SymInt dim) {
  if (const Tensor made = softmax_backward_by_kernel(grad, result, dim, /*log=*/false); made.defined())
    return made;
  const Tensor wide = widened(result), weighted = widened(grad) * wide;
  return narrowed(weighted - wide * sum(weighted, one_dim(dim), true), result.dtype());
}

Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, SymInt dim) {
  if (const Tensor made = softmax_backward_by_kernel(grad, result, dim, /*log=*/true); made.defined())
    return made;
  const Tensor wide = widened(grad);
  return narrowed(wide - exp(widened(result)) * sum(wide, one_dim(dim), true), grad.dtype());
}

}  // namespace framejit::eager::ops
