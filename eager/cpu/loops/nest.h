// Contract: a tile program over an iteration space.
//
//   program (no sizes)  --prepare(space)-->  Nest (sizes, strides, blocking; no pointers)  --run(pointers)-->
//
// A Nest is immutable and may be run from several threads.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "eager/cpu/loops/access.h"
#include "eager/cpu/loops/tile_program.h"

namespace framejit::eager::cpu {

/// Sizes of the iteration space and how each operand of the program lies in it. Dims may be in any order;
/// `prepare` reorders and merges them.
struct Space {
  Dims sizes;
  uint64_t reduced = 0;       ///< bit i: dim i is reduced
  std::vector<Dims> strides;  ///< per operand, in elements, one per dim; 0 where the operand does not vary
                              ///< (and for row operands on reduced dims)
};

/// Elements that are worth waking another thread for.
constexpr int64_t kParallelElements = 32 * 1024;

struct Nest {
  enum class Mode : uint8_t {
    rows,     ///< kept dims outside, reduced inside; pointwise is the case of one row and no reduction
    columns,  ///< reduced outside, kept inside; one phase
  };
  const Program* program = nullptr;
  Mode mode = Mode::rows;
  int64_t outer = 1;        ///< columns: kept dims outside the reduced ones
  int64_t rows = 1;         ///< rows mode: kept points; columns mode: reduced points
  int64_t columns = 1;      ///< rows mode: reduced points (or all points); columns mode: kept points inside
  int64_t tile = kMaxTile;  ///< elements per tile
  int64_t boundary = 0;  ///< tiles do not cross multiples of this (0: no such); of reductions, whole chunks
  int64_t rows_per_block = 1;  ///< rows mode: rows in one tile
  bool by_turns = false;   ///< rows mode: a block's rows take turns, as long as `boundary`, in one tile each
  bool in_memory = false;  ///< reductions read their operands where they lie, side by side, as stored
  bool small = false;      ///< a few elements in plain memory: run_small.cc
  std::vector<Access> full;  ///< per operand, over the linear index of the whole space
  std::vector<Access> kept;  ///< per operand of extent row, over the linear kept index

  /// Of at most `n` elements from `start` on, those that one tile may hold.
  int64_t tile_at(int64_t start, int64_t n) const {
    n = std::min(n, tile);
    return boundary == 0 ? n : std::min(n, boundary - start % boundary);
  }
  /// The dtype of the elements that a reduction reads.
  DType reduced_dtype(const Instruction& reduction) const {
    const Instruction& in = program->code()[size_t(reduction.in[0])];
    return in_memory ? program->operands()[size_t(in.slot)].dtype : in.dtype;
  }
};

FRAMEJIT_API Nest prepare(const Program& program, const Space& space);
/// `pointers`: first element per operand. `numbers`: those of the run. Kernels may throw.
FRAMEJIT_API void run(const Nest& nest, void* const* pointers, const Number* numbers);

}  // namespace framejit::eager::cpu
