// Orders in which the elements of a tensor lie in memory, by PyTorch's names: "contiguous_format"
// (row-major), "channels_last" (of N x C x H x W with C innermost), "channels_last_3d", and "preserve_format"
// (that of the tensor at hand).
#pragma once

#include <string>

#include "eager/tensor.h"

namespace framejit::eager {

/// Strides of a dense tensor in a format other than preserve_format. RuntimeError unless the rank fits.
FRAMEJIT_API Dims format_strides(const Dims& sizes, const std::string& format);
/// Whether the elements lie in that order, dims of size 1 aside.
FRAMEJIT_API bool is_in_format(const TensorMeta& meta, const std::string& format);

/// Whether channels lie innermost, and this is not row-major order too.
FRAMEJIT_API bool has_channels_last(const TensorMeta& meta);
/// A dense tensor of other sizes, with channels innermost where `like` has them so, else in row-major order.
FRAMEJIT_API TensorMeta meta_in_format_of(const TensorMeta& like, Dims sizes);

}  // namespace framejit::eager
