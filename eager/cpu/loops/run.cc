// The loop drivers: which tiles run, in what order, on which thread.
#include <algorithm>

#include "eager/cpu/loops/run_modes.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

void no_reduction(const Instruction&, const void* const*) {}

// --- pointwise
// --------------------------------------------------------------------------------------------------------

void run_pointwise_nest(const RunInputs& inputs) {
  const Nest& nest = inputs.nest;
  int64_t total = nest.columns;
  int64_t stretch = nest.boundary ? nest.boundary : total;  // tiles do not cross multiples of it
  if (total == 0) return;
  if (total <= nest.tile && stretch == total) {
    TileRunner(inputs).run_tile(0, 0, 0, total, no_reduction);
    return;
  }
  int64_t tiles_per_stretch = (stretch + nest.tile - 1) / nest.tile;
  int64_t tiles = total / stretch * tiles_per_stretch;
  parallel_for(tiles, units_per_piece(tiles, std::min(nest.tile, stretch)), [&](int64_t begin, int64_t end) {
    ScratchScope scope;
    TileRunner runner(inputs);
    for (int64_t t = begin; t < end; ++t) {
      int64_t at = t % tiles_per_stretch * nest.tile;
      runner.run_tile(0, t / tiles_per_stretch * stretch + at, 0, std::min(nest.tile, stretch - at),
                      no_reduction);
    }
  });
}

// --- rows
// -------------------------------------------------------------------------------------------------------------

/// Reductions of some rows of `columns` elements: collects chunks into blocks and blocks into results, always
/// in the same places. Where a row is one block, its result is the block's.
class RowFold {
 public:
  RowFold(const Nest& nest, int64_t rows, int64_t columns) : reducers_(row_reducers(nest)), rows_(rows) {
    Scratch& scratch = Scratch::of_thread();
    int64_t count = int64_t(reducers_.size()) * rows;
    totals_ = scratch.take_array<ReduceState>(count);
    blocks_ = columns <= kReduceBlock ? totals_ : scratch.take_array<ReduceState>(count);
    chunks_ = scratch.take_array<ReduceState>(rows);
    starts_ = scratch.take_array<ReduceState>(count);
    for (size_t k = 0; k < reducers_.size(); ++k)
      std::fill_n(starts_ + int64_t(k) * rows, rows, reducers_[k].start());
  }
  void begin() {
    std::copy_n(starts_, int64_t(reducers_.size()) * rows_, totals_);
    if (blocks_ != totals_) std::copy_n(starts_, int64_t(reducers_.size()) * rows_, blocks_);
  }
  /// Elements [column, column + n) of each of `rows` rows, one row after the other; a chunk of each when
  /// there are several.
  void take(const Instruction& instruction, const void* const* operands, int64_t item, int64_t column,
            int64_t n, int64_t rows) {
    size_t k = size_t(instruction.slot);
    const RowReducer& reducer = reducers_[k];
    const char *left = static_cast<const char*>(operands[0]), *right = static_cast<const char*>(operands[1]);
    if (rows == 1) return take_run(k, 0, left, right, item, column, n);
    for (int64_t at = 0; at < n; at += kReduceChunk) {
      int64_t count = std::min(kReduceChunk, n - at);
      if (!right) reducer.chunks(left + at * item, n, rows, count, column + at, chunks_);
      for (int64_t row = 0; right && row < rows; ++row) {
        int64_t place = (row * n + at) * item;
        chunks_[row] = reducer.product(left + place, right + place, count);
      }
      reducer.merge(block(k), chunks_, rows);
      if ((column + at + kReduceChunk) % kReduceBlock == 0) end_blocks(k, rows);
    }
  }
  /// Elements [column, column + n) of one row, or, where there is `right`, of products.
  void take_run(size_t k, int64_t row, const char* left, const char* right, int64_t item, int64_t column,
                int64_t n) {
    for (int64_t end = column + n; column < end;) {
      const int64_t count = std::min(end - column, kReduceBlock - column % kReduceBlock);
      if (right)
        reducers_[k].run_products(left, right, count, block(k) + row);
      else
        reducers_[k].run(left, count, column, block(k) + row);
      left += count * item;
      if (right) right += count * item;
      column += count;
      if (column % kReduceBlock == 0) end_blocks(k, 1, row);
    }
  }
  /// Takes what another fold collected of later elements.
  void take_block(size_t k, const ReduceState& later) { reducers_[k].merge(total(k), &later, 1); }
  const ReduceState& block_of(size_t k) {
    end_blocks(k, 1);
    return *total(k);
  }
  void finish(const Instruction& instruction, int64_t rows, int64_t count, void* out) {
    size_t k = size_t(instruction.slot);
    end_blocks(k, rows);
    reducers_[k].finish(total(k), rows, count, out);
  }
  size_t reductions() const { return reducers_.size(); }

 private:
  ReduceState* total(size_t k) { return totals_ + int64_t(k) * rows_; }
  ReduceState* block(size_t k) { return blocks_ + int64_t(k) * rows_; }
  void end_blocks(size_t k, int64_t rows, int64_t first = 0) {
    if (blocks_ == totals_) return;
    reducers_[k].merge(total(k) + first, block(k) + first, rows);
    std::copy_n(starts_ + int64_t(k) * rows_, rows, block(k) + first);
  }

  std::vector<RowReducer> reducers_;
  int64_t rows_;
  ReduceState* starts_;
  ReduceState* totals_;
  ReduceState* blocks_;
  ReduceState* chunks_;
};

void finish_rows(TileRunner& runner, RowFold& fold, const Program& program, int phase, int64_t rows,
                 int64_t count) {
  for (int i : program.row_code(phase)) {
    const Instruction& instruction = program.code()[size_t(i)];
    if (instruction.kind == Instruction::Kind::reduce)
      fold.finish(instruction, rows, count, runner.row_memory(i));
  }
  runner.run_rows(phase);
}

/// One block of rows, all phases.
void run_row_block(TileRunner& runner, RowFold& fold, const Nest& nest, int64_t first, int64_t rows) {
  const Program& program = *nest.program;
  runner.begin_rows(first, rows, nest.columns);
  runner.run_rows(-1);
  fold.begin();
  for (size_t phase = 0; phase < program.phases().size(); ++phase) {
    for (int64_t column = 0, n; column < nest.columns; column += n) {
      const int64_t start = first * nest.columns + column;
      n = rows > 1 ? nest.columns : nest.tile_at(start, nest.columns - column);
      runner.run_tile(int(phase), start, column, n * rows,
                      [&](const Instruction& instruction, const void* const* operands) {
                        int64_t item = int64_t(item_size(nest.reduced_dtype(instruction)));
                        fold.take(instruction, operands, item, column, n, rows);
                      });
    }
    finish_rows(runner, fold, program, int(phase), rows, nest.columns);
  }
}

/// One block of rows, a part of each by turns.
void run_by_turns(TileRunner& runner, RowFold& fold, const Nest& nest, int64_t first, int64_t rows) {
  fold.begin();
  for (int64_t column = 0, n; column < nest.columns; column += n) {
    n = nest.tile_at(column, nest.columns - column);
    for (int64_t row = 0; row < rows; ++row) {
      runner.begin_rows(first + row, 1, nest.columns);
      runner.run_tile(0, (first + row) * nest.columns + column, column, n,
                      [&](const Instruction& instruction, const void* const* operands) {
                        fold.take_run(size_t(instruction.slot), row, static_cast<const char*>(operands[0]),
                                      nullptr, int64_t(item_size(nest.reduced_dtype(instruction))), column,
                                      n);
                      });
    }
  }
  runner.begin_rows(first, rows, nest.columns);
  finish_rows(runner, fold, *nest.program, 0, rows, nest.columns);
}

void run_row_blocks(const RunInputs& inputs) {
  const Nest& nest = inputs.nest;
  int64_t blocks = (nest.rows + nest.rows_per_block - 1) / nest.rows_per_block;
  int64_t passes = int64_t(nest.program->phases().size());
  parallel_for(blocks,
               units_per_piece(blocks, nest.rows_per_block * std::max<int64_t>(nest.columns, 1) * passes),
               [&](int64_t begin, int64_t end) {
                 ScratchScope scope;
                 TileRunner runner(inputs);
                 RowFold fold(nest, nest.rows_per_block, nest.columns);
                 for (int64_t b = begin; b < end; ++b) {
                   int64_t first = b * nest.rows_per_block;
                   const int64_t rows = std::min(nest.rows_per_block, nest.rows - first);
                   (nest.by_turns ? run_by_turns : run_row_block)(runner, fold, nest, first, rows);
                 }
               });
}

/// Few long rows and one phase: the blocks of a row are reduced in parallel, then combined in order.
void run_split_rows(const RunInputs& inputs) {
  const Nest& nest = inputs.nest;
  const Program& program = *nest.program;
  int64_t blocks = (nest.columns + kReduceBlock - 1) / kReduceBlock;
  int64_t reductions = program.reductions();
  ReduceState* partial = Scratch::of_thread().take_array<ReduceState>(nest.rows * blocks * reductions);
  parallel_for(
      nest.rows * blocks, units_per_piece(nest.rows * blocks, kReduceBlock), [&](int64_t begin, int64_t end) {
        ScratchScope scope;
        TileRunner runner(inputs);
        RowFold fold(nest, 1, kReduceBlock);
        for (int64_t unit = begin; unit < end; ++unit) {
          int64_t row = unit / blocks, from = unit % blocks * kReduceBlock;
          runner.begin_rows(row, 1, nest.columns);
          runner.run_rows(-1);
          fold.begin();
          const int64_t last = std::min(from + kReduceBlock, nest.columns);
          for (int64_t column = from, n; column < last; column += n) {
            const int64_t start = row * nest.columns + column;
            n = nest.tile_at(start, last - column);
            runner.run_tile(0, start, 0, n, [&](const Instruction& instruction, const void* const* operands) {
              int64_t item = int64_t(item_size(nest.reduced_dtype(instruction)));
              fold.take(instruction, operands, item, column, n, 1);
            });
          }
          for (size_t k = 0; k < fold.reductions(); ++k)
            partial[unit * reductions + int64_t(k)] = fold.block_of(k);
        }
      });
  TileRunner runner(inputs);
  RowFold fold(nest, 1, kReduceBlock);
  for (int64_t row = 0; row < nest.rows; ++row) {
    runner.begin_rows(row, 1, nest.columns);
    runner.run_rows(-1);
    fold.begin();
    for (int64_t b = 0; b < blocks; ++b)
      for (size_t k = 0; k < fold.reductions(); ++k)
        fold.take_block(k, partial[(row * blocks + b) * reductions + int64_t(k)]);
    finish_rows(runner, fold, program, 0, 1, nest.columns);
  }
}

}  // namespace

int64_t units_per_piece(int64_t units, int64_t elements_per_unit) {
  int64_t least = (kParallelElements + elements_per_unit - 1) / std::max<int64_t>(elements_per_unit, 1);
  // A few pieces per thread even out what else the machine does.
  return std::max(least, (units + num_threads() * 4 - 1) / (num_threads() * 4));
}

std::vector<RowReducer> row_reducers(const Nest& nest) {
  std::vector<RowReducer> reducers;
  for (const Instruction& instruction : nest.program->code())
    if (instruction.kind == Instruction::Kind::reduce)
      reducers.push_back(
          loop_kernels().row[size_t(instruction.reduce)][size_t(nest.reduced_dtype(instruction))]);
  return reducers;
}

void run(const Nest& nest, void* const* pointers, const Number* numbers) {
  if (nest.small && run_small(nest, pointers, numbers)) return;
  ScratchScope scope;
  RunInputs inputs(nest, pointers, numbers);
  if (nest.mode == Nest::Mode::columns) return run_columns(inputs);
  if (nest.program->reductions() == 0) return run_pointwise_nest(inputs);
  bool split =
      !nest.program->needs_rows() && nest.rows < 4 * num_threads() && nest.columns >= 2 * kReduceBlock;
  split ? run_split_rows(inputs) : run_row_blocks(inputs);
}

}  // namespace framejit::eager::cpu
