// Runs the instructions of a program over one tile, and over the row values of one block of rows. One runner
// per thread and run; the drivers in run.cc decide which tiles, in what order.
#pragma once

#include "eager/cpu/loops/nest.h"
#include "eager/cpu/scratch.h"

namespace framejit::eager::cpu {

/// Where a value is now: its elements, one element that stands for all, or one row that stands for each row
/// of the block.
struct Place {
  const void* data = nullptr;
  bool single = false;
  bool one_row = false;
};

/// Pointers and numbers of one run, with the uniform values computed from them; shared by all threads.
class RunInputs {
 public:
  RunInputs(const Nest& nest, void* const* pointers, const Number* numbers);
  const Nest& nest;
  void* const* pointers;
  Place* places;          ///< per instruction; set for uniform values
  const double** params;  ///< per instruction
  bool* direct;           ///< per instruction: may be computed into the memory that stores it

 private:
  const double* params_of(const Instruction& instruction, const Number* numbers);
  bool may_store_directly(size_t at) const;
};

class TileRunner {
 public:
  explicit TileRunner(const RunInputs& inputs);

  /// Full instructions of `phase` on linear elements [start, start + n). `column`: place in the row buffers.
  /// Calls `reduce(instruction, operands)` for reductions; the elements of each operand lie side by side.
  template <class Reduce>
  void run_tile(int phase, int64_t start, int64_t column, int64_t n, const Reduce& reduce) {
    column_ = column;
    for (int i : program_.phases()[size_t(phase)]) {
      const Instruction& instruction = program_.code()[size_t(i)];
      switch (instruction.kind) {
        case Instruction::Kind::load:
          load(i, start, n);
          break;
        case Instruction::Kind::apply:
          apply(i, n, full_target(i, start, n));
          break;
        case Instruction::Kind::cast:
          convert(i, n, buffer(instruction));
          break;
        case Instruction::Kind::reduce: {
          bool product = instruction.in_count > 1;
          const void* operands[] = {spread(instruction.in[0], n),
                                    product ? spread(instruction.in[1], n) : nullptr};
          reduce(instruction, operands);
          break;
        }
        case Instruction::Kind::store:
          store(instruction, nest_.full[size_t(instruction.slot)], start, n);
          break;
        case Instruction::Kind::number:
        case Instruction::Kind::none:
          break;
      }
    }
  }

  /// Says that row values from now on belong to kept indices [first, first + count), each standing for
  /// `segment` elements of a tile.
  void begin_rows(int64_t first, int64_t count, int64_t segment);
  /// Where a reduction's results go, `count` of them.
  void* row_memory(int value) { return row_values_ + int64_t(value) * row_capacity_; }
  /// Row instructions that are possible after `phase` (-1: before the first).
  void run_rows(int phase);

 private:
  using Kind = Instruction::Kind;
  void load(int i, int64_t start, int64_t n);
  void apply(int i, int64_t n, void* target);
  /// Row by row, where operands are one element per row or one row for all. False, with nothing done, where
  /// none is, or no kernel takes them so.
  bool apply_by_rows(int i, void* target);
  void convert(int i, int64_t n, void* target);
  void store(const Instruction& instruction, const Access& access, int64_t start, int64_t n);
  void load_row(int i);
  /// The elements of a value side by side, `n` of them, whatever its extent.
  const void* spread(int value, int64_t n);
  /// What a full or row instruction reads for `value`.
  Place operand(int value, bool for_row, int64_t n);
  void* full_target(int i, int64_t start, int64_t n);
  char* buffer(const Instruction& instruction) {
    int64_t item = int64_t(item_size(instruction.dtype));
    return instruction.row_lived ? row_buffers_ + instruction.buffer * row_bytes_ + column_ * item
                                 : tile_buffers_ + instruction.buffer * tile_bytes_;
  }
  void set(int i, const void* data, bool single) { places_[i] = {data, single}; }
  /// The element in the instruction's cell stands for `n`, whose place would be `target`.
  void set_single(int i, int64_t n, void* target);

  const RunInputs& inputs_;
  const Nest& nest_;
  const Program& program_;
  const LoopKernels& kernels_;
  Place* places_;
  Cell* cells_;  ///< one per instruction, for single elements
  char* tile_buffers_;
  int64_t tile_bytes_;
  char* row_buffers_;
  int64_t row_bytes_ = 0;
  Cell* row_values_ = nullptr;
  int64_t row_capacity_ = 0;
  char** spreads_;  ///< per instruction: tile that repeats a single or row value; null until needed
  bool any_spread_ = false;
  bool* spread_valid_;  ///< the tile is still right: uniform values, and row values within one block of rows
  int64_t column_ = 0;
  int64_t first_row_ = 0;
  int64_t row_count_ = 0;
  int64_t segment_ = 1;
};

}  // namespace framejit::eager::cpu
