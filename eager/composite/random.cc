// Random tensors as filled empty ones.
#include <cmath>
#include <limits>
#include <numbers>

#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/random.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor empty_of(const Value& sizes, const Value& dtype, const Value& device, DType otherwise) {
  return empty(sizes.dims(), dtype_or(dtype, otherwise), optional_device(device));
}

/// Like args[0]; args[dtype], then device and memory format.
Tensor empty_as(const Value* args, int dtype) {
  const Value& format = args[dtype + 2];
  return empty_like(args[0].tensor(), optional_dtype(args[dtype]), optional_device(args[dtype + 1]),
                    format.is_none() ? std::nullopt : std::optional<std::string>(format.string()));
}

/// How many whole numbers from 0 on a dtype holds without gaps.
SymInt whole_numbers(DType dtype) {
  if (is_floating(dtype)) {
    const int digits = dtype == DType::float64 ? 53 : dtype == DType::float32 ? 24 : 8;
    return (int64_t(1) << digits) + 1;
  }
  switch (item_size(dtype)) {
    case 1:
      return dtype == DType::bool_ ? 2 : dtype == DType::uint8 ? 256 : 128;
    case 2:
      return int64_t(1) << 15;
    case 4:
      return int64_t(1) << 31;
    default:
      return std::numeric_limits<int64_t>::max() / 2;  // far from SymInt's own range of symbols
  }
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
void randn_like_composite(const Value* args, Value* results) {
  results[0] = normal(empty_as(args, 1), 0.0, 1.0);
}
void randint_like_composite(const Value* args, Value* results) {
  results[0] = random(empty_as(args, 2), 0, args[1].sym_int());
}

void randint_like_low_composite(const Value* args, Value* results) {
  results[0] = random(empty_as(args, 3), args[1].sym_int(), args[2].sym_int());
}

void random_to_composite(const Value* args, Value* results) {
  results[0] = random(args[0].tensor(), 0, args[1].sym_int(), args[2]);
}
/// Floats: up to the last whole number before the gaps between them exceed 1.
void random_all_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = random(self, 0, whole_numbers(self.dtype()), args[1]);
}

namespace {

Tensor standard_normal(const Dims& sizes, DType dtype, const Value& generator) {
  return normal(empty(sizes, dtype), 0.0, 1.0, generator);
}

void check_deviation(double std) {
  FRAMEJIT_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
}

}  // namespace

// args of the next three: mean, std, generator. Other than in PyTorch, gradients of tensors flow.
void normal_of_means_composite(const Value* args, Value* results) {
  const Tensor mean = args[0].tensor();
  check_deviation(args[1].real());
  results[0] = mean + standard_normal(mean.sizes(), mean.dtype(), args[2]) * args[1];
}
void normal_of_deviations_composite(const Value* args, Value* results) {
  const Tensor std = args[1].tensor();
  results[0] = standard_normal(std.sizes(), std.dtype(), args[2]) * std + args[0];
}
void normal_of_tensors_composite(const Value* args, Value* results) {
  const Tensor mean = args[0].tensor(), std = args[1].tensor();
  const Dims sizes = broadcast_sizes(mean.sizes(), std.sizes());
  results[0] = mean + standard_normal(sizes, promote(mean.dtype(), std.dtype()), args[2]) * std;
}
/// args: mean, std, size, generator, dtype, device.
void normal_of_sizes_composite(const Value* args, Value* results) {
  check_deviation(args[1].real());
  results[0] =
      normal(empty_of(args[2], args[4], args[5], default_dtype()), args[0].real(), args[1].real(), args[3]);
}

/// args: self, lambd, generator.
void exponential_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[1].real() > 0, "exponential_ expects lambda > 0.0, but found lambda=", args[1].real());
  results[0] = neg(log1p(neg(uniform(args[0].tensor(), 0.0, 1.0, args[2])))) / args[1];
}

namespace {

/// Numbers of [0, 1) in the shape of self, in float64 where self holds no floats.
Tensor uniform_like(const Tensor& self, const Value& generator) {
  return uniform(is_floating(self.dtype()) ? self : cast(self, DType::float64), 0.0, 1.0, generator);
}

}  // namespace

/// args: self, p, generator. Inverts the distribution function.
void geometric_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const double p = args[1].real();
  FRAMEJIT_CHECK(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  const Tensor trials = floor(log1p(neg(uniform_like(self, args[2]))) / std::log1p(-p)) + 1;
  results[0] = trials.dtype() == self.dtype() ? trials : cast(trials, self.dtype());
}
/// args: self, median, sigma, generator.
void cauchy_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[2].real() > 0, "cauchy_ expects sigma > 0.0, but found sigma=", args[2].real());
  const Tensor angle = (uniform(args[0].tensor(), 0.0, 1.0, args[3]) - 0.5) * std::numbers::pi;
  results[0] = tan(angle) * args[2] + args[1];
}
/// args: self, mean, std, generator.
void log_normal_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[2].real() > 0, "log_normal_ expects std > 0.0, but found std=", args[2].real());
  results[0] = exp(normal(args[0].tensor(), args[1].real(), args[2].real(), args[3]));
}

/// args: self, p, generator.
void bernoulli_tensor_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), p = args[1].tensor();
  FRAMEJIT_CHECK(is_floating(p.dtype()), "expected probabilities tensor to have floating type, got ",
                 dtype_name(p.dtype()));
  results[0] = cast(lt(uniform_like(self, args[2]), expand(p, self.sizes())), self.dtype());
}

/// args: count, prob, generator.
void binomial_composite(const Value* args, Value* results) {
  Tensor count = args[0].tensor(), prob = args[1].tensor();
  FRAMEJIT_CHECK(is_floating(count.dtype()),
                 "binomial only supports floating-point dtypes for count, got: ", dtype_name(count.dtype()));
  FRAMEJIT_CHECK(is_floating(prob.dtype()),
                 "binomial only supports floating-point dtypes for prob, got: ", dtype_name(prob.dtype()));
  FRAMEJIT_CHECK(count.dtype() == prob.dtype(), "Found dtype ", dtype_name(prob.dtype()), " but expected ",
                 dtype_name(count.dtype()));
  const Dims sizes = broadcast_sizes(count.sizes(), prob.sizes());
  results[0] = binomial_counts(expand(count, sizes), expand(prob, sizes), args[2]);
}

/// 1 where `chosen`, else 0, as numbers like self, which get a gradient: it is zero.
static Tensor indicator(const Tensor& self, const Tensor& chosen) {
  return masked_fill(masked_fill(self, chosen, 1), logical_not(chosen), 0);
}

void bernoulli_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), one = lt(uniform(self, 0.0, 1.0, args[1]), self);
  results[0] = self.requires_grad() ? indicator(self, one) : cast(one, self.dtype());
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
