#include "eager/cpu/loops/reduce.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "eager/cpu/loops/nest.h"
#include "eager/cpu/loops/row_space.h"
#include "eager/cpu/loops/run_modes.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

Program make_program(ReduceKind kind, DType input, DType result) {
  Program program;
  DType compute = reduce_compute_dtype(kind, input, result);
  int row = program.reduce(kind, program.load(program.input(input), compute));
  program.store(row, program.output(result, Extent::row));
  program.finish();
  return program;
}

const Program& find_program(ReduceKind kind, DType input, DType result) {
  constexpr size_t kCount = kReduceKinds * size_t(kDTypeCount) * size_t(kDTypeCount);
  static std::array<std::once_flag, kCount> once;
  static std::array<Program, kCount> programs;
  size_t at = (size_t(kind) * kDTypeCount + size_t(input)) * kDTypeCount + size_t(result);
  std::call_once(once[at], [&] { programs[at] = make_program(kind, input, result); });
  return programs[at];
}

Program make_program_of(ReduceKind kind, const Mapping& mapping, DType dtype, size_t operands) {
  static constexpr double one = 1;
  const auto call = [&](const Op& op) {
    TileCall call = tile_call(op, dtype, dtype);
    call.params = &one;
    call.param_count = 1;
    return call;
  };
  Program program;
  std::array<int, kMaxOperands> values{};
  for (size_t i = 0; i < operands; ++i) values[i] = program.load(program.input(dtype), dtype);
  int value = program.apply(call(mapping.first), values);
  if (mapping.then) value = program.apply(call(*mapping.then), {value});
  program.store(program.reduce(kind, value), program.output(dtype, Extent::row));
  program.finish();
  return program;
}

const Program& find_program_of(ReduceKind kind, const Mapping& mapping, DType dtype, size_t operands) {
  using Key = std::tuple<ReduceKind, const Op*, const Op*, DType>;
  static std::mutex mutex;
  static std::map<Key, Program> programs;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = programs.try_emplace({kind, &mapping.first, mapping.then, dtype});
  if (is_new) entry->second = make_program_of(kind, mapping, dtype, operands);
  return entry->second;
}

const Program& find_extrema_program(DType input) {
  static std::array<std::once_flag, kDTypeCount> once;
  static std::array<Program, kDTypeCount> programs;
  std::call_once(once[size_t(input)], [&] {
    Program& program = programs[size_t(input)];
    const int value =
        program.load(program.input(input), reduce_compute_dtype(ReduceKind::amin, input, input));
    for (ReduceKind kind : {ReduceKind::amin, ReduceKind::amax})
      program.store(program.reduce(kind, value), program.output(input, Extent::row));
    program.finish();
  });
  return programs[size_t(input)];
}

// --- rows of contiguous elements: without a program, but in its order, hence with the same bits

constexpr int64_t kRowsAtOnce = 32;
/// Longer rows are better shared by threads, where there are few of them.
constexpr int64_t kLongRow = 2 * kReduceBlock;

struct PlainRows {
  int64_t rows = 1, columns = 1;
};

/// Whether the last dims of a contiguous input are reduced, to a contiguous result of the kernel's type.
bool find_plain_rows(ReduceKind kind, const Tensor& input, uint64_t dims, const Tensor& result,
                     PlainRows& plain) {
  bool inner = true;
  for (int d = input.dim() - 1; d >= 0; --d) {
    const bool reduced = dims >> d & 1;
    if (reduced && !inner && input.sizes()[d] != 1) return false;
    inner &= reduced || input.sizes()[d] == 1;
    (reduced ? plain.columns : plain.rows) *= input.sizes()[d];
  }
  const DType compute = reduce_compute_dtype(kind, input.dtype(), result.dtype());
  return plain.columns > 0 && plain.columns <= kLongRow &&
         reduce_result_dtype(kind, compute) == result.dtype() && input.is_contiguous() &&
         result.is_contiguous();
}

/// Adds one block of a row to `block`.
void reduce_block(const RowReducer& reducer, CastFn cast, const char* from, int64_t item, int64_t first,
                  int64_t n, ReduceState& block) {
  if (!cast) return reducer.run(from, n, first, &block);
  alignas(64) char converted[kReduceChunk * int64_t(kMaxItemSize)];
  for (int64_t at = 0; at < n; at += kReduceChunk) {
    const int64_t count = std::min(kReduceChunk, n - at);
    cast(from + at * item, 1, converted, count);
    reducer.run(converted, count, first + at, &block);
  }
}

/// At most kRowsAtOnce rows.
void reduce_rows(const RowReducer& reducer, CastFn cast, const char* from, int64_t item, int64_t rows,
                 int64_t columns, void* to) {
  ReduceState totals[kRowsAtOnce], parts[kRowsAtOnce];
  std::fill_n(totals, rows, reducer.start());
  if (columns <= kReduceChunk && !cast) {
    reducer.chunks(from, columns, rows, columns, 0, parts);
    reducer.merge(totals, parts, rows);
  } else {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t at = 0; at < columns; at += kReduceBlock) {
        ReduceState block = reducer.start();
        reduce_block(reducer, cast, from + (r * columns + at) * item, item, at,
                     std::min(kReduceBlock, columns - at), block);
        reducer.merge(totals + r, &block, 1);
      }
  }
  reducer.finish(totals, rows, columns, to);
}

void reduce_plain_rows(ReduceKind kind, const Tensor& input, const PlainRows& plain, const Tensor& result) {
  const DType compute = reduce_compute_dtype(kind, input.dtype(), result.dtype());
  const LoopKernels& kernels = loop_kernels();
  const RowReducer& reducer = kernels.row[size_t(kind)][size_t(compute)];
  const CastFn cast =
      input.dtype() == compute ? nullptr : kernels.cast[size_t(input.dtype())][size_t(compute)];
  const int64_t item = int64_t(item_size(input.dtype())), out_item = int64_t(item_size(result.dtype()));
  const char* from = static_cast<const char*>(input.data());
  char* to = static_cast<char*>(result.data());
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r += kRowsAtOnce)
      reduce_rows(reducer, cast, from + r * plain.columns * item, item, std::min(kRowsAtOnce, end - r),
                  plain.columns, to + r * out_item);
  };
  if (plain.rows == 1) return run(0, 1);
  parallel_for(plain.rows, units_per_piece(plain.rows, plain.columns), run);
}

}  // namespace

Dims kept_strides(const Tensor& result, int rank, uint64_t reduced) {
  Dims strides(rank);
  bool keeps_dims = result.dim() == rank;
  for (int d = 0, at = 0; d < rank; ++d) {
    bool is_reduced = (reduced >> d) & 1;
    if (!is_reduced) strides[d] = result.strides()[at];
    if (!is_reduced || keeps_dims) ++at;
  }
  return strides;
}

void run_reduction(ReduceKind kind, const Tensor& input, uint64_t dims, const Tensor& result) {
  PlainRows plain;
  if (find_plain_rows(kind, input, dims, result, plain)) return reduce_plain_rows(kind, input, plain, result);
  const Program& program = find_program(kind, input.dtype(), result.dtype());
  Space space{input.sizes(), dims, {input.strides(), kept_strides(result, input.dim(), dims)}};
  void* pointers[] = {input.data(), result.data()};
  run(prepare(program, space), pointers, nullptr);
}

void run_reduction_of(ReduceKind kind, const Mapping& mapping, std::span<const Tensor> operands,
                      uint64_t dims, const Tensor& result) {
  const Program& program = find_program_of(kind, mapping, result.dtype(), operands.size());
  Space space{operands[0].sizes(), dims, {}};
  void* pointers[kMaxOperands + 1];
  for (size_t i = 0; i < operands.size(); ++i) {
    space.strides.push_back(operands[i].strides());
    pointers[i] = operands[i].data();
  }
  space.strides.push_back(kept_strides(result, operands[0].dim(), dims));
  pointers[operands.size()] = result.data();
  run(prepare(program, space), pointers, nullptr);
}

void run_extrema(const Tensor& input, uint64_t dims, const Tensor& smallest, const Tensor& largest) {
  Space space{input.sizes(), dims, {input.strides()}};
  for (const Tensor& result : {smallest, largest})
    space.strides.push_back(kept_strides(result, input.dim(), dims));
  void* pointers[] = {input.data(), smallest.data(), largest.data()};
  run(prepare(find_extrema_program(input.dtype()), space), pointers, nullptr);
}

}  // namespace framejit::eager::cpu
