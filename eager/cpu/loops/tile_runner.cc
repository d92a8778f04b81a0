#include "eager/cpu/loops/tile_runner.h"

#include <algorithm>
#include <cstring>

#include "eager/cpu/loops/tile_variant.h"

namespace framejit::eager::cpu {
namespace {

/// Segments of at least this length are handed to kernels one by one, where operands are one element per row
/// or one row for all; for shorter ones a call per row costs more than spreading such operands over the tile.
constexpr int64_t kScalarSegment = 32;

/// Whether each row of `length` elements is the same contiguous memory.
bool repeats_rows(const Access& access, int64_t length) {
  return access.sizes.size() == 2 && access.strides[0] == 0 && access.strides[1] == 1 &&
         access.sizes[1] == length;
}

CastFn cast_between(const LoopKernels& kernels, DType from, DType to) {
  return kernels.cast[size_t(from)][size_t(to)];
}

}  // namespace

// --- what all threads share
// -------------------------------------------------------------------------------------------

RunInputs::RunInputs(const Nest& nest, void* const* pointers, const Number* numbers)
    : nest(nest), pointers(pointers) {
  const auto& code = nest.program->code();
  Scratch& scratch = Scratch::of_thread();
  int64_t count = int64_t(code.size());
  places = scratch.take_array<Place>(count);
  params = scratch.take_array<const double*>(count);
  direct = scratch.take_array<bool>(count);
  Cell* cells = scratch.take_array<Cell>(count);
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction& instruction = code[i];
    params[i] = params_of(instruction, numbers);
    direct[i] = may_store_directly(i);
    if (instruction.extent != Extent::uniform) continue;
    void* cell = cells + i;
    places[i] = {cell, true};
    if (instruction.kind == Instruction::Kind::number) {
      const Number& number = numbers[instruction.slot];
      convert_element(number.data(), number.dtype, cell, instruction.dtype);
    } else if (instruction.kind == Instruction::Kind::load) {
      size_t slot = size_t(instruction.slot);
      convert_element(pointers[slot], nest.program->operands()[slot].dtype, cell, instruction.dtype);
    } else if (instruction.kind == Instruction::Kind::cast) {
      size_t in = size_t(instruction.in[0]);
      convert_element(places[in].data, code[in].dtype, cell, instruction.dtype);
    } else if (instruction.kind == Instruction::Kind::apply) {
      const void* in[kMaxOperands];
      for (int k = 0; k < instruction.in_count; ++k) in[k] = places[instruction.in[size_t(k)]].data;
      instruction.kernel->by_scalar_mask[0](in, cell, 1, params[i]);
    }
  }
}

const double* RunInputs::params_of(const Instruction& instruction, const Number* numbers) {
  const auto& slots = instruction.param_slots;
  if (std::all_of(slots.begin(), slots.end(), [](int slot) { return slot < 0; }))
    return instruction.params.data();
  double* values = Scratch::of_thread().take_array<double>(4);
  for (size_t k = 0; k < slots.size(); ++k)
    values[k] = slots[k] < 0 ? instruction.params[k] : numbers[slots[k]].as_real();
  return values;
}

// Computing a value right into the result's memory must not destroy an operand in the same memory that is
// still to be read.
bool RunInputs::may_store_directly(size_t at) const {
  const auto& code = nest.program->code();
  int slot = code[at].stored_to;
  if (slot < 0) return false;
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction& other = code[i];
    if (other.kind == Instruction::Kind::load && pointers[other.slot] == pointers[slot] &&
        other.last_use > int(at))
      return false;
  }
  return true;
}

// --- one thread
// -------------------------------------------------------------------------------------------------------

TileRunner::TileRunner(const RunInputs& inputs)
    : inputs_(inputs), nest_(inputs.nest), program_(*inputs.nest.program), kernels_(loop_kernels()) {
  Scratch& scratch = Scratch::of_thread();
  int64_t count = int64_t(program_.code().size());
  places_ = scratch.take_array<Place>(count);
  std::copy_n(inputs.places, count, places_);
  cells_ = scratch.take_array<Cell>(count);
  spreads_ = scratch.take_array<char*>(count);
  std::fill_n(spreads_, count, nullptr);
  spread_valid_ = scratch.take_array<bool>(count);
  tile_bytes_ = nest_.tile * program_.widest_item();
  tile_buffers_ = scratch.take(program_.tile_buffers() * tile_bytes_);
  if (program_.row_buffers() > 0) {
    int64_t longest = std::max(nest_.tile, nest_.columns);
    row_bytes_ = (longest * program_.widest_item() + 63) & ~int64_t(63);
  }
  row_buffers_ = scratch.take(program_.row_buffers() * row_bytes_);
  if (program_.reductions() > 0) {
    row_capacity_ = nest_.mode == Nest::Mode::columns ? nest_.tile : nest_.rows_per_block;
    row_values_ = scratch.take_array<Cell>(count * row_capacity_);
  }
}

void TileRunner::begin_rows(int64_t first, int64_t count, int64_t segment) {
  first_row_ = first;
  row_count_ = count;
  segment_ = segment;
  if (!any_spread_) return;
  const auto& code = program_.code();
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i].extent != Extent::uniform) spread_valid_[i] = false;
}

void TileRunner::run_rows(int phase) {
  for (int i : program_.row_code(phase)) {
    const Instruction& instruction = program_.code()[size_t(i)];
    switch (instruction.kind) {
      case Kind::load:
        load_row(i);
        break;
      case Kind::apply:
        apply(i, row_count_, row_memory(i));
        break;
      case Kind::cast:
        convert(i, row_count_, row_memory(i));
        break;
      case Kind::reduce:
        set(i, row_memory(i), row_count_ == 1);
        break;
      case Kind::store:
        store(instruction, nest_.kept[size_t(instruction.slot)], first_row_, row_count_);
        break;
      case Kind::number:
      case Kind::none:
        break;
    }
  }
}

void TileRunner::load(int i, int64_t start, int64_t n) {
  const Instruction& instruction = program_.code()[size_t(i)];
  size_t slot = size_t(instruction.slot);
  DType from = program_.operands()[slot].dtype;
  const Access& access = nest_.full[slot];
  const char* base = static_cast<const char*>(inputs_.pointers[slot]);
  int64_t item = int64_t(item_size(from));
  if (row_count_ > 1 && repeats_rows(access, segment_) && from == instruction.dtype) {
    places_[i] = {base, false, true};
    return;
  }
  Run run = find_run(access, start, n);
  if (run.even && run.stride == 1 && (nest_.in_memory || from == instruction.dtype))
    return set(i, base + run.offset * item, n == 1);
  CastFn cast = cast_between(kernels_, from, instruction.dtype);
  if (run.even && (run.stride == 0 || n == 1)) {
    cast(base + run.offset * item, 0, cells_ + i, 1);
    return set(i, cells_ + i, true);
  }
  char* to = buffer(instruction);
  if (run.even) {
    cast(base + run.offset * item, run.stride, to, n);
  } else {
    gather(access, base, item, cast, start, n, to, int64_t(item_size(instruction.dtype)));
  }
  set(i, to, false);
}

void TileRunner::load_row(int i) {
  const Instruction& instruction = program_.code()[size_t(i)];
  size_t slot = size_t(instruction.slot);
  DType from = program_.operands()[slot].dtype;
  void* to = row_memory(i);
  gather(nest_.kept[slot], inputs_.pointers[slot], int64_t(item_size(from)),
         cast_between(kernels_, from, instruction.dtype), first_row_, row_count_, to,
         int64_t(item_size(instruction.dtype)));
  set(i, to, row_count_ == 1);
}

Place TileRunner::operand(int value, bool for_row, int64_t n) {
  const Instruction& instruction = program_.code()[size_t(value)];
  if (instruction.row_lived) return {buffer(instruction), false};
  bool per_row = !for_row && instruction.extent == Extent::row && !places_[value].single;
  if (per_row || places_[value].one_row) return {spread(value, n), false};
  return places_[value];
}

const void* TileRunner::spread(int value, int64_t n) {
  const Instruction& instruction = program_.code()[size_t(value)];
  Place place = instruction.row_lived ? Place{buffer(instruction), false} : places_[value];
  bool by_segment = instruction.extent == Extent::row && !place.single;
  if (!place.single && !place.one_row && !by_segment) return place.data;
  if (n == 1) return place.data;
  if (!spreads_[value]) {
    spreads_[value] = Scratch::of_thread().take(std::max(nest_.tile, row_capacity_) * int64_t(kMaxItemSize));
    spread_valid_[value] = false;
    any_spread_ = true;
  }
  if (spread_valid_[value]) return spreads_[value];
  int64_t item = int64_t(item_size(instruction.dtype));
  CastFn repeat = cast_between(kernels_, instruction.dtype, instruction.dtype);
  if (by_segment || place.one_row) {
    for (int64_t row = 0; row < row_count_; ++row)
      repeat(static_cast<const char*>(place.data) + (by_segment ? row * item : 0), by_segment ? 0 : 1,
             spreads_[value] + row * segment_ * item, segment_);
  } else {
    repeat(place.data, 0, spreads_[value], std::max(nest_.tile, row_capacity_));
  }
  spread_valid_[value] = instruction.extent != Extent::full;
  return spreads_[value];
}

bool TileRunner::apply_by_rows(int i, void* target) {
  const auto& code = program_.code();
  const Instruction& instruction = code[size_t(i)];
  if (instruction.extent != Extent::full || segment_ < kScalarSegment) return false;
  const char* from[kMaxOperands];
  int64_t step[kMaxOperands];  // bytes to the next row
  unsigned mask = 0;
  bool differs = false;
  for (int k = 0; k < instruction.in_count; ++k) {
    int value = instruction.in[size_t(k)];
    const Instruction& in = code[size_t(value)];
    Place place = in.row_lived ? Place{buffer(in)} : places_[value];
    bool per_row = in.extent == Extent::row && !place.single;
    int64_t item = int64_t(item_size(in.dtype));
    from[k] = static_cast<const char*>(place.data);
    step[k] = per_row ? item : place.single || place.one_row ? 0 : item * segment_;
    mask |= unsigned(per_row || place.single) << k;
    differs = differs || per_row || place.one_row;
  }
  TileFn fn = tile_variant(*instruction.kernel, instruction.in_count, mask);
  if (!differs || !fn) return false;
  int64_t out_step = int64_t(item_size(instruction.dtype)) * segment_;
  for (int64_t row = 0; row < row_count_; ++row) {
    const void* in[kMaxOperands];
    for (int k = 0; k < instruction.in_count; ++k) in[k] = from[k] + row * step[k];
    fn(in, static_cast<char*>(target) + row * out_step, segment_, inputs_.params[i]);
  }
  set(i, target, false);
  return true;
}

void TileRunner::apply(int i, int64_t n, void* target) {
  const Instruction& instruction = program_.code()[size_t(i)];
  bool for_row = instruction.extent == Extent::row;
  if (row_count_ > 1 && apply_by_rows(i, target)) return;
  const void* in[kMaxOperands];
  unsigned mask = 0;
  for (int k = 0; k < instruction.in_count; ++k) {
    Place place = operand(instruction.in[size_t(k)], for_row, n);
    in[k] = place.data;
    mask |= unsigned(place.single) << k;
  }
  const double* params = inputs_.params[i];
  unsigned all = (1u << instruction.in_count) - 1;
  if (mask == all && instruction.in_count > 0) {
    instruction.kernel->by_scalar_mask[0](in, cells_ + i, 1, params);
    return set_single(i, n, target);
  }
  TileFn fn = tile_variant(*instruction.kernel, instruction.in_count, mask);
  if (!fn) {
    for (int k = 0; k < instruction.in_count; ++k)
      if ((mask >> k) & 1) in[k] = spread(instruction.in[size_t(k)], n);
    fn = instruction.kernel->by_scalar_mask[0];
  }
  fn(in, target, n, params);
  set(i, target, false);
}

void TileRunner::convert(int i, int64_t n, void* target) {
  const Instruction& instruction = program_.code()[size_t(i)];
  int value = instruction.in[0];
  CastFn cast = cast_between(kernels_, program_.code()[size_t(value)].dtype, instruction.dtype);
  Place place = operand(value, instruction.extent == Extent::row, n);
  if (place.single) {
    cast(place.data, 0, cells_ + i, 1);
    return set_single(i, n, target);
  }
  cast(place.data, 1, target, n);
  set(i, target, false);
}

// Later phases look for a row-lived value in its buffer, so there it has to be spelled out.
void TileRunner::set_single(int i, int64_t n, void* target) {
  const Instruction& instruction = program_.code()[size_t(i)];
  set(i, cells_ + i, true);
  if (instruction.row_lived)
    cast_between(kernels_, instruction.dtype, instruction.dtype)(cells_ + i, 0, target, n);
}

void* TileRunner::full_target(int i, int64_t start, int64_t n) {
  const Instruction& instruction = program_.code()[size_t(i)];
  if (inputs_.direct[i] && !instruction.row_lived) {
    size_t slot = size_t(instruction.stored_to);
    Run run = find_run(nest_.full[slot], start, n);
    if (run.even && run.stride == 1)
      return static_cast<char*>(inputs_.pointers[slot]) + run.offset * int64_t(item_size(instruction.dtype));
  }
  return buffer(instruction);
}

void TileRunner::store(const Instruction& instruction, const Access& access, int64_t start, int64_t n) {
  int value = instruction.in[0];
  DType from = program_.code()[size_t(value)].dtype;
  Place place = operand(value, instruction.extent == Extent::row, n);
  char* base = static_cast<char*>(inputs_.pointers[instruction.slot]);
  int64_t item = int64_t(item_size(instruction.dtype));
  CastFn cast = cast_between(kernels_, from, instruction.dtype);
  Run run = find_run(access, start, n);
  if (run.even && (run.stride == 1 || n == 1)) {
    char* to = base + run.offset * item;
    if (to != place.data) cast(place.data, place.single ? 0 : 1, to, n);
    return;
  }
  const void* elements = place.data;
  ScratchScope scope;
  if (place.single || from != instruction.dtype) {
    char* converted = Scratch::of_thread().take(n * item);
    cast(place.data, place.single ? 0 : 1, converted, n);
    elements = converted;
  }
  scatter(access, base, item, start, n, elements);
}

}  // namespace framejit::eager::cpu
