// Loops over index tensors that are worth an instruction set's vectors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "eager/cpu/thread_pool.h"

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

/// How many columns a thread takes at a time where threads share the columns of rows in memory: as few pieces as there are
/// threads, and none that reads less than a few cache lines of a row.
inline int64_t column_grain(int64_t rows, int64_t columns) {
  constexpr int64_t kElements = 32 * 1024, kFew = 64;
  const int64_t threads = num_threads();
  return std::max({kFew, kElements / std::max<int64_t>(1, rows), (columns + threads - 1) / threads});
}

}  // namespace framejit::eager::cpu
