// softmax, layer_norm and rms_norm, what they decompose into, and the derivative of layer_norm.
#include <limits>

#include "eager/autograd/formulas.h"
#include "eager/composite/channels.h"
#include "eager/composite/halves.h"
#include "eager/cpu/kernel_support.h"
#include "eager/meta/normalized_shape.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/neural.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

namespace {

Tensor in_dtype(const Tensor& self, const Value& dtype) {
  return dtype.is_none() || dtype.dtype() == self.dtype() ? self : cast(self, dtype.dtype());
}

Dims last_dims(int count) {
  Dims dims;
  for (int i = -count; i < 0; ++i) dims.push_back(int64_t(i));
  return dims;
}

}  // namespace

void softmax_composite(const Value* args, Value* results) {
  results[0] = softmax_rows(in_dtype(args[0].tensor(), args[2]), args[1].sym_int());
}
void log_softmax_composite(const Value* args, Value* results) {
  results[0] = log_softmax_rows(in_dtype(args[0].tensor(), args[2]), args[1].sym_int());
}

Tensor widened(const Tensor& self) {
  const DType wide = is_floating(self.dtype()) ? wider_type(self.dtype()) : self.dtype();
  return wide == self.dtype() ? self : cast(self, wide);
}
Tensor narrowed(const Tensor& result, DType dtype) {
  return result.dtype() == dtype ? result : cast(result, dtype);
}

void softmax_decompose(const Value* args, Value* results) {
  const Tensor self = widened(args[0].tensor());
  if (self.numel() == 0) return void(results[0] = zeros_like(args[0].tensor()));  // a dim may have no maximum
  const Dims dim = one_dim(args[1].sym_int());
  const Tensor powers = exp(self - amax(self, dim, true));
  results[0] = narrowed(powers / sum(powers, dim, true), args[0].impl()->meta.dtype);
}
void log_softmax_decompose(const Value* args, Value* results) {
  const Tensor self = widened(args[0].tensor());
  if (self.numel() == 0) return void(results[0] = zeros_like(args[0].tensor()));
  const Dims dim = one_dim(args[1].sym_int());
  const Tensor shifted = self - amax(self, dim, true);
  results[0] = narrowed(shifted - log(sum(exp(shifted), dim, true)), args[0].impl()->meta.dtype);
}

/// args: input, normalized_shape, weight, bias, eps.
void layer_norm_composite(const Value* args, Value* results) {
  results[0] = native_layer_norm(args[0].tensor(), args[1].dims(), args[2].tensor(), args[3].tensor(),
                                 args[4].real())[0];
}
void layer_norm_decompose(const Value* args, Value* results) {
  const DType dtype = args[0].impl()->meta.dtype;
  const Tensor input = widened(args[0].tensor());
  const Dims dims = last_dims(args[1].dims().size());
  const Tensor average = mean(input, dims, true);
  const Tensor distance = input - average;
  const Tensor rstd = rsqrt(mean(square(distance), dims, true) + args[4]);
  Tensor result = distance * rstd;
  if (!args[2].is_none()) result = result * narrowed(args[2].tensor(), input.dtype());
  if (!args[3].is_none()) result = result + narrowed(args[3].tensor(), input.dtype());
  results[0] = narrowed(result, dtype);
  results[1] = narrowed(average, dtype);
  results[2] = narrowed(rstd, dtype);
}

/// args: input, normalized_shape, weight, eps.
void rms_norm_composite(const Value* args, Value* results) {
  const DType dtype = args[0].impl()->meta.dtype;
  check_normalized_shape(args[0].impl()->meta.sizes, args[1].dims());
  const Tensor input = widened(args[0].tensor());
  const double epsilon = optional_real(args[3]).value_or(epsilon_of(dtype));
  const Dims dims = last_dims(args[1].dims().size());
  const Tensor result = narrowed(input * rsqrt(mean(square(input), dims, true) + epsilon), dtype);
  results[0] = args[2].is_none() ? result : Value(result * args[2]);
}

namespace ops {

namespace {

/// x' = (x - mean) * rstd of a layer norm, and rstd. The saved statistics have no derivative, so they are
/// computed anew where the gradient is to be differentiated in turn; those of halves are rounded, and not
/// used.
struct Normalized {
  Tensor value, rstd;

  Normalized(const Tensor& input, const Dims& shape, const Tensor& saved_mean, const Tensor& saved_rstd,
             double eps)
      : rstd(saved_rstd) {
    if (!modes().grad_enabled && saved_mean.defined()) {
      value = (input - saved_mean) * rstd;
      return;
    }
    const Dims dims = last_dims(shape.size());
    const Tensor distance = input - mean(input, dims, true);
    rstd = rsqrt(mean(square(distance), dims, true) + eps);
    value = distance * rstd;
  }
};

/// The sum over all dims but the last ones, of `shape`.
Tensor sum_to_last(const Tensor& self, const Dims& shape) {
  const int outer = self.dim() - shape.size();
  Dims leading;
  for (int i = 0; i < outer; ++i) leading.push_back(int64_t(i));
  return outer == 0 ? self : sum(self, leading);
}

}  // namespace

/// With g the gradient of x': rstd * (g - mean(g) - x' * mean(g * x')).
NormGradients layer_norm_backward(const Tensor& grad, const Tensor& input, const Dims& shape,
                                  const Tensor& weight, const Tensor& saved_mean, const Tensor& saved_rstd,
                                  double eps, const std::array<bool, 3>& needed) {
  if (is_half(input.dtype()))
    return narrowed_all(
        layer_norm_backward(widened(grad), widened(input), shape, widened_if(weight), {}, {}, eps, needed),
        input.dtype());
  if (norm_by_kernel(grad, input, weight, saved_mean)) {
    NormGradients by_rows = cpu::layer_norm_rows_backward(
        cpu::contiguous(grad), input, weight, numel(shape).expect(), saved_mean, saved_rstd, needed[0]);
    for (size_t i : {1, 2}) by_rows[i] = reshape(by_rows[i], shape);
    return by_rows;
  }
  NormGradients gradients;
  const Normalized normalized(input, shape, saved_mean, saved_rstd, eps);
  if (needed[0]) {
    const Dims dims = last_dims(shape.size());
    const Tensor scaled = weight.defined() ? grad * weight : grad;
    gradients[0] = normalized.rstd * (scaled - mean(scaled, dims, true) -
                                      normalized.value * mean(scaled * normalized.value, dims, true));
  }
  if (needed[1]) gradients[1] = sum_to_last(grad * normalized.value, shape);
  if (needed[2]) gradients[2] = sum_to_last(grad, shape);
  return gradients;
}

}  // namespace ops

}  // namespace framejit::eager
