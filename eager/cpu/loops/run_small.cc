// Programs over a few elements, where setting up tiles would cost more than the kernels: everything is on the
// stack and each instruction runs once.
#include <algorithm>
#include <cstring>

#include "eager/cpu/loops/run_modes.h"

namespace framejit::eager::cpu {
namespace {

using Kind = Instruction::Kind;

constexpr size_t kMostCode = 24;
constexpr int64_t kMostBytes = 4096;

bool is_plain(const Nest& nest, const Instruction& instruction) {
  const auto& operands = nest.program->operands();
  switch (instruction.kind) {
    case Kind::load:
    case Kind::store: {
      const OperandInfo& operand = operands[size_t(instruction.slot)];
      const Access& access = nest.full[size_t(instruction.slot)];
      bool contiguous = access.sizes.size() == 1 && access.strides[0] == 1;
      bool single = access.sizes.empty() && (instruction.kind == Kind::load || nest.columns == 1);
      const Instruction& stored = nest.program->code()[size_t(instruction.in[0])];
      DType value = instruction.kind == Kind::load ? instruction.dtype : stored.dtype;
      return operand.dtype == value && (contiguous || single);
    }
    case Kind::apply:
      if (instruction.in_count > 2) return false;
      for (int mask = 1; instruction.in_count == 2 && mask < 3; ++mask)
        if (!instruction.kernel->by_scalar_mask[size_t(mask)]) return false;
      return std::all_of(instruction.param_slots.begin(), instruction.param_slots.end(),
                         [](int slot) { return slot < 0; });
    default:
      return instruction.kind == Kind::number;
  }
}

}  // namespace

bool is_small(const Nest& nest) {
  const auto& code = nest.program->code();
  int64_t bytes = nest.columns * nest.program->widest_item();
  return code.size() <= kMostCode && nest.columns > 0 && nest.program->tile_buffers() * bytes <= kMostBytes &&
         std::all_of(code.begin(), code.end(), [&](const Instruction& i) { return is_plain(nest, i); });
}

bool run_small(const Nest& nest, void* const* pointers, const Number* numbers) {
  const Program& program = *nest.program;
  const auto& operands = program.operands();
  for (size_t w = 0; w < operands.size(); ++w)
    for (size_t r = 0; operands[w].written && r < operands.size(); ++r)
      if (r != w && pointers[r] == pointers[w]) return false;

  alignas(64) char buffers[kMostBytes];
  Cell cells[kMostCode];
  Place places[kMostCode];
  int64_t n = nest.columns;
  int64_t buffer_bytes = n * program.widest_item();
  const auto& code = program.code();
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction& instruction = code[i];
    switch (instruction.kind) {
      case Kind::load:
        places[i] = {pointers[instruction.slot], n == 1 || nest.full[size_t(instruction.slot)].sizes.empty()};
        break;
      case Kind::number: {
        const Number& number = numbers[instruction.slot];
        convert_element(number.data(), number.dtype, &cells[i], instruction.dtype);
        places[i] = {&cells[i], true};
        break;
      }
      case Kind::apply: {
        Place left = places[instruction.in[0]],
              right = places[instruction.in[size_t(instruction.in_count - 1)]];
        const void* in[] = {left.data, right.data};
        bool all_single = left.single && right.single;
        unsigned mask =
            all_single || instruction.in_count == 1 ? 0 : unsigned(left.single) | unsigned(right.single) << 1;
        void* out = buffers + instruction.buffer * buffer_bytes;
        if (instruction.stored_to >= 0 && (!all_single || n == 1)) out = pointers[instruction.stored_to];
        if (instruction.extent == Extent::uniform) out = &cells[i];
        instruction.kernel->by_scalar_mask[mask](in, out, all_single ? 1 : n, instruction.params.data());
        places[i] = {out, all_single};
        break;
      }
      default: {
        Place place = places[instruction.in[0]];
        void* to = pointers[instruction.slot];
        if (to == place.data) break;
        DType dtype = instruction.dtype;
        loop_kernels().cast[size_t(dtype)][size_t(dtype)](place.data, place.single ? 0 : 1, to, n);
      }
    }
  }
  return true;
}

}  // namespace framejit::eager::cpu
