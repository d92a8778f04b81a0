#include "eager/cpu/loops/row_blocks.h"

#include <cstring>
#include <utility>

#include "eager/cpu/loops/nest.h"
#include "eager/cpu/loops/tile_variant.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

/// Elements of a block, at most, and of one that is worth to have whole dims: they stay in the first cache.
constexpr int64_t kBlock = 2048;
constexpr int64_t kLeastBlock = 256;

/// Rows are written by so many bytes at once, beyond their end too, where the next row follows.
constexpr int64_t kStore = 16;

/// Rows of `length` elements of which each repeats one: `step` bytes from one to the next.
template <class Word>
Word* repeat_elements(const char* from, int64_t step, int64_t rows, int64_t length, Word* to) {
  constexpr int64_t kWords = kStore / int64_t(sizeof(Word));
  for (int64_t row = 0; row < rows; ++row, from += step, to += length) {
    Word words[kWords];
    std::fill_n(words, kWords, *reinterpret_cast<const Word*>(from));
    for (int64_t i = 0; i < length; i += kWords) std::memcpy(to + i, words, kStore);
  }
  return to;
}

template <class Word>
Word* copy_rows(const char* from, int64_t step, int64_t rows, int64_t length, Word* to) {
  constexpr int64_t kWords = kStore / int64_t(sizeof(Word));
  for (int64_t row = 0; row < rows; ++row, from += step, to += length) {
    const Word* words = reinterpret_cast<const Word*>(from);
    if (length < kWords) {
      for (int64_t i = 0; i < length; ++i) to[i] = words[i];
      continue;
    }
    int64_t i = 0;
    for (; i + kWords < length; i += kWords) std::memcpy(to + i, words + i, kStore);
    std::memcpy(to + length - kWords, words + length - kWords, kStore);
  }
  return to;
}

/// Rows [first, last) of operand `t`, side by side.
template <class Word>
void lay_out(const Walk& walk, int t, int64_t first, int64_t last, char* dense) {
  const int64_t length = walk.sizes[0], run = walk.rank == 1 ? 1 : walk.sizes[1];
  const int64_t step = walk.rank == 1 ? 0 : walk.steps[1][size_t(t)];
  const bool repeats = walk.steps[0][size_t(t)] == 0;
  Word* to = reinterpret_cast<Word*>(dense);
  while (first < last) {
    const char* from = static_cast<const char*>(walk.place(t, first));
    const int64_t rows = std::min(last - first, run - first % run);
    to = repeats ? repeat_elements(from, step, rows, length, to) : copy_rows(from, step, rows, length, to);
    first += rows;
  }
}

void lay_out(const Walk& walk, int t, int64_t item, int64_t first, int64_t last, char* dense) {
  struct TwoWords {
    uint64_t words[2];
  };
  switch (item) {
    case 1:
      return lay_out<uint8_t>(walk, t, first, last, dense);
    case 2:
      return lay_out<uint16_t>(walk, t, first, last, dense);
    case 4:
      return lay_out<uint32_t>(walk, t, first, last, dense);
    case 8:
      return lay_out<uint64_t>(walk, t, first, last, dense);
    default:
      return lay_out<TwoWords>(walk, t, first, last, dense);
  }
}

/// How many rows a block has: all of some inner dims where that is enough, so that what is broadcast along the
/// others is laid out once for many blocks.
struct BlockSize {
  int64_t rows = 1;
  bool whole_dims = true;

  explicit BlockSize(const Walk& walk) {
    for (int d = 1; d < walk.rank && rows * walk.sizes[d] * walk.sizes[0] <= kBlock; ++d)
      rows *= walk.sizes[d];
    if (rows * walk.sizes[0] >= kLeastBlock) return;
    rows = std::max<int64_t>(1, kBlock / walk.sizes[0]);
    whole_dims = false;
  }
};

/// Computes one block after the other.
class BlockRunner {
 public:
  BlockRunner(const RowCall& call, TileFn fn, unsigned single, BlockSize size)
      : call_(call), fn_(fn), single_(single), size_(size) {
    const int64_t bytes = size.rows * call.walk.sizes[0] * call.in_item + kStore;
    for (int i = 0; i < call.operand_count; ++i)
      if (!(single >> i & 1) && !call.walk.is_dense(i, call.in_item))
        laid_out_[i] = Scratch::of_thread().take(bytes);
  }

  void run(int64_t first, int64_t last) {
    const Walk& walk = call_.walk;
    const void* in[kMaxOperands];
    for (int i = 0; i < call_.operand_count; ++i) {
      const void* place = single_ >> i & 1 ? walk.begin[size_t(i)] : walk.place(i, first);
      in[i] = laid_out_[i] ? laid_out_[i] : place;
      if (!laid_out_[i] || (std::exchange(last_[i], place) == place && size_.whole_dims)) continue;
      lay_out(walk, i, call_.in_item, first, last, laid_out_[i]);
    }
    fn_(in, written(walk.place(call_.operand_count, first)), (last - first) * walk.sizes[0], call_.params);
  }

 private:
  const RowCall& call_;
  TileFn fn_;
  unsigned single_;
  BlockSize size_;
  char* laid_out_[kMaxOperands] = {};    ///< null: dense as it is, or one element
  const void* last_[kMaxOperands] = {};  ///< what was laid out there last
};

}  // namespace

bool run_as_blocks(const RowCall& call) {
  const Walk& walk = call.walk;
  if (walk.sizes[0] > kBlock || !walk.is_dense(call.operand_count, call.out_item)) return false;
  for (int i = 0; i < call.operand_count; ++i)
    if (const int64_t step = walk.steps[0][size_t(i)]; step != 0 && step != call.in_item) return false;
  TileFn fn = tile_variant(*call.kernel, call.operand_count, call.single);
  const unsigned single = fn ? call.single : 0;
  if (!fn) fn = call.kernel->by_scalar_mask[0];
  const BlockSize size(walk);
  const int64_t blocks = (walk.rows() + size.rows - 1) / size.rows;
  const int64_t grain = std::max<int64_t>(1, kParallelElements / (size.rows * walk.sizes[0]));
  parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
    ScratchScope scope;
    BlockRunner runner(call, fn, single, size);
    for (int64_t b = begin; b < end; ++b)
      runner.run(b * size.rows, std::min((b + 1) * size.rows, walk.rows()));
  });
  return true;
}

}  // namespace framejit::eager::cpu
