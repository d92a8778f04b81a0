// Types, shape and strides of pointwise results: PyTorch's promotion, broadcasting and TensorIterator layout.
#pragma once

#include <span>

#include "eager/op.h"

namespace framejit::eager {

/// How much an operand's dtype counts: a number or a 0-dim tensor decides only when its category is higher.
enum class PromotionRank : uint8_t { number, zero_dim, tensor };
struct PromotionOperand {
  DType dtype;
  PromotionRank rank;
};
FRAMEJIT_API DType promote_operands(std::span<const PromotionOperand> operands);

/// The dtype of a Python number as an operand (bool, int64 or the default floating type).
FRAMEJIT_API DType number_dtype(const Value& number);

/// The dtype that the operands are converted to and the kernel computes in, and the one of the result.
struct PointwiseTypes {
  DType compute;
  DType result;
};
FRAMEJIT_API PointwiseTypes pointwise_types(const Op& op, const Value* args);

/// Raises "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1".
FRAMEJIT_API Dims broadcast_sizes(const Dims& a, const Dims& b);

/// Result of a pointwise op on `args`, by the general rule; `infer_layout`: all of it but the dtype.
FRAMEJIT_API TensorMeta infer_pointwise(const Op& op, const Value* args);
FRAMEJIT_API void infer_layout(const Op& op, const Value* args, TensorMeta& result);
/// The meta rule of rows without one of their own.
void meta_pointwise(const Op& op, const Value* args, std::vector<TensorMeta>& results);
/// The only result of `op`, by its row's meta rule.
FRAMEJIT_API TensorMeta infer_single(const Op& op, const Value* args);

/// Strides of a new tensor of `sizes` that is laid out like the operands: TensorIterator's rule, which keeps
/// the order of dims of dense inputs. Operands need not have the rank of the result.
FRAMEJIT_API Dims result_strides(const Dims& sizes, std::span<const TensorMeta* const> operands);

}  // namespace framejit::eager
