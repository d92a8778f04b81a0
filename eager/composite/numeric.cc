// Pointwise functions made of others.
#include <numbers>

#include "eager/composite/support.h"
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

Value in_float64(const Value& operand) {
  if (!operand.is_tensor()) return operand.tag() == Value::Tag::scalar_node ? operand : Value(operand.real());
  const Tensor tensor = operand.tensor();
  return tensor.dtype() == DType::float64 ? tensor : cast(tensor, DType::float64);
}

}  // namespace

void float_power_composite(const Value* args, Value* results) {
  results[0] = pow(in_float64(args[0]), in_float64(args[1]));
}

void ldexp_composite(const Value* args, Value* results) { results[0] = args[0].tensor() * pow(2.0, args[1]); }

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
