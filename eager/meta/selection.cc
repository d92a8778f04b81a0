// Pointwise rows with a check beyond shapes and types.
#include "eager/error.h"
#include "eager/meta/pointwise.h"

namespace framejit::eager {

namespace {

void check_mask(const char* op, const char* name, const Value& mask) {
  FRAMEJIT_CHECK_TYPE(mask.is_tensor(), type, op, "(): argument '", name, "' must be Tensor, not a number");
  const DType dtype = mask.impl()->meta.dtype;
  FRAMEJIT_CHECK(dtype == DType::bool_, op, " expected ", name,
                 " to be a boolean tensor, but got a tensor with dtype ", dtype_name(dtype));
}

bool is_bool(const Value& operand) {
  return (operand.is_tensor() ? operand.impl()->meta.dtype : number_dtype(operand)) == DType::bool_;
}

}  // namespace

void meta_where(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  check_mask("where", "condition", args[0]);
  results.push_back(infer_pointwise(op, args));
}

void meta_masked_fill(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  check_mask("masked_fill", "mask", args[1]);
  const Value& value = args[2];
  const DType self = args[0].impl()->meta.dtype;
  const DType from = value.is_tensor() ? value.impl()->meta.dtype : number_dtype(value);
  FRAMEJIT_CHECK(!value.is_tensor() || value.impl()->meta.sizes.empty(),
                 "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
                 value.is_tensor() ? value.impl()->meta.sizes.size() : 0, " dimension(s).");
  FRAMEJIT_CHECK(is_complex(self) || !is_complex(from), "value cannot be converted to type ",
                 dtype_name(self), " without overflow");
  results.push_back(infer_pointwise(op, args));
}

/// On masks people want `~` or `^`.
void meta_sub(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const bool left = is_bool(args[0]), right = is_bool(args[1]);
  FRAMEJIT_CHECK(!(left && right),
                 "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
                 "or `logical_xor()` operator instead.");
  FRAMEJIT_CHECK(!left && !right,
                 "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                 "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  results.push_back(infer_pointwise(op, args));
}
void meta_neg(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  FRAMEJIT_CHECK(!is_bool(args[0]),
                 "Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
                 "to invert a mask, use the `~` or `logical_not()` operator instead.");
  results.push_back(infer_pointwise(op, args));
}

/// PyTorch refuses negative integer exponents given as numbers.
void meta_pow(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  TensorMeta result = infer_pointwise(op, args);
  const bool negative_number = args[1].tag() == Value::Tag::sym_int && args[1].sym_int() < 0;
  FRAMEJIT_CHECK(is_inexact(result.dtype) || !negative_number,
                 "Integers to negative integer powers are not allowed.");
  results.push_back(std::move(result));
}

}  // namespace framejit::eager
