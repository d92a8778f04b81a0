// Copies whose two sides run along different dims.
#pragma once

#include <array>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// `to[c * to_stride + r] = from[r * from_stride + c]`, strides in elements.
using TransposeFn = void (*)(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
                             int64_t columns);
/// For elements of 1, 2, 4, 8 and 16 bytes; compiled once per instruction set (tile/transpose.cc).
using Transpositions = std::array<TransposeFn, 5>;

/// `to = from`, of one dtype and one shape, where the dim along which `to` lies side by side is not the one
/// of `from`. False, with nothing done, for any other copy and for small ones.
bool copy_transposed(const Tensor& from, const Tensor& to);

}  // namespace framejit::eager::cpu
