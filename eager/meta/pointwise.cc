#include "eager/meta/pointwise.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "eager/error.h"

namespace framejit::eager {

namespace {

constexpr int kMaxTensorOperands = 8;

/// The result of two groups of different rank: the lower one counts only if its category is higher, and then
/// a complex number takes the precision of the floating type it meets.
DType combine(DType higher, DType lower) {
  if (is_complex(higher)) return higher;
  if (is_floating(higher)) return is_complex(lower) ? complex_type(higher) : higher;
  return category(lower) > category(higher) ? promote(higher, lower) : higher;
}

/// Whether the operand's elements lie in one block without gaps or overlap, in any order of dims.
bool is_dense(const TensorMeta& meta) {
  std::array<int, Dims::kMax> order;
  int rank = meta.sizes.size();
  std::iota(order.begin(), order.begin() + rank, 0);
  std::sort(order.begin(), order.begin() + rank,
            [&](int a, int b) { return meta.strides.sym(a) < meta.strides.sym(b); });
  SymInt expected = 1;
  for (int i = 0; i < rank; ++i) {
    SymInt size = meta.sizes.sym(order[i]);
    if (size == 1) continue;
    if (!(meta.strides.sym(order[i]) == expected)) return false;
    expected = expected * size;
  }
  return true;
}

/// Stride of `operand` in dim `d` of a result of `sizes`; 0 where it is broadcast.
SymInt stride_in(const TensorMeta& operand, const Dims& sizes, int d) {
  int own = d - (sizes.size() - operand.sizes.size());
  if (own < 0 || (operand.sizes.sym(own) == 1 && !(sizes.sym(d) == 1))) return 0;
  return operand.strides.sym(own);
}

/// The frequent case in one pass: all operands are contiguous and of one shape, with plain, positive sizes.
bool infer_contiguous(std::span<const TensorMeta* const> operands, TensorMeta& result) {
  const Dims& first = operands[0]->sizes;
  for (const TensorMeta* operand : operands)
    if (operand->sizes.size() != first.size()) return false;
  result.sizes.resize(first.size());
  result.strides.resize(first.size());
  int64_t stride = 1;
  for (int i = first.size() - 1; i >= 0; --i) {
    int64_t size = first[i];
    if (size < 1) return false;  // empty, or symbolic
    for (const TensorMeta* operand : operands)
      if (operand->sizes[i] != size || (operand->strides[i] != stride && size != 1)) return false;
    result.sizes[i] = size;
    result.strides[i] = stride;
    stride *= size;
  }
  return true;
}

/// Whether dim `a` must lie outside of dim `b` (1), inside (-1), or no operand tells (0).
int compare_dims(const Dims& sizes, std::span<const TensorMeta* const> operands, int a, int b) {
  for (const TensorMeta* operand : operands) {
    SymInt stride_a = stride_in(*operand, sizes, a), stride_b = stride_in(*operand, sizes, b);
    if (stride_a == 0 || stride_b == 0) continue;  // broadcast: undecided by this operand
    if (stride_a < stride_b) return -1;
    if (stride_a > stride_b) return 1;
    if (sizes.sym(a) > sizes.sym(b)) return 1;
  }
  return 0;
}

/// Dims from the innermost outwards: an insertion sort, as the comparison is no order when operands disagree.
void order_dims(const Dims& sizes, std::span<const TensorMeta* const> operands, std::span<int> order) {
  int rank = sizes.size();
  for (int i = 0; i < rank; ++i) order[size_t(i)] = rank - 1 - i;
  for (int i = 1; i < rank; ++i) {
    int moving = i;
    for (int other = i - 1; other >= 0; --other) {
      int relation = compare_dims(sizes, operands, order[size_t(other)], order[size_t(moving)]);
      if (relation > 0) {
        std::swap(order[size_t(other)], order[size_t(moving)]);
        moving = other;
      } else if (relation < 0) {
        break;
      }
    }
  }
}

[[noreturn]] void broadcast_error(const Dims& a, const Dims& b, int dim, int a_dim, int b_dim) {
  fail(ErrorType::runtime, "The size of tensor a (", a.sym(a_dim).str(),
       ") must match the size of tensor b (", b.sym(b_dim).str(), ") at non-singleton dimension ", dim);
}

DType result_dtype(const Op& op, const Value* args, DType compute) {
  if (op.dtype_rule == DTypeRule::boolean) return DType::bool_;
  if (op.dtype_rule == DTypeRule::int64) return DType::int64;
  if (op.dtype_rule == DTypeRule::real) return real_type(compute);
  return compute;
}

}  // namespace

DType number_dtype(const Value& number) {
  switch (number.tag()) {
    case Value::Tag::boolean:
      return DType::bool_;
    case Value::Tag::sym_int:
      return DType::int64;
    case Value::Tag::real:
      return default_dtype();
    case Value::Tag::complex:
      return complex_type(default_dtype());
    default:
      break;
  }
  DType dtype = number.scalar_node().dtype;
  return is_floating(dtype) ? default_dtype() : dtype;
}

DType promote_operands(std::span<const PromotionOperand> operands) {
  std::array<DType, 3> by_rank{};
  std::array<bool, 3> seen{};
  for (const PromotionOperand& operand : operands) {
    int rank = int(operand.rank);
    by_rank[size_t(rank)] =
        seen[size_t(rank)] ? promote(by_rank[size_t(rank)], operand.dtype) : operand.dtype;
    seen[size_t(rank)] = true;
  }
  DType result = DType::bool_;
  for (size_t rank = 0; rank < 3; ++rank)
    if (seen[rank])
      result =
          rank > 0 && (seen[0] || (rank == 2 && seen[1])) ? combine(by_rank[rank], result) : by_rank[rank];
  return result;
}

PointwiseTypes pointwise_types(const Op& op, const Value* args) {
  if (op.dtype_rule == DTypeRule::custom) {
    DType dtype = infer_single(op, args).dtype;
    return {dtype, dtype};
  }
  std::array<PromotionOperand, kMaxTensorOperands> operands;
  size_t count = 0;
  for (int i = 0; i < op.operand_count; ++i) {
    const Value& arg = args[i];
    if (arg.is_none() || (op.unpromoted >> i & 1)) continue;
    if (arg.is_tensor()) {
      const TensorMeta& meta = arg.impl()->meta;
      operands[count++] = {meta.dtype, meta.sizes.empty() ? PromotionRank::zero_dim : PromotionRank::tensor};
      if (op.dtype_rule == DTypeRule::first) break;
    } else {
      operands[count++] = {number_dtype(arg), PromotionRank::number};
    }
  }
  DType compute = promote_operands({operands.data(), count});
  if (op.dtype_rule == DTypeRule::promote_float && !is_inexact(compute)) compute = default_dtype();
  return {compute, result_dtype(op, args, compute)};
}

Dims broadcast_sizes(const Dims& a, const Dims& b) {
  int rank = std::max(a.size(), b.size());
  Dims result(rank);
  for (int i = 0; i < rank; ++i) {
    int in_a = i - (rank - a.size()), in_b = i - (rank - b.size());
    SymInt size_a = in_a < 0 ? SymInt(1) : a.sym(in_a), size_b = in_b < 0 ? SymInt(1) : b.sym(in_b);
    if (size_a == 1)
      result[i] = size_b.bits();
    else if (size_b == 1 || size_a == size_b)
      result[i] = size_a.bits();
    else
      broadcast_error(a, b, i, in_a, in_b);
  }
  return result;
}

Dims result_strides(const Dims& sizes, std::span<const TensorMeta* const> operands) {
  bool same_sizes = true, all_contiguous = true, same_strides = true;
  for (const TensorMeta* operand : operands) {
    if (!(operand->sizes == sizes)) {
      same_sizes = false;
      break;
    }
    all_contiguous = all_contiguous && is_contiguous(operand->sizes, operand->strides);
    same_strides = same_strides && operand->strides == operands[0]->strides;
  }
  if (operands.empty() || (same_sizes && all_contiguous)) return contiguous_strides(sizes);
  if (same_sizes && same_strides && is_dense(*operands[0])) return operands[0]->strides;

  std::array<int, Dims::kMax> order;
  order_dims(sizes, operands, order);
  Dims strides(sizes.size());
  SymInt stride = 1;
  for (int i = 0; i < sizes.size(); ++i) {
    strides[order[size_t(i)]] = stride.bits();
    stride = stride * sizes.sym(order[size_t(i)]);
  }
  return strides;
}

TensorMeta infer_single(const Op& op, const Value* args) {
  std::vector<TensorMeta> results;
  op.meta(op, args, results);
  return std::move(results[0]);
}

void infer_layout(const Op& op, const Value* args, TensorMeta& result) {
  std::array<const TensorMeta*, kMaxTensorOperands> tensors;
  size_t count = 0;
  for (int i = 0; i < op.operand_count; ++i)
    if (args[i].is_tensor()) tensors[count++] = &args[i].impl()->meta;
  FRAMEJIT_CHECK_TYPE(count > 0, type, op.schema.name, "(): expected at least one Tensor argument");
  result.device = tensors[0]->device;
  if (infer_contiguous({tensors.data(), count}, result)) return;
  result.sizes = tensors[0]->sizes;
  for (size_t i = 1; i < count; ++i) {
    result.sizes = broadcast_sizes(result.sizes, tensors[i]->sizes);
    // The device of a 0-dim operand counts only when there is no other.
    if (!tensors[i]->sizes.empty()) result.device = tensors[i]->device;
  }
  result.strides = result_strides(result.sizes, {tensors.data(), count});
}

TensorMeta infer_pointwise(const Op& op, const Value* args) {
  TensorMeta result;
  infer_layout(op, args, result);
  result.dtype = pointwise_types(op, args).result;
  return result;
}

void meta_pointwise(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  results.push_back(infer_pointwise(op, args));
}

}  // namespace framejit::eager
