#include "eager/cpu/indexing/index_loops.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

bool all_within(const int64_t* indices, int64_t n, int64_t least, int64_t size) {
  uint64_t signs = 0;  // negative where an index is outside; differences may wrap
  for (int64_t i = 0; i < n; ++i)
    signs |= (uint64_t(indices[i]) - uint64_t(least)) | (uint64_t(size - 1) - uint64_t(indices[i]));
  return int64_t(signs) >= 0;
}

void add_offsets(const int64_t* __restrict indices, int64_t n, int64_t size, int64_t stride,
                 int64_t* __restrict to) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] += indices[i] + (indices[i] < 0 ? size : 0);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] += (indices[i] + (indices[i] < 0 ? size : 0)) * stride;
  }
}

}  // namespace

extern const cpu::IndexLoops index_loops;
const cpu::IndexLoops index_loops = {&all_within, &add_offsets};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
