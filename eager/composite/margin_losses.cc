// Losses of neural networks beyond the everyday ones of losses.cc.
#include <cmath>
#include <numbers>

#include "eager/composite/support.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/losses.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor at_least_zero(const Tensor& x) { return clamp_min(x, 0); }

/// `reduction_name`, checked before anything is computed.
std::string checked_reduction(const Value& size_average, const Value& reduce, const Value& reduction) {
  const std::string name = reduction_name(size_average, reduce, reduction);
  FRAMEJIT_CHECK_TYPE(name == "none" || name == "mean" || name == "sum", value, name,
                      " is not a valid value for reduction");
  return name;
}

}  // namespace

/// args: input, target, log_input, full, size_average, eps, reduce, reduction.
void poisson_nll_loss_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  const std::string reduction = checked_reduction(args[4], args[6], args[7]);
  Tensor loss = args[2].boolean() ? exp(input) - target * input : input - target * log(input + args[5]);
  if (args[3].boolean()) {
    const Tensor stirling = target * log(target) - target + log(target * (2 * std::numbers::pi)) * 0.5;
    loss = loss + masked_fill(stirling, le(target, 1), 0);
  }
  results[0] = reduce_loss(loss, reduction);
}

/// args: input, target, var, full, eps, reduction.
void gaussian_nll_loss_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  Tensor variance = args[2].tensor();
  if (variance.dim() > 0 && !(variance.sizes() == input.sizes())) {
    const Dims leading(input.sizes().span().first(size_t(std::max(0, input.dim() - 1))));
    if (variance.sizes() == leading)
      variance = unsqueeze(variance, -1);
    else
      FRAMEJIT_CHECK_TYPE(variance.dim() == input.dim() && variance.size(variance.dim() - 1) == 1 &&
                              Dims(variance.sizes().span().first(size_t(leading.size()))) == leading,
                          value, "var is of incorrect size");
  }
  const std::string& reduction = args[5].string();
  FRAMEJIT_CHECK_TYPE(reduction == "none" || reduction == "mean" || reduction == "sum", value, reduction,
                      " is not valid");
  // A check of data, which a trace has none of.
  if (!variance.is_symbolic())
    FRAMEJIT_CHECK_TYPE(!*any(lt(variance, 0)).data_as<bool>(), value, "var has negative entry/entries");
  {
    // The lower limit changes the value but not the gradient.
    const Tensor known = detach(variance);
    variance = variance + (clamp_min(known, args[4]) - known);
  }
  Tensor loss = (log(variance) + square(input - target) / variance) * 0.5;
  if (args[3].boolean()) loss = loss + 0.5 * std::log(2 * std::numbers::pi);
  results[0] = reduce_loss(loss, reduction);
}

/// args: input, target, margin, size_average, reduce, reduction.
void hinge_embedding_loss_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  const Tensor apart = masked_fill(at_least_zero(rsub(input, args[2])), eq(target, 1), 0);
  const Tensor together = masked_fill(input, eq(target, -1), 0);
  results[0] = reduce_loss(apart + together, reduction_name(args[3], args[4], args[5]));
}

/// args: input1, input2, target, margin, size_average, reduce, reduction.
void margin_ranking_loss_composite(const Value* args, Value* results) {
  const Tensor first = args[0].tensor(), second = args[1].tensor(), target = args[2].tensor();
  FRAMEJIT_CHECK(first.dim() == second.dim() && first.dim() == target.dim(),
                 "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: ",
                 sizes_text(first.sizes()), ", input2: ", sizes_text(second.sizes()),
                 ", target: ", sizes_text(target.sizes()));
  results[0] = reduce_loss(at_least_zero(-target * (first - second) + args[3]),
                           reduction_name(args[4], args[5], args[6]));
}

/// args: input, target, p, margin, weight, size_average, reduce, reduction.
void multi_margin_loss_composite(const Value* args, Value* results) {
  const Tensor given = args[0].tensor();
  const std::string reduction = checked_reduction(args[5], args[6], args[7]);
  const int64_t p = args[2].integer();
  FRAMEJIT_CHECK_TYPE(p == 1 || p == 2, value, "only p == 1 and p == 2 supported, got p=", p);
  FRAMEJIT_CHECK(given.dim() <= 2,
                 "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
                 sizes_text(given.sizes()));
  const Tensor input = given.dim() < 2 ? reshape(given, {1, -1}) : given;
  FRAMEJIT_CHECK_TYPE(args[4].is_none() || args[4].tensor().dim() == 1, value,
                      "weight must be one-dimensional, got shape ", sizes_text(args[4].tensor().sizes()));
  const Tensor target = reshape(args[1].tensor(), {-1});
  FRAMEJIT_CHECK(target.size(0) == input.size(0), "inconsistent target size, expected ", input.size(0).str(),
                 " but got ", sizes_text(args[1].tensor().sizes()));
  const Tensor index = unsqueeze(target, 1);
  Tensor loss = at_least_zero(input - gather(input, 1, index) + args[3]);
  if (p == 2) loss = square(loss);
  if (!args[4].is_none()) {
    FRAMEJIT_CHECK(args[4].tensor().size(0) == input.size(1), "inconsistent weight size, expected ",
                   input.size(1).str(), " but got ", sizes_text(args[4].tensor().sizes()));
    loss = loss * unsqueeze(index_select(args[4].tensor(), 0, target), 1);
  }
  loss = sum(scatter(loss, 1, index, 0), one_dim(1)) / Value(input.size(1));
  if (given.dim() < 2 && args[1].tensor().dim() == 0) loss = squeeze(loss, one_dim(0));
  results[0] = reduce_loss(loss, reduction);
}

/// args: input, target, size_average, reduce, reduction.
void multilabel_margin_loss_composite(const Value* args, Value* results) {
  const std::string reduction = checked_reduction(args[2], args[3], args[4]);
  const Tensor given = args[0].tensor(), labels = args[1].tensor();
  FRAMEJIT_CHECK(given.dim() <= 2,
                 "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
                 sizes_text(given.sizes()));
  FRAMEJIT_CHECK(labels.sizes() == given.sizes(), "inconsistent target size: ", sizes_text(labels.sizes()),
                 " for input of size: ", sizes_text(given.sizes()));
  const Tensor input = given.dim() < 2 ? reshape(given, {1, -1}) : given;
  const Tensor target = given.dim() < 2 ? reshape(labels, {1, -1}) : labels;
  // Which entries name a class: those before the first -1.
  const Tensor named = cumprod(cast(ge(target, 0), DType::int64), 1);
  const Tensor index = target * named;
  const Tensor is_target =
      gt(scatter_add(zeros(input.sizes(), DType::int64, input.device()), 1, index, named), 0);
  // By named class and by other class.
  const Tensor margins = at_least_zero(rsub(unsqueeze(gather(input, 1, index), 2), 1) + unsqueeze(input, 1));
  const Tensor counts = logical_and(unsqueeze(ne(named, 0), 2), logical_not(unsqueeze(is_target, 1)));
  Tensor loss = sum(where(counts, margins, 0), Dims{1, 2}) / Value(input.size(1));
  if (given.dim() < 2) loss = squeeze(loss, one_dim(0));
  results[0] = reduce_loss(loss, reduction);
}

/// args: input, target, weight, size_average, reduce, reduction.
void multilabel_soft_margin_loss_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  Tensor loss = -(target * logsigmoid(input) + rsub(target, 1) * logsigmoid(-input));
  if (!args[2].is_none()) loss = loss * args[2];
  results[0] = reduce_loss(mean(loss, one_dim(-1)), reduction_name(args[3], args[4], args[5]));
}

/// args: input, target, size_average, reduce, reduction.
void soft_margin_loss_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  results[0] = reduce_loss(log1p(exp(-target * input)), reduction_name(args[2], args[3], args[4]));
}

/// args: input1, input2, target, margin, size_average, reduce, reduction.
void cosine_embedding_loss_composite(const Value* args, Value* results) {
  constexpr double epsilon = 1e-12;
  const Tensor first = args[0].tensor(), second = args[1].tensor(), target = args[2].tensor();
  FRAMEJIT_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  FRAMEJIT_CHECK(first.dim() == target.dim() + 1 && second.dim() == target.dim() + 1, target.dim(),
                 "D target tensor expects ", target.dim() + 1,
                 "D input tensors, but found inputs with sizes ", sizes_text(first.sizes()), " and ",
                 sizes_text(second.sizes()), ".");
  const Dims dim = one_dim(target.dim());
  const Tensor squares = (sum(square(first), dim) + epsilon) * (sum(square(second), dim) + epsilon);
  const Tensor cosine = sum(first * second, dim) / sqrt(squares);
  const Tensor loss = masked_fill(rsub(cosine, 1), ne(target, 1), 0) +
                      masked_fill(at_least_zero(cosine - args[3]), ne(target, -1), 0);
  results[0] = reduce_loss(loss, reduction_name(args[4], args[5], args[6]));
}

/// args: anchor, positive, negative, margin, p, eps, swap, size_average, reduce, reduction.
void triplet_margin_loss_composite(const Value* args, Value* results) {
  const Tensor anchor = args[0].tensor(), positive = args[1].tensor(), negative = args[2].tensor();
  FRAMEJIT_CHECK(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(),
                 "The anchor, positive, and negative tensors are expected to have the same number of "
                 "dimensions, but got: anchor ",
                 anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(),
                 "D inputs");
  FRAMEJIT_CHECK_TYPE(args[3].real() > 0, value, "margin must be greater than 0, got ", args[3].real());
  const double p = args[4].real(), eps = args[5].real();
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (args[6].boolean()) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  results[0] = reduce_loss(at_least_zero(near - far + args[3]), reduction_name(args[7], args[8], args[9]));
}

}  // namespace framejit::eager
