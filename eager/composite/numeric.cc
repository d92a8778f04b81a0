// Pointwise functions made of others.
#include <numbers>

#include "eager/composite/support.h"
#include "eager/meta/type_names.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/elementary.h"
#include "generated/ops/numeric.h"
#include "generated/ops/view.h"

namespace framejit::eager {

void lcm_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), other = args[1].tensor();
  const Tensor divisor = gcd(self, other);
  results[0] = abs(div_trunc(self, masked_fill(divisor, eq(divisor, 0), 1)) * other);
}

namespace {

bool is_complex_operand(const Value& operand) {
  return operand.is_tensor() ? is_complex(operand.impl()->meta.dtype) : operand.tag() == Value::Tag::complex;
}
DType float_power_dtype(const Value* args) {
  const bool complex = is_complex_operand(args[0]) || is_complex_operand(args[1]);
  return complex ? DType::complex128 : DType::float64;
}
Value in_double_precision(const Value& operand, DType dtype) {
  if (!operand.is_tensor()) {
    const bool plain = operand.tag() == Value::Tag::sym_int || operand.tag() == Value::Tag::boolean;
    return plain ? Value(operand.real()) : operand;
  }
  const Tensor tensor = operand.tensor();
  return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
}

}  // namespace

void float_power_composite(const Value* args, Value* results) {
  const DType dtype = float_power_dtype(args);
  results[0] = pow(in_double_precision(args[0], dtype), in_double_precision(args[1], dtype));
}
void float_power_inplace_composite(const Value* args, Value* results) {
  const DType dtype = float_power_dtype(args), own = args[0].impl()->meta.dtype;
  FRAMEJIT_CHECK(own == dtype, "the base given to float_power_ has dtype ", scalar_type_name(own),
                 " but the operation's result requires dtype ", scalar_type_name(dtype));
  results[0] = pow_(args[0].tensor(), in_double_precision(args[1], dtype));
}

/// Integer exponents leave the type of self alone.
void ldexp_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), exponent = args[1].tensor();
  const bool counts = !is_inexact(exponent.dtype()) && is_inexact(self.dtype());
  results[0] = self * pow(2.0, counts ? cast(exponent, self.dtype()) : exponent);
}

void nextafter_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor(), other = args[1].tensor();
  const DType dtype = promote(self.dtype(), other.dtype());
  FRAMEJIT_CHECK_TYPE(is_floating(dtype), not_implemented, "\"nextafter_cpu\" not implemented for '",
                      dtype_name(dtype), "'");
  const Dims sizes = broadcast_sizes(self.sizes(), other.sizes());
  auto prepared = [&](const Tensor& operand) {
    return expand(operand.dtype() == dtype ? operand : cast(operand, dtype), sizes);
  };
  results[0] = nextafter_elements(prepared(self), prepared(other));
}

void logaddexp2_composite(const Value* args, Value* results) {
  results[0] = logaddexp(args[0].tensor() * std::numbers::ln2, args[1].tensor() * std::numbers::ln2) /
               std::numbers::ln2;
}

}  // namespace framejit::eager
