#include "inductor/simplify.h"

#include <algorithm>
#include <set>

namespace framejit::inductor {
namespace {

using Kind = LoopInstr::Kind;

bool same_bits(const Dims& a, const Dims& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

bool same_operand(const LoopOperand& a, const LoopOperand& b) {
  return a.tensor == b.tensor && a.written == b.written && a.row == b.row && same_bits(a.strides, b.strides);
}

/// Instructions without effect of which one is enough.
bool same_instr(const LoopInstr& a, const LoopInstr& b) {
  return a.kind == b.kind && a.kind != Kind::store && a.dtype == b.dtype && a.slot == b.slot &&
         a.in == b.in && a.op == b.op && a.compute == b.compute && a.params == b.params &&
         a.reduce == b.reduce;
}

std::vector<bool> find_needed(const Loop& loop) {
  std::vector<bool> needed(loop.code.size());
  for (size_t i = loop.code.size(); i-- > 0;) {
    if (loop.code[i].kind == Kind::store) needed[i] = true;
    if (needed[i])
      for (int in : loop.code[i].in) needed[size_t(in)] = true;
  }
  return needed;
}

}  // namespace

Loop simplify(const Loop& loop) {
  Loop result;
  result.sizes = loop.sizes;
  result.reduced = loop.reduced;
  std::vector<bool> needed = find_needed(loop);
  std::vector<int> value_of(loop.code.size(), -1);
  auto operand_of = [&](int slot) {
    const LoopOperand& operand = loop.operands[size_t(slot)];
    for (size_t i = 0; i < result.operands.size(); ++i)
      if (same_operand(result.operands[i], operand)) return int(i);
    result.operands.push_back(operand);
    return int(result.operands.size()) - 1;
  };
  for (size_t i = 0; i < loop.code.size(); ++i) {
    if (!needed[i]) continue;
    LoopInstr instr = loop.code[i];
    for (int& in : instr.in) in = value_of[size_t(in)];
    if (instr.kind == Kind::load || instr.kind == Kind::store) instr.slot = operand_of(instr.slot);
    if (instr.kind == Kind::cast && result.code[size_t(instr.in[0])].dtype == instr.dtype) {
      value_of[i] = instr.in[0];
      continue;
    }
    auto found = std::find_if(result.code.begin(), result.code.end(),
                              [&](const LoopInstr& other) { return same_instr(other, instr); });
    value_of[i] = int(found - result.code.begin());
    if (found == result.code.end()) result.code.push_back(std::move(instr));
  }
  return result;
}

void drop_dead_stores(LoopProgram& program) {
  std::set<int> read;
  for (const Step& step : program.steps)
    for (int buffer : buffers_read(program, step)) read.insert(buffer);
  auto dead = [&](const Loop& loop, const LoopInstr& instr) {
    if (instr.kind != Kind::store) return false;
    int buffer = program.tensors[size_t(loop.operands[size_t(instr.slot)].tensor)].buffer;
    return !read.count(buffer) && !program.buffers[size_t(buffer)].is_result;
  };
  for (Step& step : program.steps) {
    Loop* loop = step.loop();
    if (!loop) continue;
    Loop kept = *loop;
    std::vector<int> renumbered(loop->code.size());
    kept.code.clear();
    for (size_t i = 0; i < loop->code.size(); ++i) {
      renumbered[i] = int(kept.code.size());
      if (dead(*loop, loop->code[i])) continue;
      kept.code.push_back(loop->code[i]);
      for (int& in : kept.code.back().in) in = renumbered[size_t(in)];
    }
    *loop = simplify(kept);
  }
  std::erase_if(program.steps, [](const Step& step) { return step.loop() && step.loop()->code.empty(); });
}

}  // namespace framejit::inductor
