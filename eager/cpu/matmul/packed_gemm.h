// The plan of a product of packed matrices: both sides are packed once, the product is computed block by
// block. A block, and what it needs of both sides, stay in the caches.
#pragma once

#include <algorithm>

#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

constexpr int64_t kSumBlock = 256;                     ///< terms that are added at a time
constexpr int64_t kRowPanels = 16, kColumnPanels = 8;  ///< of a block of the product

/// `a`, `b`: the sides, with `panels()` and `pack(panel)`. `multiply_block(i, j)` computes block (i, j).
template <class Side, class Multiply>
void multiply_packed(const Side& a, const Side& b, bool parallel, Multiply multiply_block) {
  const int64_t row_blocks = (a.panels() + kRowPanels - 1) / kRowPanels,
                blocks = row_blocks * ((b.panels() + kColumnPanels - 1) / kColumnPanels);
  const auto pack = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) p < a.panels() ? a.pack(p) : b.pack(p - a.panels());
  };
  const auto multiply = [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) multiply_block(block % row_blocks, block / row_blocks);
  };
  if (!parallel) {
    pack(0, a.panels() + b.panels());
    multiply(0, blocks);
  } else {
    parallel_for(a.panels() + b.panels(), 8, pack);
    parallel_for(blocks, 1, multiply);
  }
}

}  // namespace framejit::eager::cpu
