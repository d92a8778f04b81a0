#include "eager/cpu/loops/row_blocks.h"

#include <bit>
#include <utility>

#include "eager/cpu/isa.h"
#include "eager/cpu/loops/nest.h"
#include "eager/cpu/loops/row_layouts.h"
#include "eager/cpu/loops/tile_variant.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::RowLayouts, row_layouts, const RowLayouts& row_layouts())

namespace framejit::eager::cpu {
namespace {

/// Elements of a block, at most, and of one that is worth to have whole dims: they stay in the first cache.
constexpr int64_t kBlock = 4096;
constexpr int64_t kLeastBlock = 256;

/// Rows [first, last) of operand `t`, side by side.
void lay_out(const Walk& walk, int t, int64_t item, int64_t first, int64_t last, char* dense) {
  const int64_t length = walk.sizes[0], run = walk.rank == 1 ? 1 : walk.sizes[1];
  const int64_t step = walk.rank == 1 ? 0 : walk.steps[1][size_t(t)];
  const RowLayouts& layouts = row_layouts();
  const int size = std::countr_zero(uint64_t(item));
  const LayRowsFn lay_rows = (walk.steps[0][size_t(t)] == 0 ? layouts.repeat : layouts.copy)[size];
  while (first < last) {
    const int64_t rows = std::min(last - first, run - first % run);
    lay_rows(walk.place(t, first), step, rows, length, dense);
    dense += rows * length * item;
    first += rows;
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
    const int64_t bytes = size.rows * call.walk.sizes[0] * call.in_item + kLayoutSlack;
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
