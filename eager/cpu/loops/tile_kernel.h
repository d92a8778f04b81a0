// Contract: tile kernels, the loops of pointwise ops (generated from the op table, one set per instruction
// set).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "eager/dtype.h"

namespace framejit::eager {

/// One instruction set's loop over `n` contiguous elements. `in[i]` has the compute dtype; operand `i` is one
/// element repeated when bit i of `scalar_mask` is set. `params` are the row's scalar parameters as doubles.
using TileFn = void (*)(const void* const* in, void* out, int64_t n, const double* params);
struct TileKernel {
  std::array<TileFn, 4> by_scalar_mask{};  ///< [0] vv, [1] sv, [2] vs of two; see tile_variant.h
};

/// One line of a generated list of kernels, which ends with a null `op`.
struct TileEntry {
  const char* op;  ///< full name
  DType dtype;     ///< that the kernel computes in
  TileKernel kernel;
};
/// The lists of the chosen instruction set.
std::vector<const TileEntry*> tile_tables();

}  // namespace framejit::eager
