// Copies whose two sides do not lie in memory as one piece: run by run, or along different dims.
#pragma once

#include <array>

#include "eager/cpu/loops/pointwise.h"

namespace framejit::eager::cpu {

/// `to[c * to_stride + r] = from[r * from_stride + c]`, strides in elements.
using TransposeFn = void (*)(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
                             int64_t columns);
/// For elements of 1, 2, 4, 8 and 16 bytes; compiled once per instruction set (tile/transpose.cc).
using Transpositions = std::array<TransposeFn, 5>;

/// `to = from`, of one dtype and one shape, where elements lie side by side along the same dim on both sides.
/// False, with nothing done, where such runs are single elements, and for small copies.
bool copy_runs(const Operand& from, const Tensor& to);
/// `to = from`, converted, of one shape, where `to` lies side by side along the last dim: there `from` may step
/// as it likes. False, with nothing done, for any other copy and for small ones.
bool copy_strided(const Operand& from, const Tensor& to);
/// `to = from`, of one dtype and one shape, where `from` repeats each element a few times along the last dim and `to` is
/// contiguous. False, with nothing done, for any other copy.
bool copy_repeats(const Operand& from, const Tensor& to);
/// `to = from`, of one dtype and one shape, where the dim along which `to` lies side by side is not the one
/// of `from`. False, with nothing done, for any other copy and for small ones.
bool copy_transposed(const Operand& from, const Tensor& to);

}  // namespace framejit::eager::cpu
