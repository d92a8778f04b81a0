// Where the results of view ops lie in their argument.
#pragma once

#include <optional>

#include "eager/op.h"

namespace framejit::eager {

/// Sizes and strides of a view in elements; `offset` counts from the first element of the argument.
struct ViewGeometry {
  Dims sizes;
  Dims strides;
  SymInt offset = 0;
  std::optional<DType> dtype = std::nullopt;  ///< other than the argument's
};

/// Geometry of the view op of that name on `args` (in schema order). Each raises the user's error for bad
/// arguments.
ViewGeometry view_geometry(const Value* args);
ViewGeometry expand_geometry(const Value* args);
ViewGeometry permute_geometry(const Value* args);
ViewGeometry transpose_geometry(const Value* args);
ViewGeometry unsqueeze_geometry(const Value* args);
ViewGeometry squeeze_geometry(const Value* args);
ViewGeometry slice_geometry(const Value* args);
ViewGeometry select_geometry(const Value* args);
ViewGeometry diagonal_geometry(const Value* args);
ViewGeometry unfold_geometry(const Value* args);
ViewGeometry as_strided_geometry(const Value* args);
ViewGeometry alias_geometry(const Value* args);
ViewGeometry view_as_real_geometry(const Value* args);
ViewGeometry view_as_complex_geometry(const Value* args);

/// The view of `base`, a concrete tensor.
Tensor make_view(const Tensor& base, const ViewGeometry& geometry);

}  // namespace framejit::eager
