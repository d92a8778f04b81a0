// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/indexing/index_loops.h"

#include "eager/cpu/tile/packet.h"

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

/// Of kVectors vectors of columns.
template <int kVectors>
void sum_columns(const float* table, int64_t width, const int64_t* rows, int64_t count, float* sum) {
  Packet<float> sums[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) sums[v] = spread(0.0F);
  for (int64_t i = 0; i < count; ++i) {
    const float* row = table + rows[i] * width;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] = packet::padd(sums[v], load(row + v * kLanes<float>));
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) put(sum + v * kLanes<float>, sums[v]);
}

void sum_rows(const float* table, int64_t width, const int64_t* rows, int64_t count, float* sum) {
  constexpr int64_t kLane = kLanes<float>;
  int64_t c = 0;
  for (; c + 4 * kLane <= width; c += 4 * kLane) sum_columns<4>(table + c, width, rows, count, sum + c);
  for (; c + kLane <= width; c += kLane) sum_columns<1>(table + c, width, rows, count, sum + c);
  for (; c < width; ++c) {
    float total = 0;
    for (int64_t i = 0; i < count; ++i) total += table[rows[i] * width + c];
    sum[c] = total;
  }
}

}  // namespace

extern const cpu::IndexLoops index_loops;
const cpu::IndexLoops index_loops = {&all_within, &add_offsets, &sum_rows};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
