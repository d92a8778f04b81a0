// Losses. Common arguments: size_average and reduce, PyTorch's old way to say what `reduction` says.
#include <limits>

#include "eager/autograd/nn_formulas.h"
#include "eager/composite/fused_sums.h"
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/class_losses.h"
#include "eager/cpu/nn/target_losses.h"
#include "eager/warning.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/neural.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

std::string reduction_name(const Value& size_average, const Value& reduce, const Value& reduction) {
  if (size_average.is_none() && reduce.is_none()) return reduction.string();
  if (!reduce.is_none() && !reduce.boolean()) return "none";
  return size_average.is_none() || size_average.boolean() ? "mean" : "sum";
}

Tensor reduce_loss(const Tensor& loss, const std::string& reduction) {
  if (reduction == "mean") return mean(loss);
  if (reduction == "sum") return sum(loss);
  FRAMEJIT_CHECK_TYPE(reduction == "none", value, reduction, " is not a valid value for reduction");
  return loss;
}

namespace {

void warn_of_sizes(const Tensor& input, const Tensor& target) {
  if (input.sizes() == target.sizes()) return;
  warn(concat("Using a target size (", sizes_text(target.sizes()), ") that is different to the input size (",
              sizes_text(input.sizes()),
              "): both are broadcast, which will likely lead to wrong results. Give them the same size."));
}

Tensor distance_of(const Value* args) {
  warn_of_sizes(args[0].tensor(), args[1].tensor());
  return abs(sub(args[0], args[1]));
}

void check_weight(const Tensor& weight, const Tensor& input) {
  FRAMEJIT_CHECK_TYPE(weight.sizes() == input.sizes(), value,
                      "Weights and input must have the same size: got ", sizes_text(weight.sizes()), " and ",
                      sizes_text(input.sizes()));
}

/// As reduce_loss; the mean is weighted.
Tensor reduce_weighted(const Tensor& loss, const Value& weight, const Tensor& input,
                       const std::string& reduction) {
  if (weight.is_none()) return reduce_loss(loss, reduction);
  check_weight(weight.tensor(), input);
  const Tensor weighted = loss * weight.tensor();
  return reduction == "mean" ? sum(weighted) / sum(weight.tensor()) : reduce_loss(weighted, reduction);
}

/// The loss `of` the difference, in one pass over what is not recorded. args: those of `mse_loss_composite`.
Tensor loss_of_difference(const Value* args, const Op& of, Tensor (*loss)(const Value* args)) {
  static const Op& sub_op = get_op("sub");
  const std::string reduction = reduction_name(args[2], args[3], args[4]);
  if (args[5].is_none() && (reduction == "mean" || reduction == "sum")) {
    const auto kind = reduction == "mean" ? cpu::ReduceKind::mean : cpu::ReduceKind::sum;
    const Tensor fused =
        fused_reduction(kind, {sub_op, &of}, {args[0].tensor(), args[1].tensor()}, std::nullopt, false);
    if (fused.defined()) return fused;
  }
  return reduce_weighted(loss(args), args[5], args[0].tensor(), reduction);
}

}  // namespace

/// args of the next two: input, target, size_average, reduce, reduction, weight.
void mse_loss_composite(const Value* args, Value* results) {
  static const Op& square_op = get_op("square");
  results[0] = loss_of_difference(args, square_op, [](const Value* args) {
    warn_of_sizes(args[0].tensor(), args[1].tensor());
    return square(sub(args[0], args[1]));
  });
}
void l1_loss_composite(const Value* args, Value* results) {
  static const Op& abs_op = get_op("abs");
  results[0] = loss_of_difference(args, abs_op, distance_of);
}
/// args: input, target, size_average, reduce, reduction, beta.
void smooth_l1_loss_composite(const Value* args, Value* results) {
  const double beta = args[5].real();
  FRAMEJIT_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) {
    const Value of_l1[] = {args[0], args[1], args[2], args[3], args[4], Value()};
    return l1_loss_composite(of_l1, results);
  }
  warn_of_sizes(args[0].tensor(), args[1].tensor());
  results[0] =
      reduce_loss(huber_elements(args[0], args[1], beta, 1.0), reduction_name(args[2], args[3], args[4]));
}
/// args: input, target, reduction, delta, weight. The mean is over elements, whatever their weights are.
void huber_loss_composite(const Value* args, Value* results) {
  const double delta = args[3].real();
  FRAMEJIT_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  warn_of_sizes(args[0].tensor(), args[1].tensor());
  Tensor loss = huber_elements(args[0], args[1], delta, delta);
  if (!args[4].is_none()) {
    check_weight(args[4].tensor(), args[0].tensor());
    loss = loss * args[4].tensor();
  }
  results[0] = reduce_loss(loss, args[2].string());
}

namespace {

int class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

void check_class_target(const Tensor& input, const Tensor& target) {
  FRAMEJIT_CHECK(target.dtype() == DType::int64, "expected scalar type Long but found ",
                 dtype_name(target.dtype()));
  FRAMEJIT_CHECK(input.dim() > 0, "Expected input to have at least 1 dimension, got 0");
  const Dims expected = reduced_sizes(input.sizes(), uint64_t(1) << class_dim(input), false);
  if (input.dim() > 1 && target.dim() > 0)
    FRAMEJIT_CHECK_TYPE(input.size(0) == target.size(0), value, "Expected input batch_size (",
                        input.size(0).str(), ") to match target batch_size (", target.size(0).str(), ").");
  FRAMEJIT_CHECK(target.sizes() == expected, "Expected target size ", sizes_text(expected), ", got ",
                 sizes_text(target.sizes()));
}

void check_class_weight(const Tensor& input, const Tensor& weight) {
  if (!weight.defined()) return;
  const SymInt classes = input.size(class_dim(input));
  FRAMEJIT_CHECK(weight.dim() == 1 && weight.size(0) == classes,
                 "weight tensor should be defined either for all ", classes.str(),
                 " classes or no classes but got weight tensor of shape: ", sizes_text(weight.sizes()));
}

/// Of each target: its class (0 where it is to be ignored), whether it counts, and its weight (0 where it
/// does not).
struct ClassTargets {
  Tensor index, counts, weight;

  ClassTargets(const Tensor& input, const Tensor& target, const Tensor& class_weight, int64_t ignored) {
    check_class_target(input, target);
    counts = ne(target, ignored);
    index = masked_fill(target, logical_not(counts), 0);
    if (!class_weight.defined()) {
      weight = cast(counts, input.dtype());
      return;
    }
    check_class_weight(input, class_weight);
    weight = where(counts, reshape(index_select(class_weight, 0, reshape(index, {-1})), index.sizes()), 0);
  }
};

/// The mean is weighted: by class, and with what is ignored left out.
Tensor reduce_weighted(const Tensor& loss, const Tensor& weight, const std::string& reduction) {
  return reduction == "mean" ? sum(loss) / sum(weight) : reduce_loss(loss, reduction);
}

/// What `input` has at each target. An IndexError where there is no such class.
Tensor at_targets(const Tensor& input, int dim, const Tensor& targets) {
  try {
    return squeeze(gather(input, dim, unsqueeze(targets, dim)), one_dim(dim));
  } catch (const Error& error) {
    const std::string message = error.what(), start = "index ";
    const size_t end = message.find(" is out of bounds");
    if (!message.starts_with(start) || end == std::string::npos) throw;
    fail(ErrorType::index, "Target ", message.substr(start.size(), end - start.size()),
         " is out of bounds. Expected classes from 0 to ", (input.size(dim) - 1).str(), ", or ignore_index.");
  }
}

Tensor negative_log_likelihood(const Tensor& input, const ClassTargets& targets) {
  const int dim = class_dim(input);
  const Tensor picked = at_targets(input, dim, targets.index);
  return where(targets.counts, -(picked * targets.weight), 0);
}

/// Along the class dim of `input`.
Tensor along_classes(const Tensor& weight, const Tensor& input) {
  Dims sizes(input.dim(), 1);
  sizes[class_dim(input)] = weight.sizes()[0];
  return reshape(weight, sizes);
}

/// By one kernel. A trace records the steps, which fuse; weights with gradients need them too.
bool by_target_losses(const Tensor& input, const Tensor& target, const Tensor& weight) {
  return !input.is_symbolic() && !target.is_symbolic() && (!weight.defined() || needs_no_graph({weight})) &&
         is_floating(input.dtype());
}

/// `input` holds log-probabilities.
Tensor index_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignored,
                           double smoothing, const std::string& reduction) {
  if (smoothing == 0 && by_target_losses(input, target, weight)) {
    check_class_target(input, target);
    check_class_weight(input, weight);
    const auto [losses, weights] = target_losses(input, target, weight, ignored);
    return reduce_weighted(losses, ops::detach(weights), reduction);
  }
  const ClassTargets targets(input, target, weight, ignored);
  const Tensor loss = reduce_weighted(negative_log_likelihood(input, targets), targets.weight, reduction);
  if (smoothing == 0) return loss;
  const int dim = class_dim(input);
  const Tensor weighted = weight.defined() ? input * along_classes(weight, input) : input;
  const Tensor spread = where(targets.counts, -sum(weighted, one_dim(dim)), 0);
  return loss * (1 - smoothing) +
         reduce_weighted(spread, targets.weight, reduction) * smoothing / input.size(dim);
}

Tensor probability_cross_entropy(const Tensor& input, Tensor target, const Tensor& weight, double smoothing,
                                 const std::string& reduction) {
  const int dim = class_dim(input);
  if (smoothing > 0) target = target * (1 - smoothing) + Value(smoothing / double(input.size(dim).expect()));
  Tensor product = input * target;
  if (weight.defined()) product = product * along_classes(weight, input);
  const Tensor loss = -sum(product, one_dim(dim));
  if (reduction != "mean") return reduce_loss(loss, reduction);
  return sum(loss) / floor_div(input.numel(), input.size(dim));
}

}  // namespace

/// args: input, target, weight, size_average, ignore_index, reduce, reduction.
void nll_loss_composite(const Value* args, Value* results) {
  results[0] = index_cross_entropy(args[0].tensor(), args[1].tensor(), args[2].tensor(), args[4].integer(), 0,
                                   reduction_name(args[3], args[5], args[6]));
}

namespace {

/// By one kernel, where each row (or pixel) has a class and all classes weigh the same. A trace records the steps, which fuse.
bool by_class_losses(const Tensor& input, const Tensor& target, const Tensor& weight, double smoothing) {
  return !input.is_symbolic() && !target.is_symbolic() && !weight.defined() && smoothing == 0 &&
         cpu::are_class_rows(input, target);
}

Tensor class_cross_entropy(const Tensor& input, const Tensor& target, int64_t ignored,
                           const std::string& reduction) {
  check_class_target(input, target);
  const auto [losses, count, largest, logs] = class_losses(input, target, ignored);
  return reduction == "mean" ? sum(losses) / count : reduce_loss(losses, reduction);
}

}  // namespace

namespace ops {

/// With g the gradient of a loss: g * (softmax - 1 at the target).
Tensor class_losses_backward(const Tensor& grad, const Tensor& input, const Tensor& target, SymInt ignored,
                             const Tensor& largest, const Tensor& logs) {
  if (!modes().grad_enabled && !grad.is_symbolic() && !input.is_symbolic())
    return cpu::class_losses_backward(cpu::contiguous(grad), input, target, ignored.expect(), largest, logs);
  const Tensor counts = ne(target, ignored),
               index = unsqueeze(masked_fill(target, logical_not(counts), 0), 1),
               weight = unsqueeze(where(counts, grad, 0), 1);
  return softmax(input, 1) * weight - scatter_add(zeros_like(input), 1, index, weight);
}

/// Minus g times the weight, at the target.
Tensor target_losses_backward(const Tensor& grad, const Dims& sizes, const Tensor& target,
                              const Tensor& weights, SymInt ignored) {
  if (!modes().grad_enabled && !grad.is_symbolic() && !target.is_symbolic())
    return cpu::target_losses_backward(grad, sizes, target, weights, ignored.expect());
  const int dim = sizes.size() == 1 ? 0 : 1;
  const Tensor index = masked_fill(target, eq(target, ignored), 0);
  return scatter(zeros(sizes, grad.dtype(), grad.device()), dim, unsqueeze(index, dim),
                 unsqueeze(-(grad * weights), dim));
}

}  // namespace ops

/// args: the same, and label_smoothing.
void cross_entropy_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor(), weight = args[2].tensor();
  const double smoothing = args[7].real();
  const std::string reduction = reduction_name(args[3], args[5], args[6]);
  FRAMEJIT_CHECK(smoothing >= 0 && smoothing <= 1,
                 "label_smoothing must be between 0.0 and 1.0. Got: ", smoothing);
  if (by_class_losses(input, target, weight, smoothing))
    return void(results[0] = class_cross_entropy(input, target, args[4].integer(), reduction));
  const Tensor scores = log_softmax_rows(input, class_dim(input));
  if (is_floating(target.dtype())) {
    FRAMEJIT_CHECK(target.sizes() == input.sizes(),
                   "Expected floating point type for target with class "
                   "probabilities, of the shape of input ",
                   sizes_text(input.sizes()), ", got ", sizes_text(target.sizes()));
    results[0] = probability_cross_entropy(scores, target, weight, smoothing, reduction);
  } else {
    results[0] = index_cross_entropy(scores, target, weight, args[4].integer(), smoothing, reduction);
  }
}

namespace {

Tensor weighted(const Tensor& loss, const Value& weight) {
  return weight.is_none() ? loss : mul(loss, weight);
}

void check_same_size(const char* name, const Value& target, const Value& input) {
  FRAMEJIT_CHECK_TYPE(target.tensor().sizes() == input.tensor().sizes(), value, name, ": target size ",
                      sizes_text(target.tensor().sizes()), " must be the same as input size ",
                      sizes_text(input.tensor().sizes()));
}

/// Minus infinity near 0 and 1 is replaced by -100, as PyTorch does, so that the loss stays finite.
Tensor bounded_log(const Tensor& x) { return clamp_min(log(x), -100); }

}  // namespace

/// args: input, target, weight, size_average, reduce, reduction.
void binary_cross_entropy_composite(const Value* args, Value* results) {
  check_same_size("binary_cross_entropy", args[1], args[0]);
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  const Tensor loss = -(target * bounded_log(input) + rsub(target, 1) * bounded_log(rsub(input, 1)));
  results[0] = reduce_loss(weighted(loss, args[2]), reduction_name(args[3], args[4], args[5]));
}

/// args: the same, and pos_weight.
void binary_cross_entropy_with_logits_composite(const Value* args, Value* results) {
  check_same_size("binary_cross_entropy_with_logits", args[1], args[0]);
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  const Tensor loss = args[6].is_none()
                          ? logit_cross_entropy(input, target)
                          : rsub(target, 1) * input - (sub(args[6], 1) * target + 1) * logsigmoid(input);
  results[0] = reduce_loss(weighted(loss, args[2]), reduction_name(args[3], args[4], args[5]));
}

/// args: input, target, size_average, reduce, reduction, log_target.
void kl_div_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), target = args[1].tensor();
  const Tensor loss =
      args[5].boolean() ? exp(target) * (target - input) : xlogy(target, target) - target * input;
  const std::string reduction = reduction_name(args[2], args[3], args[4]);
  FRAMEJIT_CHECK_TYPE(reduction != "batchmean" || input.dim() > 0, index,
                      "kl_div: reduction 'batchmean' divides by the size of dimension 0 of the input; got an "
                      "input of 0 dimensions. Use reduction='sum' or 'mean'.");
  results[0] = reduction == "batchmean" ? sum(loss) / input.size(0) : reduce_loss(loss, reduction);
}

}  // namespace framejit::eager
