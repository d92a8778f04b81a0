// How the linear index of an iteration space maps to the elements of one operand.
#pragma once

#include <cstdint>

#include "eager/cpu/loops/loop_kernels.h"
#include "eager/dims.h"

namespace framejit::eager::cpu {

/// Merged dims, outermost first. No dims: one element for all of the space.
struct Access {
  Dims sizes;
  Dims strides;  ///< in elements
};

/// Dims of the space (in loop order) seen by one operand; neighbours that step evenly become one.
Access merge_dims(const Dims& sizes, const Dims& strides);

/// Elements [start, start + n) of the linear index, when they lie evenly: `offset + i * stride`.
struct Run {
  bool even;
  int64_t offset;
  int64_t stride;
};
inline Run find_run(const Access& access, int64_t start, int64_t n) {
  int rank = access.sizes.size();
  if (rank == 0) return {true, 0, 0};
  if (rank == 1) return {true, start * access.strides[0], access.strides[0]};
  int64_t offset = 0;
  int64_t inner = access.sizes[rank - 1];
  int64_t rest = start / inner;
  int64_t at = start - rest * inner;
  if (at + n > inner) return {false, 0, 0};
  offset = at * access.strides[rank - 1];
  for (int d = rank - 2; d > 0; --d) {
    int64_t next = rest / access.sizes[d];
    offset += (rest - next * access.sizes[d]) * access.strides[d];
    rest = next;
  }
  return {true, offset + rest * access.strides[0], access.strides[rank - 1]};
}

/// Reads elements [start, start + n), converting, into `to`.
void gather(const Access& access, const void* base, int64_t item, CastFn cast, int64_t start, int64_t n,
            void* to, int64_t to_item);
/// Writes `n` elements that lie side by side at `from` to [start, start + n).
void scatter(const Access& access, void* base, int64_t item, int64_t start, int64_t n, const void* from);

}  // namespace framejit::eager::cpu
