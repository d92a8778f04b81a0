#include "eager/cpu/loops/row_calls.h"

#include <algorithm>
#include <optional>

#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/loops/nest.h"
#include "eager/cpu/thread_pool.h"
#include "eager/cpu/loops/tile_variant.h"
#include "eager/cpu/loops/tile_program.h"

namespace framejit::eager::cpu {
namespace {

/// A row that is shorter is not worth a call of its own.
constexpr int64_t kLeastRow = 64;

/// The step that dims [first, last) make together, when they step evenly: 0 where the operand is the same all
/// over.
std::optional<int64_t> even_step(const Dims& sizes, const Dims& strides, int first, int last) {
  std::optional<int64_t> step;
  int64_t expected = 0;
  for (int d = last - 1; d >= first; --d) {
    if (sizes[d] == 1) continue;
    if (!step)
      step = strides[d];
    else if (strides[d] != expected)
      return std::nullopt;
    expected = strides[d] * sizes[d];
  }
  return step ? *step : 0;
}

struct Row {
  const char* data;
  int64_t step;     ///< bytes to the next row
  bool is_element;  ///< one element for all of a row
};

/// How an operand (or the result) lies where dims from `split` on make a row.
std::optional<Row> as_row(const Dims& sizes, const Dims& strides, int split, const void* data, int64_t item) {
  const auto outer = even_step(sizes, strides, 0, split),
             inner = even_step(sizes, strides, split, sizes.size());
  if (!outer || !inner || (*inner != 0 && *inner != 1)) return std::nullopt;
  return Row{static_cast<const char*>(data), *outer * item, *inner == 0};
}

struct RowCall {
  TileFn fn = nullptr;
  Row in[kMaxOperands];
  Row out;
  int64_t rows = 1, length = 1;
};

bool make_row_call(const TileCall& call, const Dims* strides, const Operand* operands, const Cell* cells,
                   const Tensor& result, int split, RowCall& made) {
  const Dims& sizes = result.sizes();
  made.rows = made.length = 1;
  for (int d = 0; d < sizes.size(); ++d) (d < split ? made.rows : made.length) *= sizes[d];
  if (made.length < kLeastRow) return false;
  const auto out = as_row(sizes, result.strides(), split, result.data(), int64_t(item_size(call.result)));
  if (!out || out->is_element) return false;
  made.out = *out;
  unsigned mask = 0;
  for (int i = 0; i < call.operand_count; ++i) {
    if (!operands[i].sizes) {
      made.in[i] = {reinterpret_cast<const char*>(cells + i), 0, true};
    } else {
      const auto row = as_row(sizes, strides[i], split, operands[i].data, int64_t(item_size(call.operand)));
      if (!row) return false;
      made.in[i] = *row;
    }
    mask |= unsigned(made.in[i].is_element) << i;
  }
  made.fn = tile_variant(*call.kernel, call.operand_count, mask);
  return made.fn;
}

void run(const RowCall& call, int operand_count, const double* params) {
  const int64_t grain = std::max<int64_t>(1, kParallelElements / call.length);
  parallel_for(call.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const void* in[kMaxOperands];
      for (int i = 0; i < operand_count; ++i) in[i] = call.in[i].data + row * call.in[i].step;
      call.fn(in, const_cast<char*>(call.out.data) + row * call.out.step, call.length, params);
    }
  });
}

}  // namespace

Dims broadcast_strides(const Operand& operand, const Dims& sizes) {
  Dims strides(sizes.size());
  if (!operand.sizes) return strides;
  const int lead = sizes.size() - operand.sizes->size();
  for (int d = 0; d < operand.sizes->size(); ++d)
    strides[lead + d] = (*operand.sizes)[d] == 1 ? 0 : (*operand.strides)[d];
  return strides;
}

bool run_rows(const TileCall& call, const Operand* operands, const Tensor& result) {
  if (call.operand != call.compute || call.result != result.dtype() || call.operand_count == 0) return false;
  const Dims& sizes = result.sizes();
  Dims strides[kMaxOperands];
  Cell cells[kMaxOperands];
  for (int i = 0; i < call.operand_count; ++i) {
    if (!operands[i].sizes) {
      convert_element(operands[i].data, operands[i].dtype, cells + i, call.operand);
      continue;
    }
    if (operands[i].dtype != call.operand) return false;
    strides[i] = broadcast_strides(operands[i], sizes);
  }
  RowCall made;
  for (int split = 1; split < sizes.size(); ++split)
    if (make_row_call(call, strides, operands, cells, result, split, made)) {
      run(made, call.operand_count, call.params);
      return true;
    }
  return false;
}

}  // namespace framejit::eager::cpu
