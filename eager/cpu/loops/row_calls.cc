#include "eager/cpu/loops/row_calls.h"

#include <algorithm>
#include <array>

#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/loops/nest.h"
#include "eager/cpu/loops/row_blocks.h"
#include "eager/cpu/loops/tile_variant.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

/// So many elements are few: to lay operands out anew takes less than to prepare a program.
constexpr int64_t kFew = 2048;

/// A row that is shorter is not worth a call of its own.
constexpr int64_t kLeastRow = 64;
constexpr int64_t kLeastRowOfFew = 16;

int64_t stride_from_end(const Operand& operand, int dims_from_end) {
  const int d = operand.sizes ? operand.sizes->size() - 1 - dims_from_end : -1;
  return d < 0 || (*operand.sizes)[d] == 1 ? 0 : (*operand.strides)[d];
}

bool make_walk(const Operand* operands, int operand_count, int64_t in_item, const Tensor& result,
               Walk& walk) {
  const Dims &sizes = result.sizes(), &strides = result.strides();
  const int64_t out_item = int64_t(item_size(result.dtype()));
  walk.tensors = operand_count + 1;
  for (int i = 0; i < operand_count; ++i) walk.begin[size_t(i)] = operands[i].data;
  walk.begin[size_t(operand_count)] = result.data();
  for (int d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    Walk::Steps step{};
    for (int i = 0; i < operand_count; ++i)
      step[size_t(i)] = stride_from_end(operands[i], sizes.size() - 1 - d) * in_item;
    step[size_t(operand_count)] = strides[d] * out_item;
    if (!walk.add(sizes[d], step)) return false;
  }
  return walk.rank > 0;
}

/// Row by row. False where the rows are none.
bool run_as_rows(const RowCall& call) {
  const Walk& walk = call.walk;
  const int out = call.operand_count;
  unsigned mask = call.single;
  if (walk.steps[0][size_t(out)] != call.out_item) return false;
  for (int i = 0; i < call.operand_count; ++i) {
    const int64_t step = walk.steps[0][size_t(i)];
    if (step == call.in_item || (call.single >> i & 1)) continue;
    if (step != 0 || call.halves) return false;
    mask |= 1u << i;
  }
  const TileFn fn = tile_variant(*call.kernel, call.operand_count, mask);
  if (!fn) return false;
  const int64_t length = walk.sizes[0];
  if (length <= kParallelElements) {
    parallel_for(walk.rows(), std::max<int64_t>(1, kParallelElements / length),
                 [&](int64_t first, int64_t last) {
                   for_each_row(walk, first, last, [&](const Walk::Places& places) {
                     fn(places.data(), written(places[size_t(out)]), length, call.params);
                   });
                 });
    return true;
  }
  const int64_t pieces = (length + kParallelElements - 1) / kParallelElements;
  parallel_for(walk.rows() * pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t begin = p % pieces * kParallelElements;
      Walk::Places places = walk.row(p / pieces);
      for (int t = 0; t < walk.tensors; ++t)
        places[size_t(t)] = later(places[size_t(t)], begin * walk.steps[0][size_t(t)]);
      fn(places.data(), written(places[size_t(out)]), std::min(kParallelElements, length - begin),
         call.params);
    }
  });
  return true;
}

/// Elements of tensor `t` in their order, from where the walk has them to `dense`, or back.
template <class Word>
void lay_out(const Walk& walk, int t, char* dense, bool back) {
  const int64_t length = walk.sizes[0], step = walk.steps[0][size_t(t)];
  Word* next = reinterpret_cast<Word*>(dense);
  for_each_row(walk, 0, walk.rows(), [&](const Walk::Places& places) {
    char* place = static_cast<char*>(written(places[size_t(t)]));
    if (back)
      for (int64_t i = 0; i < length; ++i) *reinterpret_cast<Word*>(place + i * step) = next[i];
    else
      for (int64_t i = 0; i < length; ++i) next[i] = *reinterpret_cast<const Word*>(place + i * step);
    next += length;
  });
}

void lay_out(const Walk& walk, int t, int64_t item, char* dense, bool back) {
  struct TwoWords {
    uint64_t words[2];
  };
  switch (item) {
    case 1:
      return lay_out<uint8_t>(walk, t, dense, back);
    case 2:
      return lay_out<uint16_t>(walk, t, dense, back);
    case 4:
      return lay_out<uint32_t>(walk, t, dense, back);
    case 8:
      return lay_out<uint64_t>(walk, t, dense, back);
    default:
      return lay_out<TwoWords>(walk, t, dense, back);
  }
}

/// A few elements: what is not dense is laid out anew.
void run_few(const RowCall& call, int64_t n) {
  const Walk& walk = call.walk;
  const int out = call.operand_count;
  ScratchScope scope;
  TileFn fn = tile_variant(*call.kernel, call.operand_count, call.single);
  const unsigned single = fn ? call.single : 0;
  if (!fn) fn = call.kernel->by_scalar_mask[0];
  const void* in[kMaxOperands];
  for (int i = 0; i < call.operand_count; ++i) {
    in[i] = walk.begin[size_t(i)];
    if ((single >> i & 1) || walk.is_dense(i, call.in_item)) continue;
    char* dense = Scratch::of_thread().take(n * call.in_item);
    lay_out(walk, i, call.in_item, dense, false);
    in[i] = dense;
  }
  if (walk.is_dense(out, call.out_item)) return fn(in, written(walk.begin[size_t(out)]), n, call.params);
  char* dense = Scratch::of_thread().take(n * call.out_item);
  fn(in, dense, n, call.params);
  lay_out(walk, out, call.out_item, dense, true);
}

}  // namespace

Dims broadcast_strides(const Operand& operand, const Dims& sizes) {
  Dims strides(sizes.size());
  for (int d = 0; d < sizes.size(); ++d) strides[d] = stride_from_end(operand, sizes.size() - 1 - d);
  return strides;
}

bool run_rows(const TileCall& call, const DirectKernel& direct, const Operand* operands,
              const Tensor& result) {
  if (!direct.kernel || call.operand_count == 0) return false;
  RowCall made{{},
               direct.kernel,
               call.operand_count,
               int64_t(item_size(call.compute)),
               int64_t(item_size(result.dtype())),
               call.params,
               0,
               direct.halves};
  Cell cells[kMaxOperands];
  for (int i = 0; i < call.operand_count; ++i)
    if (operands[i].sizes && operands[i].dtype != call.compute) return false;
  if (!make_walk(operands, call.operand_count, made.in_item, result, made.walk)) return false;
  for (int i = 0; i < call.operand_count; ++i) {
    if (!made.walk.is_one_element(i)) continue;
    convert_element(operands[i].data, operands[i].dtype, cells + i, call.operand);
    made.walk.begin[size_t(i)] = cells + i;
    made.single |= 1u << i;
  }
  // The kernel for halves has no function for every choice of single elements, which are no halves.
  if (made.halves && !tile_variant(*made.kernel, made.operand_count, made.single)) return false;
  const int64_t n = made.walk.rows() * made.walk.sizes[0];
  if (made.walk.sizes[0] >= (n <= kFew ? kLeastRowOfFew : kLeastRow) && run_as_rows(made)) return true;
  if (n > kFew) return run_as_blocks(made);
  run_few(made, n);
  return true;
}

}  // namespace framejit::eager::cpu
