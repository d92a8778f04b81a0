// The plan of a product of packed matrices: both sides are packed once, the product is computed block by
// block. A block, and what it needs of both sides, stay in the caches.
#pragma once

#include <algorithm>

#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

constexpr int64_t kSumBlock = 256;                     ///< terms that are added at a time
constexpr int64_t kRowPanels = 16, kColumnPanels = 8;  ///< of a block of the product

/// `side` has `panels()` and `pack(panel)`.
template <class Side>
void pack_all(const Side& side) {
  for (int64_t p = 0; p < side.panels(); ++p) side.pack(p);
}

/// Blocks of the product of `a` and `b`.
template <class Side>
int64_t row_blocks(const Side& a) {
  return (a.panels() + kRowPanels - 1) / kRowPanels;
}
template <class Side>
int64_t count_blocks(const Side& a, const Side& b) {
  return row_blocks(a) * ((b.panels() + kColumnPanels - 1) / kColumnPanels);
}

/// Computes all blocks on this thread, of sides that are packed. `multiply_block(i, j)` computes block (i,
/// j).
template <class Side, class Multiply>
void multiply_blocks(const Side& a, const Side& b, Multiply multiply_block) {
  const int64_t rows = row_blocks(a), blocks = count_blocks(a, b);
  for (int64_t block = 0; block < blocks; ++block) multiply_block(block % rows, block / rows);
}

/// Packs and multiplies; on all threads where `parallel`.
template <class Side, class Multiply>
void multiply_packed(const Side& a, const Side& b, bool parallel, Multiply multiply_block) {
  if (!parallel) {
    pack_all(a);
    pack_all(b);
    return multiply_blocks(a, b, multiply_block);
  }
  parallel_for(a.panels() + b.panels(), 8, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) p < a.panels() ? a.pack(p) : b.pack(p - a.panels());
  });
  const int64_t rows = row_blocks(a);
  parallel_for(count_blocks(a, b), 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) multiply_block(block % rows, block / rows);
  });
}

}  // namespace framejit::eager::cpu
