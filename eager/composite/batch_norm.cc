// batch_norm and its kin, and the derivative of batch_norm_train.
#include "eager/autograd/formulas.h"
#include "eager/composite/channels.h"
#include "eager/composite/halves.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/norm_rows.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
#include "generated/ops/elementary.h"
#include "generated/ops/joining.h"
#include "generated/ops/neural.h"
#include "generated/ops/normalization.h"
#include "generated/ops/padding.h"
#include "generated/ops/pooling.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// running = running * (1 - momentum) + momentum * now.
void update(const Tensor& running, const Tensor& now, double momentum) {
  mul_(running, 1 - momentum);
  add_(running, now * momentum);
}

/// The biased variance of `count` values made the estimate of that of what they were drawn from.
Tensor unbiased(const Tensor& variance, SymInt count) {
  return count > 1 ? variance * Value(count) / Value(count - 1) : variance;
}

/// input * scale + shift, of one channel each. In a trace an op that fuses with others.
Tensor scaled_and_shifted(const Tensor& input, const Tensor& scale, const Tensor& shift) {
  const bool traced = input.is_symbolic() || scale.is_symbolic() || shift.is_symbolic();
  if (!traced && cpu::are_norm_rows(input, scale, shift)) return scale_channels(input, scale, shift);
  return addcmul(over_channels(shift, input.dim()), input, over_channels(scale, input.dim()));
}

}  // namespace

/// args: input, running_mean, running_var, weight, bias, training, momentum, eps.
void batch_norm_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  if (input.dim() == 1 && input.numel() == 0) return void(results[0] = clone(input));
  FRAMEJIT_CHECK(input.dim() >= 2, "batch_norm: expected at least 2D input (got ", input.dim(), "D input)");
  const SymInt channels = input.size(1);
  check_channels(args[1], "running_mean", channels);
  check_channels(args[2], "running_var", channels);
  check_channels(args[3], "weight", channels);
  check_channels(args[4], "bias", channels);
  if (!args[5].boolean()) {
    FRAMEJIT_CHECK(!args[1].is_none() && !args[2].is_none(),
                   "Expected running_mean and running_var to be defined when training=False");
    const Tensor rstd = rsqrt(args[2].tensor() + args[7]);
    const Tensor scale = args[3].is_none() ? rstd : rstd * args[3];
    const Tensor shift = -(args[1].tensor() * scale);
    const Tensor total = args[4].is_none() ? shift : shift + args[4];
    return void(results[0] = scaled_and_shifted(input, scale, total));
  }
  SymInt count = input.size(0);
  for (int d = 2; d < input.dim(); ++d) count = count * input.size(d);
  FRAMEJIT_CHECK_TYPE(!(count == 1), value,
                      "Expected more than 1 value per channel when training, got input size ",
                      sizes_text(input.sizes()));
  auto [result, average, variance] =
      batch_norm_train(input, args[3].tensor(), args[4].tensor(), args[7].real());
  const GradModeScope no_grad(false);
  if (!args[1].is_none()) update(args[1].tensor(), average, args[6].real());
  if (!args[2].is_none()) update(args[2].tensor(), unbiased(variance, count), args[6].real());
  results[0] = std::move(result);
}

/// args: input, weight, bias, eps.
void batch_norm_decompose(const Value* args, Value* results) {
  const DType dtype = args[0].impl()->meta.dtype;
  const Tensor input = widened(args[0].tensor());
  const Dims dims = all_but_channels(input.dim());
  const Tensor average = mean(input, dims, true);
  const Tensor distance = input - average;
  const Tensor variance = mean(square(distance), dims, true);
  results[0] = narrowed(with_weight_and_bias(distance * rsqrt(variance + args[3]), args[1], args[2]), dtype);
  results[1] = narrowed(reshape(average, one_dim(input.size(1))), dtype);
  results[2] = narrowed(reshape(variance, one_dim(input.size(1))), dtype);
}

/// Every channel of every instance counts as a channel of a batch of one. args as of batch_norm.
void instance_norm_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  if (!args[5].boolean()) {
    Value batch_args[] = {args[0], args[1], args[2], args[3], args[4], Value(false), args[6], args[7]};
    return batch_norm_composite(batch_args, results);
  }
  FRAMEJIT_CHECK(input.dim() >= 2, "instance_norm: expected at least 2D input (got ", input.dim(),
                 "D input)");
  const SymInt batch = input.size(0), channels = input.size(1);
  check_channels(args[3], "weight", channels);
  check_channels(args[4], "bias", channels);
  SymInt count = 1;
  for (int d = 2; d < input.dim(); ++d) count = count * input.size(d);
  FRAMEJIT_CHECK_TYPE(!(count == 1), value,
                      "Expected more than 1 spatial element when training, got input size ",
                      sizes_text(input.sizes()));
  Dims flat = input.sizes();
  flat[0] = 1;
  flat[1] = (batch * channels).bits();
  auto [result, average, variance] = batch_norm_train(reshape(input, flat), {}, {}, args[7].real());
  results[0] = with_weight_and_bias(reshape(result, input.sizes()), args[3], args[4]);
  const GradModeScope no_grad(false);
  Dims instances;
  instances.push_back(batch);
  instances.push_back(channels);
  const Dims over_batch = one_dim(0);
  if (!args[1].is_none())
    update(args[1].tensor(), mean(reshape(average, instances), over_batch), args[6].real());
  if (!args[2].is_none())
    update(args[2].tensor(), mean(reshape(unbiased(variance, count), instances), over_batch), args[6].real());
}

/// args: input, size, alpha, beta, k.
void local_response_norm_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  const int64_t size = args[1].integer();
  FRAMEJIT_CHECK_TYPE(input.dim() >= 3, value, "Expected 3D or higher dimensionality input (got ",
                      input.dim(), " dimensions)");
  if (input.numel() == 0) return void(results[0] = input);
  // Channels as the height of one image, whose windows are `size` high and one pixel wide.
  Dims image;
  image.push_back(input.size(0));
  image.push_back(SymInt(1));
  image.push_back(input.size(1));
  image.push_back(SymInt(-1));
  const Tensor squares = constant_pad_nd(reshape(square(input), image), {0, 0, size / 2, (size - 1) / 2}, 0);
  const Tensor means =
      reshape(pool_average(squares, {size, 1}, {1, 1}, {0, 0}, false, true, std::nullopt), input.sizes());
  results[0] = input / pow(means * args[2] + args[4], args[3]);
}

namespace ops {

NormGradients scale_channels_backward(const Tensor& grad, const Tensor& input, const Tensor& scale,
                                      const std::array<bool, 3>& needed) {
  if (norm_by_kernel(grad, input, scale, scale))
    return cpu::scale_channels_backward(cpu::contiguous(grad), input, scale, needed[0]);
  NormGradients gradients;
  const Dims dims = all_but_channels(input.dim());
  if (needed[0]) gradients[0] = grad * over_channels(scale, input.dim());
  if (needed[1]) gradients[1] = sum(grad * input, dims);
  if (needed[2]) gradients[2] = sum(grad, dims);
  return gradients;
}

namespace {

/// x' = (x - mean) * rstd of a batch norm, and rstd. Computed anew where the gradient is to be differentiated
/// in turn, as the saved statistics have no derivative, and for halves, whose statistics are rounded.
struct NormalizedBatch {
  Tensor value, rstd;

  NormalizedBatch(const Tensor& input, const Tensor& saved_mean, const Tensor& saved_variance, double eps) {
    const Dims dims = all_but_channels(input.dim());
    const bool again = modes().grad_enabled || !saved_mean.defined();
    const Tensor distance =
        input - (again ? mean(input, dims, true) : over_channels(saved_mean, input.dim()));
    rstd = rsqrt((again ? mean(square(distance), dims, true) : over_channels(saved_variance, input.dim())) +
                 eps);
    value = distance * rstd;
  }
};

}  // namespace

/// With g the gradient of x': rstd * (g - mean(g) - x' * mean(g * x')).
NormGradients batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const Tensor& saved_mean, const Tensor& saved_variance, double eps,
                                  const std::array<bool, 3>& needed) {
  if (is_half(input.dtype()))
    return narrowed_all(
        batch_norm_backward(widened(grad), widened(input), widened_if(weight), {}, {}, eps, needed),
        input.dtype());
  if (norm_by_kernel(grad, input, weight, saved_mean))
    return cpu::batch_norm_planes_backward(cpu::contiguous(grad), input, weight, saved_mean, saved_variance,
                                           eps, needed[0]);
  NormGradients gradients;
  const Dims dims = all_but_channels(input.dim());
  const NormalizedBatch normal(input, saved_mean, saved_variance, eps);
  if (needed[0]) {
    const Tensor centred =
        grad - mean(grad, dims, true) - normal.value * mean(grad * normal.value, dims, true);
    gradients[0] =
        centred * (weight.defined() ? normal.rstd * over_channels(weight, input.dim()) : normal.rstd);
  }
  if (needed[1]) gradients[1] = sum(grad * normal.value, dims);
  if (needed[2]) gradients[2] = sum(grad, dims);
  return gradients;
}

}  // namespace ops

}  // namespace framejit::eager
