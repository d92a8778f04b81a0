// Pointwise functions with optional arguments, or made of others.
#include <limits>

#include "eager/autograd/elementary_formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

void clamp_composite(const Value* args, Value* results) {
  const bool has_min = !args[1].is_none(), has_max = !args[2].is_none();
  FRAMEJIT_CHECK(has_min || has_max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (has_min && has_max)
    results[0] = clamp_both(args[0], args[1], args[2]);
  else
    results[0] = has_min ? clamp_min(args[0], args[1]) : clamp_max(args[0], args[2]);
}

void clamp_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const bool has_min = !args[1].is_none(), has_max = !args[2].is_none();
  FRAMEJIT_CHECK(has_min || has_max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (has_min && has_max)
    results[0] = clamp_both_(self, args[1], args[2]);
  else
    results[0] = has_min ? clamp_min_(self, args[1]) : clamp_max_(self, args[2]);
}

void rsub_composite(const Value* args, Value* results) { results[0] = sub(args[1], args[0], args[2]); }

void positive_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[0].impl()->meta.dtype != DType::bool_,
                 "The `+` operator, on a bool tensor is not supported.");
  results[0] = args[0];
}

void div_mode_composite(const Value* args, Value* results) {
  if (args[2].is_none()) return void(results[0] = div(args[0], args[1]));
  const std::string& mode = args[2].string();
  FRAMEJIT_CHECK(mode == "trunc" || mode == "floor",
                 "div expected rounding_mode to be one of None, 'trunc', or "
                 "'floor' but found '",
                 mode, "'");
  results[0] = mode == "trunc" ? div_trunc(args[0], args[1]) : floor_divide(args[0], args[1]);
}

double largest_number(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return double(std::numeric_limits<float>::max());
    default:
      return std::numeric_limits<double>::max();
  }
}
double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float32:
      return double(std::numeric_limits<float>::epsilon());
    default:
      return std::numeric_limits<double>::epsilon();
  }
}

/// Of complex numbers: of both parts.
void nan_to_num_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const double largest = largest_number(real_type(self.dtype()));
  const bool parts = is_complex(self.dtype());
  const Tensor replaced =
      replace_nonfinite(parts ? view_as_real(self) : self, optional_real(args[1]).value_or(0.0),
                        optional_real(args[2]).value_or(largest), optional_real(args[3]).value_or(-largest));
  results[0] = parts ? view_as_complex(replaced) : replaced;
}

void logit_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor();
  if (category(self.dtype()) <= category(DType::int64)) self = cast(self, default_dtype());
  if (!args[1].is_none()) self = clamp_both(self, args[1], 1 - args[1].real());
  results[0] = log_odds(self);
}

void sinc_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), scaled = widened(self) * 3.141592653589793;
  const Tensor zero = eq(scaled, 0);
  const Tensor safe = masked_fill(scaled, zero, 1);  // keeps 0 / 0 out of the gradient
  const Tensor result = masked_fill(sin(safe) / safe, zero, 1);
  results[0] = is_floating(self.dtype()) ? narrowed(result, self.dtype()) : result;
}

void gelu_composite(const Value* args, Value* results) {
  const std::string& approximate = args[1].string();
  FRAMEJIT_CHECK(approximate == "none" || approximate == "tanh",
                 "approximate argument must be either none or tanh.");
  const Tensor input = args[0].tensor();
  results[0] = approximate == "none" ? gelu_erf(input) : gelu_tanh(input);
}

/// With u = s (x + c x^3) and t = tanh(u): (1 - t^2) (u' + x u'' / 2 - x t u'^2).
void gelu_tanh_curvature_composite(const Value* args, Value* results) {
  constexpr double scale = 0.7978845608028654, cubic = 0.044715;
  const Tensor x = args[0].tensor(), squared = x * x;
  const Tensor t = tanh((x + squared * x * cubic) * scale);
  const Tensor slope = (squared * (3 * cubic) + 1) * scale;
  const Tensor half_curvature = squared * (3 * cubic * scale);
  results[0] = rsub(t * t, 1) * (slope + half_curvature - x * t * slope * slope);
}

namespace {

Tensor close_elements(const Value* args) {
  const Tensor self = args[0].tensor(), other = args[1].tensor();
  FRAMEJIT_CHECK(self.dtype() == other.dtype(), dtype_name(self.dtype()), " did not match ",
                 dtype_name(other.dtype()));
  const double relative = args[2].real(), absolute = args[3].real();
  FRAMEJIT_CHECK(relative >= 0 && absolute >= 0,
                 "rtol and atol must be greater than or equal to zero, but got ", relative, " and ",
                 absolute);
  Tensor close = eq(self, other);
  if (args[4].boolean()) close = logical_or(close, logical_and(isnan(self), isnan(other)));
  if (relative == 0 && absolute == 0) return close;
  const Tensor a = is_inexact(self.dtype()) ? self : cast(self, DType::float64);
  const Tensor b = is_inexact(other.dtype()) ? other : cast(other, DType::float64);
  const Tensor distance = abs(a - b);
  return logical_or(close, logical_and(isfinite(distance), le(distance, abs(b) * relative + absolute)));
}

}  // namespace

void isclose_composite(const Value* args, Value* results) { results[0] = close_elements(args); }
void allclose_composite(const Value* args, Value* results) {
  results[0] = Value(item(all(close_elements(args))).boolean());
}

namespace ops {

Tensor atan2_backward(const Tensor& grad, const Value& part, const Value& self, const Value& other) {
  auto tensor = [&](const Value& value) {
    return value.is_tensor() ? value.tensor() : full(Dims(), value, grad.dtype(), grad.device());
  };
  const Tensor y = tensor(self), x = tensor(other), squares = y * y + x * x;
  return grad * div(part, masked_fill(squares, eq(squares, 0), 1));
}

Tensor acosh_backward(const Tensor& grad, const Tensor& self) {
  return grad * (is_complex(self.dtype()) ? rsqrt(self - 1) * rsqrt(self + 1) : rsqrt(self * self - 1));
}

}  // namespace ops

}  // namespace framejit::eager
