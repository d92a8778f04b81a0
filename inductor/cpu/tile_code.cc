#include "inductor/cpu/tile_code.h"

#include <algorithm>

namespace framejit::inductor::cpu {
namespace {

namespace tile = eager::cpu;
using Kind = LoopInstr::Kind;

int make_apply(const LoopProgram& program, const LoopInstr& instr, const std::vector<int>& value_of,
               tile::Program& to) {
  std::array<double, 4> params{};
  for (size_t k = 0; k < instr.params.size(); ++k) {
    const NumberDef& number = program.numbers[size_t(instr.params[k])];
    if (number.source == NumberDef::Source::constant) params[k] = number.constant.real();
  }
  tile::TileCall call = tile::tile_call(*instr.op, instr.compute, instr.dtype);
  call.params = params.data();
  call.param_count = int(instr.params.size());
  std::array<int, tile::kMaxOperands> in{};
  for (size_t k = 0; k < instr.in.size(); ++k) in[k] = value_of[size_t(instr.in[k])];
  int value = to.apply(call, in);
  for (size_t k = 0; k < instr.params.size(); ++k)
    if (program.numbers[size_t(instr.params[k])].source != NumberDef::Source::constant)
      to.set_param_slot(value, int(k), instr.params[k]);
  return value;
}

/// A load that never moves is one value for the whole loop, which row values may be combined with.
tile::Extent extent_of(const LoopOperand& operand) {
  bool moves =
      std::any_of(operand.strides.begin(), operand.strides.end(), [](int64_t stride) { return stride != 0; });
  if (operand.row) return tile::Extent::row;
  return moves || operand.written ? tile::Extent::full : tile::Extent::uniform;
}

}  // namespace

tile::Program make_tile_program(const LoopProgram& program, const Loop& loop) {
  tile::Program result;
  for (const LoopOperand& operand : loop.operands) {
    DType dtype = program.tensors[size_t(operand.tensor)].dtype;
    tile::Extent extent = extent_of(operand);
    operand.written ? result.output(dtype, extent) : result.input(dtype, extent);
  }
  std::vector<int> value_of;
  for (const LoopInstr& instr : loop.code) {
    int value = -1;
    switch (instr.kind) {
      case Kind::load:
        value = result.load(instr.slot, instr.dtype);
        break;
      case Kind::number:
        value = result.number(instr.slot, instr.dtype);
        break;
      case Kind::apply:
        value = make_apply(program, instr, value_of, result);
        break;
      case Kind::cast:
        value = result.cast(value_of[size_t(instr.in[0])], instr.dtype);
        break;
      case Kind::reduce:
        value = result.reduce(instr.reduce, value_of[size_t(instr.in[0])]);
        break;
      case Kind::store:
        result.store(value_of[size_t(instr.in[0])], instr.slot);
        break;
    }
    value_of.push_back(value);
  }
  result.finish();
  return result;
}

}  // namespace framejit::inductor::cpu
