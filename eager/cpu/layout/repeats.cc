// Copies in which each element is repeated a few times, as repeat_interleave does.
#include <bit>
#include <cstring>

#include "eager/cpu/layout/transpose.h"
#include "eager/cpu/loops/row_layouts.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kMostRepeats = 64;  ///< more are worth a copy each
constexpr int64_t kFewestRows = 16;
constexpr int64_t kPiece = 32 * 1024;  ///< elements that one thread copies without asking another

/// Rows of `bytes` each, of which nothing is written beyond the last: other threads may be at work there.
void repeat_within(LayRowsFn repeat, const char* from, int64_t step, int64_t rows, int64_t length,
                   int64_t bytes, char* to) {
  const int64_t last = std::min(rows, kLayoutSlack / bytes + 1), before = rows - last;
  repeat(from, step, before, length, to);
  char end[kLayoutSlack + kMostRepeats * 16 + kLayoutSlack];
  repeat(from + before * step, step, last, length, end);
  std::memcpy(to + before * bytes, end, size_t(last * bytes));
}

}  // namespace

bool copy_repeats(const Operand& from, const Tensor& to) {
  const Dims& sizes = to.sizes();
  const int last = sizes.size() - 1;
  if (last < 1 || from.dtype != to.dtype() || !from.sizes || !(*from.sizes == sizes) || !to.is_contiguous())
    return false;
  const Dims& strides = *from.strides;
  const int64_t length = sizes[last], run = sizes[last - 1];
  if (strides[last] != 0 || length < 2 || length > kMostRepeats || run < kFewestRows) return false;
  const int64_t item = int64_t(item_size(to.dtype())), step = strides[last - 1] * item;
  const LayRowsFn repeat = row_layouts().repeat[std::countr_zero(uint64_t(item))];
  parallel_for(to.numel().expect() / length, kPiece / length, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t rows = std::min(end - begin, run - begin % run);
      int64_t offset = 0, row = begin;
      for (int d = last - 1; d >= 0; row /= sizes[d--]) offset += row % sizes[d] * strides[d];
      repeat_within(repeat, static_cast<const char*>(from.data) + offset * item, step, rows, length,
                    length * item, static_cast<char*>(to.data()) + begin * length * item);
      begin += rows;
    }
  });
  return true;
}

}  // namespace framejit::eager::cpu
