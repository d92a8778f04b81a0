// Rules and kernels of the derived rows: in-place and `out=` forms of the rows of the table.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// The result is the first argument; raises when the functional result does not fit into it.
void meta_inplace(const Op& op, const Value* args, std::vector<TensorMeta>& results);
void inplace_kernel(const Op& op, const Value* args, Value* results);

/// Raises unless what an in-place op computes has the shape of `self` and a type that `self` can take.
void check_inplace_result(const Op& op, const TensorMeta& result, const TensorMeta& self);

/// The result is `out`, the last argument, resized to the functional result.
void meta_out(const Op& op, const Value* args, std::vector<TensorMeta>& results);
void out_kernel(const Op& op, const Value* args, Value* results);

/// Gives `out` the sizes and elements of `result`. RuntimeError where a gradient would be lost, or the type
/// does not fit.
FRAMEJIT_API void write_out(const Op& op, const Tensor& result, const Tensor& out);

}  // namespace framejit::eager
