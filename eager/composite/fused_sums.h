// Sums of pointwise functions in one pass, where nobody looks at what is summed.
#pragma once

#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/loops/reduce.h"
#include "eager/meta/shapes.h"

namespace framejit::eager {

/// sum(op(operands...), dim, keepdim), with the same bits. Undefined, with nothing done, where a graph is
/// being made, or for operands of different dtypes or shapes, or of a dtype that sums are not computed in.
inline Tensor fused_sum(const Op& op, std::initializer_list<Tensor> operands, const std::optional<Dims>& dim,
                        bool keepdim) {
  if (!needs_no_graph(operands)) return {};
  const Tensor& first = *operands.begin();
  if (first.dtype() != DType::float32 && first.dtype() != DType::float64) return {};
  for (const Tensor& tensor : operands)
    if (tensor.dtype() != first.dtype() || !(tensor.sizes() == first.sizes())) return {};
  const uint64_t dims = dim_mask(dim ? Value(*dim) : Value(), first.dim());
  const Tensor result = Tensor::empty(reduced_sizes(first.sizes(), dims, keepdim), first.dtype());
  cpu::run_sum_of(op, operands, dims, result);
  return result;
}

}  // namespace framejit::eager
