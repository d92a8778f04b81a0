// Functions of reductions.
#include <cmath>
#include <limits>

#include "eager/autograd/formulas.h"
#include "eager/composite/fused_sums.h"
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

Value variance_divisor(SymInt count, const Value& correction) {
  if (correction.is_none() || correction.tag() == Value::Tag::sym_int ||
      correction.tag() == Value::Tag::boolean) {
    const SymInt minus = correction.is_none() ? SymInt(1) : correction.sym_int();
    return Value(sym_max(count - minus, 0));
  }
  return Value(std::max(0.0, double(count.expect()) - correction.real()));
}

void max_composite(const Value* args, Value* results) { results[0] = amax(args[0].tensor()); }
void min_composite(const Value* args, Value* results) { results[0] = amin(args[0].tensor()); }
void max_other_composite(const Value* args, Value* results) { results[0] = maximum(args[0], args[1]); }
void min_other_composite(const Value* args, Value* results) { results[0] = minimum(args[0], args[1]); }

namespace {

/// The elements at `indices` (with the dim kept), so that the gradient goes to them alone.
void select_extremum(const Value* args, const Tensor& indices, Value* results) {
  const Tensor self = args[0].tensor();
  const SymInt dim = args[1].sym_int();
  const bool keepdim = args[2].boolean() || self.dim() == 0;
  const Tensor values = gather(self, dim, indices);
  results[0] = keepdim ? values : squeeze(values, one_dim(dim));
  results[1] = keepdim ? indices : squeeze(indices, one_dim(dim));
}

}  // namespace

void max_dim_composite(const Value* args, Value* results) {
  select_extremum(args, argmax(args[0].tensor(), args[1].sym_int(), true), results);
}
void min_dim_composite(const Value* args, Value* results) {
  select_extremum(args, argmin(args[0].tensor(), args[1].sym_int(), true), results);
}

void aminmax_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const std::optional<Dims> dim = optional_dims(args[1]);
  const bool keepdim = args[2].boolean();
  if (needs_no_graph({self}) && !is_complex(self.dtype()) && !(self.numel() == 0)) {
    const uint64_t dims = dim_mask(dim ? Value(*dim) : Value(), self.dim());
    for (int i = 0; i < 2; ++i)
      results[i] = Tensor::empty(reduced_sizes(self.sizes(), dims, keepdim), self.dtype());
    return cpu::run_extrema(self, dims, results[0].tensor(), results[1].tensor());
  }
  results[0] = amin(self, dim, keepdim);
  results[1] = amax(self, dim, keepdim);
}

void var_decompose(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const std::optional<Dims> dim = optional_dims(args[1]);
  if (is_complex(self.dtype())) {
    auto part = [&](const Tensor& x) { return var(x, dim, args[2], args[3].boolean()); };
    results[0] = part(real(self)) + part(imag(self));
    return;
  }
  const Tensor wide = widened(self);
  const Tensor distance = wide - mean(wide, dim, true);
  results[0] = narrowed(sum(square(distance), dim, args[3].boolean()) /
                            variance_divisor(reduced_count(self.sizes(), dim), args[2]),
                        self.dtype());
}
void var_dim_composite(const Value* args, Value* results) {
  results[0] =
      var(args[0].tensor(), optional_dims(args[1]), Value(int(args[2].boolean())), args[3].boolean());
}
void var_unbiased_composite(const Value* args, Value* results) {
  results[0] = var(args[0].tensor(), std::nullopt, Value(int(args[1].boolean())));
}

namespace {

/// The root of x >= 0, with gradient 0 (not infinite, or NaN) where x is 0.
Tensor root_flat_at_zero(const Tensor& x) {
  if (needs_no_graph({x})) return sqrt(x);
  const Tensor zero = eq(x, 0);
  return masked_fill(sqrt(masked_fill(x, zero, 1)), zero, 0);
}

}  // namespace

void std_composite(const Value* args, Value* results) {
  results[0] = root_flat_at_zero(var(args[0].tensor(), optional_dims(args[1]), args[2], args[3].boolean()));
}
void std_dim_composite(const Value* args, Value* results) {
  var_dim_composite(args, results);
  results[0] = root_flat_at_zero(results[0].tensor());
}
void std_unbiased_composite(const Value* args, Value* results) {
  var_unbiased_composite(args, results);
  results[0] = root_flat_at_zero(results[0].tensor());
}
void var_mean_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const std::optional<Dims> dim = optional_dims(args[1]);
  results[0] = var(self, dim, args[2], args[3].boolean());
  results[1] = mean(self, dim, args[3].boolean());
}

void logsumexp_composite(const Value* args, Value* results) {
  const Tensor self =
      is_inexact(args[0].impl()->meta.dtype) ? args[0].tensor() : cast(args[0].tensor(), default_dtype());
  const Dims dim = *optional_dims(args[1]);
  Tensor largest;  // none of no elements
  if (self.numel() != 0) {
    GradModeScope no_grad(false);  // its gradient cancels
    largest = amax(is_complex(self.dtype()) ? real(self) : self, dim, true);
    largest = masked_fill(largest, isinf(largest), 0);
  }
  Tensor result = log(sum(exp(largest.defined() ? self - largest : self), dim, true));
  if (largest.defined()) result = result + largest;
  results[0] = args[2].boolean()
                   ? result
                   : reshape(result, reduced_sizes(self.sizes(), dim_mask(args[1], self.dim()), false));
}

namespace {

Tensor euclidean_norm(const Tensor& x, const std::optional<Dims>& dim, bool keepdim) {
  static const Op& square_op = get_op("square");
  if (const Tensor fused = fused_sum(square_op, {x}, dim, keepdim); fused.defined()) return sqrt(fused);
  return root_flat_at_zero(sum(square(x), dim, keepdim));
}

/// x ** exponent of x >= 0, with gradient 0 (not infinite, or NaN) at 0.
Tensor power_flat_at_zero(const Tensor& x, double exponent) {
  const Tensor zero = eq(x, 0);
  const double at_zero = exponent > 0 ? 0 : std::numeric_limits<double>::infinity();
  return masked_fill(pow(masked_fill(x, zero, 1), exponent), zero, at_zero);
}

/// How many are not 0: it has a gradient, which is 0.
Tensor nonzero_norm(const Tensor& x, const std::optional<Dims>& dim, bool keepdim) {
  return sum(masked_fill(masked_fill(x, ne(x, 0), 1), eq(x, 0), 0), dim, keepdim);
}

Tensor norm_of_order(const Tensor& x, double order, const std::optional<Dims>& dim, bool keepdim) {
  if (order == 2) return euclidean_norm(x, dim, keepdim);
  if (std::isinf(order)) return order > 0 ? amax(abs(x), dim, keepdim) : amin(abs(x), dim, keepdim);
  if (order == 0) return nonzero_norm(x, dim, keepdim);
  if (order == 1) {
    static const Op& abs_op = get_op("abs");
    const Tensor fused = fused_sum(abs_op, {x}, dim, keepdim);
    return fused.defined() ? fused : sum(abs(x), dim, keepdim);
  }
  return power_flat_at_zero(sum(power_flat_at_zero(abs(x), order), dim, keepdim), 1 / order);
}

}  // namespace

/// args: self, order (None: 2), dim, keepdim, dtype.
void norm_composite(const Value* args, Value* results) {
  Tensor x = args[0].tensor();
  if (!args[4].is_none()) x = cast(x, args[4].dtype());
  FRAMEJIT_CHECK(is_inexact(x.dtype()), "norm(): Expected a floating point or complex tensor as input. Got ",
                 dtype_name(x.dtype()));
  if (is_complex(x.dtype())) x = abs(x);
  const double order = args[1].is_none() ? 2.0 : args[1].real();
  const Tensor result = norm_of_order(widened(x), order, optional_dims(args[2]), args[3].boolean());
  results[0] = narrowed(result, x.dtype());
}

void count_nonzero_composite(const Value* args, Value* results) {
  results[0] = sum(ne(args[0], 0), optional_dims(args[1]));
}
void nansum_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const DType dtype = args[3].is_none() ? self.dtype() : args[3].dtype();
  const bool keepdim = args[2].boolean();
  if (needs_no_graph({self}) && is_floating(self.dtype()) && is_floating(dtype)) {
    const uint64_t dims = dim_mask(args[1], self.dim());
    const Tensor result = Tensor::empty(reduced_sizes(self.sizes(), dims, keepdim), dtype);
    cpu::run_reduction(cpu::ReduceKind::nansum, self, dims, result);
    results[0] = result;
  } else {
    results[0] =
        sum(masked_fill(self, isnan(self), 0), optional_dims(args[1]), keepdim, optional_dtype(args[3]));
  }
}

}  // namespace framejit::eager
