// Random tensors as filled empty ones.
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/random.h"

namespace framejit::eager {

namespace {

Tensor empty_of(const Value& sizes, const Value& dtype, const Value& device, DType otherwise) {
  return empty(sizes.dims(), dtype_or(dtype, otherwise), optional_device(device));
}

Tensor empty_as(const Value* args, int dtype) {
  const Tensor self = args[0].tensor();
  return empty(self.sizes(), dtype_or(args[dtype], self.dtype()), device_or(args[dtype + 1], self.device()));
}

}  // namespace

// args of the next four: [low, high,] size, generator, dtype, device.
void rand_composite(const Value* args, Value* results) {
  results[0] = uniform(empty_of(args[0], args[2], args[3], default_dtype()), 0.0, 1.0, args[1]);
}
void randn_composite(const Value* args, Value* results) {
  results[0] = normal(empty_of(args[0], args[2], args[3], default_dtype()), 0.0, 1.0, args[1]);
}
void randint_composite(const Value* args, Value* results) {
  results[0] = random(empty_of(args[1], args[3], args[4], DType::int64), 0, args[0].sym_int(), args[2]);
}
void randint_low_composite(const Value* args, Value* results) {
  results[0] = random(empty_of(args[2], args[4], args[5], DType::int64), args[0].sym_int(), args[1].sym_int(),
                      args[3]);
}

void rand_like_composite(const Value* args, Value* results) { results[0] = uniform(empty_as(args, 1)); }
void randn_like_composite(const Value* args, Value* results) { results[0] = normal(empty_as(args, 1)); }
void randint_like_composite(const Value* args, Value* results) {
  results[0] = random(empty_as(args, 2), 0, args[1].sym_int());
}

/// args: self, lambd, generator.
void exponential_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[1].real() > 0, "exponential_ expects lambda > 0.0, but found lambda=", args[1].real());
  results[0] = neg(log1p(neg(uniform(args[0].tensor(), 0.0, 1.0, args[2])))) / args[1];
}

void bernoulli_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = cast(lt(uniform(self, 0.0, 1.0, args[1]), self), self.dtype());
}
void bernoulli_p_composite(const Value* args, Value* results) {
  results[0] = bernoulli_fill(args[0].tensor(), args[1].real(), args[2]);
}

/// args: input, p, train. The mask is drawn whole, so that forward and backward see the same one.
void dropout_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  const double p = args[1].real();
  FRAMEJIT_CHECK_TYPE(p >= 0 && p <= 1, value, "dropout probability has to be between 0 and 1, but got ", p);
  if (!args[2].boolean() || p == 0) return void(results[0] = input);
  if (p == 1) return void(results[0] = input * zeros_like(input));
  const Tensor kept = bernoulli_fill(empty(input.sizes(), input.dtype(), input.device()), 1 - p);
  results[0] = input * (kept * (1 / (1 - p)));
}

}  // namespace framejit::eager
