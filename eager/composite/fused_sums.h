// Sums of pointwise functions in one pass, where nobody looks at what is summed.
#pragma once

#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/loops/reduce.h"
#include "eager/meta/shapes.h"

namespace framejit::eager {

/// The sum (or mean) over `dim` of what `mapping` makes of the operands, with the bits of the ops one after the other.
/// Undefined, with nothing done, where a graph is being made, or for operands of different dtypes or shapes, or of a
/// dtype that sums are not computed in.
inline Tensor fused_reduction(cpu::ReduceKind kind, const cpu::Mapping& mapping,
                              std::initializer_list<Tensor> operands, const std::optional<Dims>& dim,
                              bool keepdim) {
  if (!needs_no_graph(operands)) return {};
  const Tensor& first = *operands.begin();
  if (first.dtype() != DType::float32 && first.dtype() != DType::float64) return {};
  for (const Tensor& tensor : operands)
    if (tensor.dtype() != first.dtype() || !(tensor.sizes() == first.sizes())) return {};
  const uint64_t dims = dim_mask(dim ? Value(*dim) : Value(), first.dim());
  const Tensor result = Tensor::empty(reduced_sizes(first.sizes(), dims, keepdim), first.dtype());
  cpu::run_reduction_of(kind, mapping, operands, dims, result);
  return result;
}
inline Tensor fused_sum(const Op& op, std::initializer_list<Tensor> operands, const std::optional<Dims>& dim,
                        bool keepdim) {
  return fused_reduction(cpu::ReduceKind::sum, {op}, operands, dim, keepdim);
}

}  // namespace framejit::eager
