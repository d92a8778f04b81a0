// Contract: tile programs, the one form in which pointwise, reduction and row computations run on the CPU.
//
// A program is a list of instructions in SSA form over *values*. It knows no sizes: `prepare` (nest.h) lays
// it over an iteration space, `run` (nest.h) runs it. Extents say how much of the space a value covers:
//
//   full      one element per point of the space; computed tile by tile (at most kMaxTile elements, in the L1
//   cache) row       one element per kept index: results of reductions, and what is computed from those alone
//   uniform   one element: Python numbers, 0-dim tensors, and what is computed from those alone
//
// A full value may depend on the reduction of another full value: the program then runs in *phases*, each a
// pass over the row, with values that cross a phase kept in a buffer of the row's length (softmax has three).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "eager/cpu/loops/pointwise.h"
#include "eager/cpu/loops/reduce.h"

namespace framejit::eager::cpu {

inline constexpr int64_t kMaxTile = 2048;

/// Room for one element of any dtype.
struct alignas(kMaxItemSize) Cell {
  char bytes[kMaxItemSize];
};

enum class Extent : uint8_t { uniform, row, full };

/// A Python number given to a run, of type `dtype` (int64, float64, bool or complex128).
struct Number {
  DType dtype = DType::float64;
  union {
    double parts[2] = {0, 0};  ///< of a complex number
    double real;
    int64_t integer;
    bool boolean;
  };
  const void* data() const { return &real; }
  double as_real() const {
    return dtype == DType::float64 ? real : dtype == DType::bool_ ? double(boolean) : double(integer);
  }
};
/// `value` is a number, and not a symbolic one.
FRAMEJIT_API Number to_number(const Value& value);

struct Instruction {
  enum class Kind : uint8_t {
    load,    ///< element of operand `slot`, converted to `dtype`
    number,  ///< number `slot` of the run, converted to `dtype`
    apply,   ///< tile kernel
    cast,    ///< `in[0]` converted to `dtype`
    reduce,  ///< row value from the full value `in[0]`, or from the product of two
    store,   ///< `in[0]` to operand `slot`, converted to the operand's dtype
    none,    ///< a product that a reduction computes itself
  };
  Kind kind;
  DType dtype;  ///< of the value that this makes
  Extent extent = Extent::full;
  int slot = -1;
  int in_count = 0;
  std::array<int, kMaxOperands> in{};  ///< values, by the number of the instruction that made them
  const TileKernel* kernel = nullptr;
  ReduceKind reduce = ReduceKind::sum;
  std::array<double, 4> params{};
  /// Where a parameter is a number of the run: its slot; else -1.
  std::array<int, 4> param_slots{-1, -1, -1, -1};

  // Filled in by `finish`.
  int phase = 0;    ///< in which pass over the row a full value is computed; after which one a row value is
  int buffer = -1;  ///< of full values made by load, apply or cast: tile buffer, or row buffer if `row_lived`
  bool row_lived = false;  ///< full, computed, and used in a later phase: its buffer is as long as a row
  int last_use = -1;       ///< last instruction that reads the value
  int stored_to =
      -1;  ///< operand that stores it unconverted: the value may be computed into that memory at once
};

/// What a program knows of the memory that it reads or writes.
struct OperandInfo {
  DType dtype;
  bool written = false;
  Extent extent = Extent::full;  ///< row: indexed by kept dims alone; uniform: one element
};

class FRAMEJIT_API Program {
 public:
  /// Builders; each returns the number of its value (stores: nothing). Values are used after they were made.
  int input(DType dtype, Extent extent = Extent::full);   ///< an operand that is read; returns its slot
  int output(DType dtype, Extent extent = Extent::full);  ///< an operand that is written; returns its slot
  int load(int slot, DType as);
  int number(int slot, DType as);
  /// Converts the operands to the type that the kernel reads, and rounds its result. Parameters are those of
  /// the call, or the first `param_numbers` numbers of the run.
  int apply(const TileCall& call, const std::array<int, kMaxOperands>& in, int param_numbers = 0);
  int cast(int value, DType to);
  int reduce(ReduceKind kind, int value);
  void store(int value, int slot);
  /// Of the value that `apply` gave.
  void set_param_slot(int value, int param, int number_slot);
  /// Decides phases and buffers. Must be called once, last.
  void finish();

  const std::vector<Instruction>& code() const { return code_; }
  const std::vector<OperandInfo>& operands() const { return operands_; }
  /// Instructions on full values, per phase and in order, stores last. Loads appear in every phase that uses
  /// them.
  const std::vector<std::vector<int>>& phases() const { return phases_; }
  /// Row instructions that are possible after a phase (-1: before the first), in order.
  const std::vector<int>& row_code(int phase) const { return row_code_[size_t(phase + 1)]; }
  int reductions() const { return reductions_; }
  int tile_buffers() const { return tile_buffers_; }
  int row_buffers() const { return row_buffers_; }
  int64_t widest_item() const { return widest_item_; }
  /// Whether some full value needs a row value (softmax), so that rows must be kept together.
  bool needs_rows() const { return needs_rows_; }
  std::string str() const;

 private:
  int add(Instruction instruction);
  void take_products();
  void find_phases();
  void list_phases();
  void find_uses();
  void assign_buffers();

  std::vector<Instruction> code_;
  std::vector<OperandInfo> operands_;
  std::vector<std::vector<int>> phases_;
  std::vector<std::vector<int>> row_code_;
  int reductions_ = 0;
  int tile_buffers_ = 0;
  int row_buffers_ = 0;
  int64_t widest_item_ = 1;
  bool needs_rows_ = false;
};

}  // namespace framejit::eager::cpu
