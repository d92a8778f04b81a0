// What the composites share. Tour of composite/: one file per family, each a list of functions
// `x_composite(args, results)` that eager/ops/*.toml names, over the typed functions of generated/ops.h. A
// composite is invisible to autograd and to traces: what it calls is recorded. op_formulas.cc holds the long
// derivatives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eager/dispatch.h"
#include "eager/error.h"
#include "eager/meta/pointwise.h"
#include "eager/meta/shapes.h"
#include "eager/operators.h"

namespace framejit::eager {

using namespace ops;  // NOLINT: the whole folder is written in these functions

inline std::optional<Dims> optional_dims(const Value& value) {
  if (value.is_none()) return std::nullopt;
  return value.is_number() ? Dims{value.sym_int().bits()} : value.dims();
}
inline std::optional<DType> optional_dtype(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<DType>(value.dtype());
}
inline std::optional<Device> optional_device(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<Device>(value.device());
}
inline std::optional<double> optional_real(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<double>(value.real());
}
/// Rows that decompose compute halves in float32 and round once, as their kernels do.
Tensor widened(const Tensor& self);
Tensor narrowed(const Tensor& result, DType dtype);
/// Of a floating type: the largest finite number, and the step from 1 to the next number.
double largest_number(DType dtype);
double epsilon_of(DType dtype);
inline Dims one_dim(SymInt dim) { return Dims{dim.bits()}; }

/// What squared distances are divided by in a variance: count - correction (None: 1), at least 0.
Value variance_divisor(SymInt count, const Value& correction);

/// Of a loss: 'none', 'mean' or 'sum', or what the old arguments size_average and reduce say.
Tensor reduce_loss(const Tensor& loss, const std::string& reduction);
std::string reduction_name(const Value& size_average, const Value& reduce, const Value& reduction);

}  // namespace framejit::eager
