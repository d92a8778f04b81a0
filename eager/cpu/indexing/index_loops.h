// Loops over index tensors that are worth an instruction set's vectors.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

struct IndexLoops {
  /// Whether all of `n` indices are at least `least` and below `size`.
  bool (*all_within)(const int64_t* indices, int64_t n, int64_t least, int64_t size);
  /// `to[i] += index * stride`, where an index below 0 counts from the end of `size`.
  void (*add_offsets)(const int64_t* indices, int64_t n, int64_t size, int64_t stride, int64_t* to);
  /// sum = the rows of `table`, of `width` elements, that `rows` tells, added up one after the other.
  void (*sum_rows)(const float* table, int64_t width, const int64_t* rows, int64_t count, float* sum);
};

/// Those of the chosen instruction set (tile/index_loops.cc).
const IndexLoops& index_loops();

/// Index tensors are read in parts of this many elements, so that what was checked is still in the cache when it is
/// used.
inline constexpr int64_t kIndicesAtOnce = 512;

}  // namespace framejit::eager::cpu
