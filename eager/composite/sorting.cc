// Order statistics and search, in terms of places: values are gathered from where they are, so that gradients
// go there.
#include <limits>

#include "eager/autograd/formulas.h"
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/loops/running.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/reduction.h"
#include "generated/ops/sorting.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor flat(const Tensor& self) { return reshape(self, {-1}); }

/// Values and indices of the statistic `which` along a dim.
void select_statistic(const Tensor& self, const char* which, SymInt dim, bool keepdim, Value* results,
                      SymInt k = 0) {
  const int at = wrap_dim(dim.expect(), self.dim());
  FRAMEJIT_CHECK_TYPE(self.dim() == 0 || !(self.size(at) == 0), index, which, "(): Expected reduction dim ",
                      at, " to have non-zero size.");
  const Tensor indices = order_statistic_index(self, which, at, k), values = gather(self, at, indices);
  const bool kept = keepdim || self.dim() == 0;
  results[0] = kept ? values : squeeze(values, one_dim(at));
  results[1] = kept ? indices : squeeze(indices, one_dim(at));
}

Tensor statistic_of_all(const Tensor& self, const char* which) {
  if (self.numel() == 0)
    return full(Dims(), std::numeric_limits<double>::quiet_NaN(), self.dtype(), self.device());
  Value results[2];
  select_statistic(flat(self), which, 0, false, results);
  return results[0].tensor();
}

}  // namespace

void msort_composite(const Value* args, Value* results) { results[0] = sort(args[0].tensor(), 0)[0]; }

/// args: self, k, dim, keepdim.
void kthvalue_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const SymInt k = args[1].sym_int(),
               size = self.dim() == 0 ? 1 : self.size(wrap_dim(args[2].integer(), self.dim()));
  FRAMEJIT_CHECK(k >= 1 && k <= size, "kthvalue(): selected number k out of range for dimension ",
                 args[2].integer(), ": got ", k.str(), ", expected 1 to ", size.str());
  select_statistic(self, "kth", args[2].sym_int(), args[3].boolean(), results, k);
}
void median_composite(const Value* args, Value* results) {
  results[0] = statistic_of_all(args[0].tensor(), "median");
}
void median_dim_composite(const Value* args, Value* results) {
  select_statistic(args[0].tensor(), "median", args[1].sym_int(), args[2].boolean(), results);
}
void nanmedian_composite(const Value* args, Value* results) {
  results[0] = statistic_of_all(args[0].tensor(), "nanmedian");
}
void nanmedian_dim_composite(const Value* args, Value* results) {
  select_statistic(args[0].tensor(), "nanmedian", args[1].sym_int(), args[2].boolean(), results);
}
void mode_composite(const Value* args, Value* results) {
  select_statistic(args[0].tensor(), "mode", args[1].sym_int(), args[2].boolean(), results);
}

namespace {

enum class Interpolation : uint8_t { linear, lower, higher, midpoint, nearest };

Interpolation interpolation_of(const std::string& name) {
  if (name == "linear") return Interpolation::linear;
  if (name == "lower") return Interpolation::lower;
  if (name == "higher") return Interpolation::higher;
  if (name == "midpoint") return Interpolation::midpoint;
  if (name == "nearest") return Interpolation::nearest;
  fail(ErrorType::runtime,
       "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ", name);
}

/// Of `sorted`, along its last dim: what stands at the fractional places `ranks` (one row of them, or one per
/// row).
Tensor read_ranks(const Tensor& sorted, Tensor ranks, Interpolation interpolation) {
  if (interpolation == Interpolation::lower) ranks = floor(ranks);
  if (interpolation == Interpolation::higher) ranks = ceil(ranks);
  if (interpolation == Interpolation::nearest) ranks = round(ranks);
  Dims sizes = sorted.sizes();
  sizes[sizes.size() - 1] = ranks.sizes()[ranks.dim() - 1];
  ranks = expand(ranks, sizes);
  const Tensor below = gather(sorted, -1, cast(ranks, DType::int64));
  if (interpolation != Interpolation::linear && interpolation != Interpolation::midpoint) return below;
  const Tensor above = gather(sorted, -1, cast(ceil(ranks), DType::int64));
  return interpolation == Interpolation::linear ? lerp(below, above, ranks - floor(ranks))
                                                : lerp(below, above, 0.5);
}

/// q: a vector or a 0-dim tensor.
Tensor quantiles(const char* name, const Tensor& self, const Tensor& q, const Value& dim, bool keepdim,
                 const std::string& interpolation, bool ignore_nan) {
  FRAMEJIT_CHECK(is_floating(self.dtype()), name, "() input tensor must be either float or double dtype");
  FRAMEJIT_CHECK(q.dtype() == self.dtype(), name, "() q tensor must be same dtype as the input tensor");
  FRAMEJIT_CHECK(q.dim() <= 1, name, "() q must be a scalar or 1D tensor");
  FRAMEJIT_CHECK(!(self.numel() == 0), name, "() input tensor must be non-empty");
  const Interpolation how = interpolation_of(interpolation);
  const int at = dim.is_none() ? 0 : wrap_dim(dim.integer(), self.dim());
  const bool whole = dim.is_none() || self.dim() == 0;
  const Tensor sorted = sort(whole ? flat(self) : movedim(self, one_dim(at), one_dim(-1)), -1)[0];
  const Tensor nan = isnan(sorted), row = flat(q);
  const SymInt last = sorted.size(sorted.dim() - 1) - 1;
  Tensor ranks;
  if (ignore_nan) {
    ranks = clamp_min(row * (sum(logical_not(nan), one_dim(-1), true) - 1), 0);
  } else {
    ranks = masked_fill(row * Value(last), any(nan, one_dim(-1), true), Value(last));
  }
  Tensor result = read_ranks(sorted, ranks, how);  // dims: the others, q
  result = q.dim() == 0 ? squeeze(result, one_dim(-1)) : movedim(result, one_dim(-1), one_dim(0));
  if (!keepdim) return result;
  if (!whole) return unsqueeze(result, at + q.dim());
  for (int d = 0; d < self.dim(); ++d) result = unsqueeze(result, -1);
  return result;
}

Tensor fraction_tensor(const Tensor& self, const Value& q, const char* name) {
  FRAMEJIT_CHECK(q.real() >= 0 && q.real() <= 1, name, "() q must be in the range [0, 1] but got ", q.real());
  return full(Dims(), q, is_floating(self.dtype()) ? self.dtype() : default_dtype(), self.device());
}

}  // namespace

// args: self, q, dim, keepdim, interpolation.
void quantile_composite(const Value* args, Value* results) {
  results[0] = quantiles("quantile", args[0].tensor(), args[1].tensor(), args[2], args[3].boolean(),
                         args[4].string(), false);
}
void quantile_scalar_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = quantiles("quantile", self, fraction_tensor(self, args[1], "quantile"), args[2],
                         args[3].boolean(), args[4].string(), false);
}
void nanquantile_composite(const Value* args, Value* results) {
  results[0] = quantiles("nanquantile", args[0].tensor(), args[1].tensor(), args[2], args[3].boolean(),
                         args[4].string(), true);
}
void nanquantile_scalar_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = quantiles("nanquantile", self, fraction_tensor(self, args[1], "nanquantile"), args[2],
                         args[3].boolean(), args[4].string(), true);
}

namespace {

Tensor operand_tensor(const Value& operand, const Tensor& other) {
  return operand.is_tensor() ? operand.tensor()
                             : full(Dims(), operand, number_dtype(operand), other.device());
}

/// The type in which two operands are compared; numbers count less than tensors.
DType common_dtype(const Value& a, const Value& b) {
  PromotionOperand operands[2];
  for (int i = 0; i < 2; ++i) {
    const Value& value = i == 0 ? a : b;
    if (!value.is_tensor())
      operands[i] = {number_dtype(value), PromotionRank::number};
    else
      operands[i] = {value.impl()->meta.dtype,
                     value.impl()->meta.sizes.empty() ? PromotionRank::zero_dim : PromotionRank::tensor};
  }
  return promote_operands(operands);
}

Tensor as_type(const Tensor& tensor, DType dtype) {
  return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
}

std::optional<std::string> optional_string(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<std::string>(value.string());
}

}  // namespace

/// args: sorted_sequence, a number, out_int32, right, side, sorter.
void searchsorted_scalar_composite(const Value* args, Value* results) {
  const Tensor sequence = args[0].tensor();
  const DType dtype = common_dtype(args[0], args[1]);
  const Tensor value = full(Dims(), args[1], dtype, sequence.device());
  FRAMEJIT_CHECK(sequence.dim() == 1,
                 "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is "
                 "1, but we got "
                 "boundaries tensor dim(",
                 sequence.dim(), ")");
  results[0] = searchsorted(as_type(sequence, dtype), value, args[2].boolean(), args[3].boolean(),
                            optional_string(args[4]), args[5].tensor());
}

namespace {

/// args: values (a tensor or number), boundaries, out_int32, right.
Tensor bucketed(const Value* args) {
  const Tensor boundaries = args[1].tensor();
  FRAMEJIT_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(",
                 boundaries.dim(), ")");
  const DType dtype = common_dtype(args[0], args[1]);
  return searchsorted(as_type(boundaries, dtype), as_type(operand_tensor(args[0], boundaries), dtype),
                      args[2].boolean(), args[3].boolean());
}

}  // namespace

void bucketize_composite(const Value* args, Value* results) { results[0] = bucketed(args); }
void bucketize_scalar_composite(const Value* args, Value* results) { results[0] = bucketed(args); }

/// args: elements, test_elements, assume_unique, invert. Looks each element up among the sorted tests.
void isin_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[0].is_tensor() || args[1].is_tensor(),
                 "isin(): expected elements or test_elements to be a tensor");
  const Tensor some = args[args[0].is_tensor() ? 0 : 1].tensor();
  DType dtype = common_dtype(args[0], args[1]);
  if (dtype == DType::bool_) dtype = DType::uint8;
  const Tensor elements = as_type(operand_tensor(args[0], some), dtype);
  const Tensor tests = flat(as_type(operand_tensor(args[1], some), dtype));
  Tensor found;
  if (tests.numel() == 0) {
    found = zeros_of(elements, elements.sizes());
    found = cast(found, DType::bool_);
  } else {
    const Tensor sorted = sort(tests)[0];
    const Tensor place = clamp_max(searchsorted(sorted, elements), Value(sorted.size(0) - 1));
    found = eq(reshape(index_select(sorted, 0, flat(place)), elements.sizes()), elements);
  }
  results[0] = args[3].boolean() ? logical_not(found) : found;
}

namespace {

void running_extremum(const Value* args, bool largest, Value* results) {
  const Tensor self = args[0].tensor();
  const int wrapped = wrap_dim(args[1].integer(), self.dim()), dim = self.dim() == 0 ? 0 : wrapped;
  Tensor values, indices;
  if (needs_no_graph({self}) && !is_complex(self.dtype())) {
    values = Tensor::empty(self.sizes(), self.dtype());
    indices = Tensor::empty(self.sizes(), DType::int64);
    cpu::run_running_extrema(self, dim, largest, values, indices);
  } else {
    indices = running_extremum_index(self, dim, largest);
    values = gather(self, dim, indices);
  }
  results[0] = values;
  results[1] = indices;
}

}  // namespace

void cummax_composite(const Value* args, Value* results) { running_extremum(args, true, results); }
void cummin_composite(const Value* args, Value* results) { running_extremum(args, false, results); }

namespace ops {

/// exp(self[i]) * sum over j >= i of grad[j] * exp(-result[j]), with the sum kept as a logarithm: once for
/// the positive gradients, once for the negative ones. The logarithm of zero is the lowest number, so that
/// second derivatives meet no difference of infinities.
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, SymInt dim) {
  if (self.dim() == 0 || grad.numel() == 0) return grad;
  const Dims dims = dim_list(dim);
  auto summed_from = [&](const Tensor& logarithm) {  // log of the sum of what is at a place and behind it
    return flip(logcumsumexp(flip(logarithm, dims), dim), dims);
  };
  if (is_complex(self.dtype())) return exp(summed_from(log(grad) - result) + self);
  const double lowest = self.dtype() == DType::float64 ? std::numeric_limits<double>::lowest()
                                                       : double(std::numeric_limits<float>::lowest());
  auto part = [&](const Tensor& share) {
    const Tensor positive = gt(share, 0);
    const Tensor logarithm = where(positive, log(where(positive, share, 1)), lowest) - result;
    const Tensor exponent = summed_from(logarithm) + self;
    return where(lt(exponent, lowest / 2), 0, exp(exponent));
  };
  return part(grad) - part(neg(grad));
}

}  // namespace ops

}  // namespace framejit::eager
