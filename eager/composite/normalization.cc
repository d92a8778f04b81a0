// softmax, layer_norm and rms_norm, and what they decompose into.
#include <limits>

#include "eager/composite/support.h"
#include "eager/meta/normalized_shape.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
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
  const Dims dim = one_dim(args[1].sym_int());
  const Tensor powers = exp(self - amax(self, dim, true));
  results[0] = narrowed(powers / sum(powers, dim, true), args[0].impl()->meta.dtype);
}
void log_softmax_decompose(const Value* args, Value* results) {
  const Tensor self = widened(args[0].tensor());
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

}  // namespace framejit::eager
