// Helpers of shape rules: dim numbers, reshaping, metas. All work on symbolic sizes.
#pragma once

#include <optional>

#include "eager/op.h"

namespace framejit::eager {

/// `dim` counted from the front. IndexError unless -rank <= dim < rank; a 0-dim tensor takes -1 and 0.
FRAMEJIT_API int wrap_dim(int64_t dim, int rank);
/// The same for several dims, as a bit mask. RuntimeError when one is there twice. None or empty: all dims.
FRAMEJIT_API uint64_t dim_mask(const Value& dims, int rank);
/// `sizes` without the dims of `mask`, or with 1 in their place.
Dims reduced_sizes(const Dims& sizes, uint64_t mask, bool keepdim);

/// `shape` with its -1 (at most one) replaced, so that it has `count` elements.
Dims infer_size(const Dims& shape, SymInt count);
/// Strides that show the elements of `meta` in shape `sizes` (same count); nothing if only a copy can.
std::optional<Dims> view_strides(const TensorMeta& meta, const Dims& sizes);

/// A contiguous result.
TensorMeta contiguous_meta(Dims sizes, DType dtype, Device device = {});
/// A new tensor with the strides of `meta` where those are dense, else contiguous ones: PyTorch's
/// preserve_format.
TensorMeta preserved_meta(const TensorMeta& meta);
/// dtype and device arguments with their defaults.
DType dtype_or(const Value& dtype, DType otherwise);
Device device_or(const Value& device, Device otherwise);

}  // namespace framejit::eager
