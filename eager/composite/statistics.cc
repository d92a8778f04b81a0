// Histograms, moments, differences and integrals.
#include <cmath>

#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/linalg.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"
#include "generated/ops/sorting.h"
#include "generated/ops/statistics.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor flat(const Tensor& self) { return reshape(self, {-1}); }

/// Sums of weights (or counts) of the elements between edges, of which the last one belongs to the last part.
Tensor counted(const Tensor& self, const Tensor& edges, const Value& weight) {
  const SymInt parts = edges.size(0) - 1;
  const Tensor x = flat(self);
  const Tensor inside = logical_and(ge(x, select(edges, 0, 0)), le(x, select(edges, 0, -1)));
  Tensor part = searchsorted(edges, x, false, true) - 1;
  part = clamp_max(clamp_min(part, 0), Value(parts - 1));
  Tensor weights = weight.is_none() ? ones_like(x) : flat(weight.tensor());
  weights = where(inside, weights, 0);
  return scatter_add(zeros(one_dim(parts), self.dtype(), self.device()), 0, part, weights);
}

void check_histogram(const Tensor& self, const Value& weight) {
  FRAMEJIT_CHECK_TYPE(is_floating(self.dtype()), not_implemented, "\"histogramdd\" not implemented for '",
                      dtype_name(self.dtype()), "'");
  if (weight.is_none()) return;
  const Tensor weights = weight.tensor();
  FRAMEJIT_CHECK(weights.sizes() == self.sizes(),
                 "torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
                 "tensor excluding its innermost dimension, got input with shape ",
                 sizes_text(self.sizes()), " and weight with shape ", sizes_text(weights.sizes()));
  FRAMEJIT_CHECK(
      weights.dtype() == self.dtype(),
      "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
      "dtype, got ",
      dtype_name(self.dtype()), " and ", dtype_name(weights.dtype()));
}

void fill_histogram(const Tensor& self, const Tensor& edges, const Value& weight, bool density,
                    Value* results) {
  Tensor counts = counted(self, edges, weight);
  if (density) counts = counts / (sum(counts) * diff(edges));
  results[0] = counts;
  results[1] = edges;
}

/// Whether no weight is negative.
bool none_negative(const Tensor& weights) { return weights.numel() == 0 || item(amin(weights)).real() >= 0; }

/// The ends that were given, or the range of the elements, made wider where it is a point.
std::pair<double, double> histogram_range(const Tensor& self, const Value& range) {
  double low = 0, high = 1;  // of no elements
  if (!range.is_none()) {
    const std::vector<double>& ends = range.real_list();
    FRAMEJIT_CHECK(ends.size() == 2,
                   "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got ",
                   ends.size());
    low = ends[0], high = ends[1];
    FRAMEJIT_CHECK(low <= high, "torch.histogramdd: min should not exceed max, but got min ", low, " max ",
                   high, " for dimension 0");
  } else if (!(self.numel() == 0)) {
    low = item(amin(self)).real(), high = item(amax(self)).real();
  }
  FRAMEJIT_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histogramdd: dimension 0's range [", low,
                 ", ", high, "] is not finite");
  return low == high ? std::pair(low - 0.5, high + 0.5) : std::pair(low, high);
}

}  // namespace

/// args: self, bins, range, weight, density.
void histogram_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  check_histogram(self, args[3]);
  FRAMEJIT_CHECK(args[1].sym_int() > 0, "torch.histogramdd(): bins must be > 0, but got ",
                 args[1].sym_int().str(), " for dimension 0");
  const auto [low, high] = histogram_range(self, args[2]);
  const Tensor edges = linspace(low, high, args[1].sym_int() + 1, self.dtype(), self.device());
  fill_histogram(self, edges, args[3], args[4].boolean(), results);
}

/// args: self, edges, weight, density.
void histogram_edges_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), edges = args[1].tensor();
  check_histogram(self, args[2]);
  FRAMEJIT_CHECK(edges.dim() == 1 && edges.numel() > 1,
                 "torch.histogramdd: bins tensor should have one dimension and at least two elements, got ",
                 sizes_text(edges.sizes()));
  FRAMEJIT_CHECK(edges.dtype() == self.dtype(),
                 "torch.histogramdd: input tensor and bins tensors should have the same dtype, got ",
                 dtype_name(self.dtype()), " and ", dtype_name(edges.dtype()));
  fill_histogram(self, clone(edges), args[2], args[3].boolean(), results);
}

/// args: self, dim, keepdim, dtype.
void nanmean_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(is_floating(self.dtype()),
                 "nanmean(): expected input to have floating point or complex dtype but got ",
                 dtype_name(self.dtype()));
  const std::optional<Dims> dim = optional_dims(args[1]);
  const bool keepdim = args[2].boolean();
  const Tensor count = sum(logical_not(isnan(self)), dim, keepdim);
  results[0] = nansum(self, dim, keepdim, optional_dtype(args[3])) / count;
}

// args as those of var, var.dim and var.unbiased.
void std_mean_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const std::optional<Dims> dim = optional_dims(args[1]);
  results[0] = std(self, dim, args[2], args[3].boolean());
  results[1] = mean(self, dim, args[3].boolean());
}
void std_mean_dim_composite(const Value* args, Value* results) {
  const Value named[] = {args[0], args[1], Value(int(args[2].boolean())), args[3]};
  std_mean_composite(named, results);
}
void std_mean_unbiased_composite(const Value* args, Value* results) {
  const Value named[] = {args[0], Value(), Value(int(args[1].boolean())), Value(false)};
  std_mean_composite(named, results);
}

void var_mean_composite(const Value* args, Value* results);

void var_mean_dim_composite(const Value* args, Value* results) {
  const Value named[] = {args[0], args[1], Value(int(args[2].boolean())), args[3]};
  var_mean_composite(named, results);
}
void var_mean_unbiased_composite(const Value* args, Value* results) {
  const Value named[] = {args[0], Value(), Value(int(args[1].boolean())), Value(false)};
  var_mean_composite(named, results);
}

void dist_composite(const Value* args, Value* results) {
  results[0] = norm(args[0].tensor() - args[1].tensor(), args[2]);
}

/// args: self, p, dim, maxnorm. The small number keeps slices of norm maxnorm from being scaled.
void renorm_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(args[1].real() > 0, "renorm: non-positive-norm not supported");
  FRAMEJIT_CHECK(args[3].real() >= 0, "renorm: expected maxnorm to be >= 0 but got ", args[3].real());
  FRAMEJIT_CHECK(self.dim() > 1, "renorm: input needs at least 2 dimensions, got ", self.dim(),
                 " dimensions");
  const int dim = wrap_dim(args[2].integer(), self.dim());
  Dims others;
  for (int d = 0; d < self.dim(); ++d)
    if (d != dim) others.push_back(int64_t(d));
  const Tensor lengths = norm(self, args[1], others, true);
  const Tensor scale = where(gt(lengths, args[3]), args[3] / (lengths + 1e-7), 1);
  results[0] = self * scale;
}

namespace {

/// Neighbours along dim: all but the last, all but the first.
struct Neighbours {
  Tensor left, right;
  Neighbours(const Tensor& self, SymInt dim) {
    const SymInt size = self.size(wrap_dim(dim.expect(), self.dim()));
    left = slice(self, dim, 0, size - 1);
    right = slice(self, dim, 1, size);
  }
};

bool is_empty_along(const Tensor& self, SymInt dim) {
  return self.size(wrap_dim(dim.expect(), self.dim())) == 0;
}

/// Widths of the intervals between places x, with dims of size 1 where y has more.
Tensor widths_of(const Tensor& y, const Tensor& x, SymInt dim) {
  if (x.dim() != 1) {
    Tensor wide = x;
    while (wide.dim() < y.dim()) wide = unsqueeze(wide, 0);
    const Neighbours places(wide, dim);
    return places.right - places.left;
  }
  const int at = wrap_dim(dim.expect(), y.dim());
  FRAMEJIT_CHECK(x.size(0) == y.size(at), "trapezoid: There must be one `x` value for each sample point");
  const Neighbours places(x, 0);
  Dims sizes(y.dim(), 1);
  sizes[at] = -1;
  return reshape(places.right - places.left, sizes);
}

Tensor heights(const Tensor& y, SymInt dim) {
  const Neighbours values(y, dim);
  return values.left + values.right;
}

/// args: y, x, dim.
Tensor areas_over(const Value* args) {
  const Tensor y = args[0].tensor(), x = args[1].tensor();
  FRAMEJIT_CHECK(y.dtype() != DType::bool_ && x.dtype() != DType::bool_,
                 "trapezoid: received a bool input for `x` or `y`, but bool is not supported");
  const SymInt dim = args[2].sym_int();
  return heights(y, dim) * widths_of(y, x, dim) / 2;
}
/// args: y, dx, dim.
Tensor areas_of_width(const Value* args) {
  const Tensor y = args[0].tensor();
  FRAMEJIT_CHECK(y.dtype() != DType::bool_,
                 "trapezoid: received a bool input for `y`, but bool is not supported");
  return heights(y, args[2].sym_int()) * args[1] / 2;
}

Tensor zero_integral(const Tensor& y, SymInt dim) {
  return zeros(reduced_sizes(y.sizes(), dim_mask(Value(dim), y.dim()), false), y.dtype(), y.device());
}

}  // namespace

void trapezoid_composite(const Value* args, Value* results) {
  const Tensor y = args[0].tensor();
  const SymInt dim = args[2].sym_int();
  results[0] = is_empty_along(y, dim) ? zero_integral(y, dim) : sum(areas_over(args), one_dim(dim));
}
void trapezoid_dx_composite(const Value* args, Value* results) {
  const Tensor y = args[0].tensor();
  const SymInt dim = args[2].sym_int();
  if (is_empty_along(y, dim)) return void(results[0] = zero_integral(y, dim));
  FRAMEJIT_CHECK(y.dtype() != DType::bool_,
                 "trapezoid: received a bool input for `y`, but bool is not supported");
  // All but the first and the last count twice.
  const Tensor ends = select(y, dim, 0) + select(y, dim, -1);
  results[0] = (sum(y, one_dim(dim)) - ends * 0.5) * args[1];
}
void cumulative_trapezoid_composite(const Value* args, Value* results) {
  results[0] = cumsum(areas_over(args), args[2].sym_int());
}
void cumulative_trapezoid_dx_composite(const Value* args, Value* results) {
  results[0] = cumsum(areas_of_width(args), args[2].sym_int());
}

/// args: self, n, dim, prepend, append.
void diff_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor();
  const int64_t n = args[1].integer();
  FRAMEJIT_CHECK(self.dim() > 0, "diff expects input to be at least one-dimensional");
  FRAMEJIT_CHECK(n >= 0, "order must be non-negative but got ", n);
  const SymInt dim = args[2].sym_int();
  const int at = wrap_dim(dim.expect(), self.dim());
  if (n == 0) return void(results[0] = clone(self));
  std::vector<Tensor> parts;
  if (!args[3].is_none()) parts.push_back(args[3].tensor());
  parts.push_back(self);
  if (!args[4].is_none()) parts.push_back(args[4].tensor());
  if (parts.size() > 1) self = cat(parts, dim);
  for (int64_t i = 0; i < n && self.size(at) > 0; ++i) {
    const Neighbours values(self, dim);
    self = self.dtype() == DType::bool_ ? logical_xor(values.right, values.left) : values.right - values.left;
  }
  results[0] = self;
}

namespace {

void check_weights(const Tensor& weights, const Tensor& self, const char* name, bool integral) {
  FRAMEJIT_CHECK(weights.dim() <= 1, "cov(): expected ", name, " to have one or fewer dimensions but got ",
                 name, " with ", weights.dim(), " dimensions");
  FRAMEJIT_CHECK(integral ? is_integral(weights.dtype(), false) : is_floating(weights.dtype()),
                 "cov(): expected ", name, " to have ", integral ? "integral" : "floating point",
                 " dtype but got ", name, " with ", dtype_name(weights.dtype()), " dtype");
  FRAMEJIT_CHECK(weights.numel() == self.size(1), "cov(): expected ", name,
                 " to have the same numel as there are observations in the input but got ",
                 weights.numel().str(), " != ", self.size(1).str());
  FRAMEJIT_CHECK(none_negative(weights), "cov(): ", name, " cannot be negative");
}

/// Real and imaginary parts between -1 and 1.
Tensor within_one(const Tensor& self) {
  if (!is_complex(self.dtype())) return clamp_both(self, -1, 1);
  return ops::complex(clamp_both(real(self), -1, 1), clamp_both(imag(self), -1, 1));
}

}  // namespace

/// args: self, correction, fweights, aweights.
void cov_composite(const Value* args, Value* results) {
  const Tensor given = args[0].tensor();
  FRAMEJIT_CHECK(given.dim() <= 2,
                 "cov(): expected input to have two or fewer dimensions but got an input with ", given.dim(),
                 " dimensions");
  FRAMEJIT_CHECK(given.dtype() != DType::bool_, "cov(): bool dtype is not supported for input");
  const Tensor self = given.dim() < 2 ? reshape(given, {1, -1}) : given;
  Tensor weights;
  if (!args[2].is_none()) check_weights(weights = args[2].tensor(), self, "fweights", true);
  if (!args[3].is_none()) {
    check_weights(args[3].tensor(), self, "aweights", false);
    weights = weights.defined() ? weights * args[3] : args[3].tensor();
  }
  const Tensor total = weights.defined() ? sum(weights) : Tensor();
  FRAMEJIT_CHECK(!total.defined() || is_floating(self.dtype()) || is_floating(total.dtype()) ||
                     item(ne(total, 0)).boolean(),
                 "cov(): weights sum to zero, can't be normalized");
  const Tensor average = weights.defined() ? sum(self * weights, one_dim(1)) / total
                                           : sum(self, one_dim(1)) / Value(self.size(1));
  Value divisor = variance_divisor(self.size(1), args[1]);
  if (weights.defined()) {
    const bool correct_by_weights = !args[3].is_none() && !(args[1].sym_int() == 0);
    const Tensor removed = correct_by_weights ? args[1] * sum(weights * args[3]) / total : Tensor();
    divisor = clamp_min(correct_by_weights ? total - removed : total - args[1], 0);
  }
  const Tensor distance = self - unsqueeze(average, 1);
  const Tensor weighted = weights.defined() ? distance * weights : distance;
  const Tensor result = mm(distance, conj(t(cast(weighted, distance.dtype())))) / divisor;
  results[0] = self.size(0) == 1 ? reshape(result, Dims()) : result;
}

void corrcoef_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() <= 2,
                 "corrcoef(): expected input to have two or fewer dimensions but got an input with ",
                 self.dim(), " dimensions");
  const Tensor covariance = cov(self);
  if (covariance.dim() == 0) return void(results[0] = covariance / covariance);
  const Tensor variance = diagonal(covariance);
  const Tensor deviation = sqrt(is_complex(variance.dtype()) ? real(variance) : variance);
  results[0] = within_one(covariance / unsqueeze(deviation, 1) / unsqueeze(deviation, 0));
}

/// args: self, p, dim, keepdim, dtype.
void norm_name_composite(const Value* args, Value* results) {
  const std::string& p = args[1].string();
  FRAMEJIT_CHECK(p == "fro" || p == "nuc", "norm(): got p='", p, "', expected a number, 'fro' or 'nuc'.");
  if (p == "nuc") {
    const Dims dim = args[2].is_none() ? Dims{-2, -1} : args[2].dims();
    return void(results[0] =
                    linalg_matrix_norm(args[0].tensor(), p, dim, args[3].boolean(), optional_dtype(args[4])));
  }
  results[0] = norm(args[0].tensor(), 2, optional_dims(args[2]), args[3].boolean(), optional_dtype(args[4]));
}

}  // namespace framejit::eager
