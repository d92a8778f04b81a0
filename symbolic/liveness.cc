#include "symbolic/liveness.h"

#include <cstring>

namespace framejit::symbolic {
namespace {

using bytecode::Instruction;
using bytecode::OpClass;
using bytecode::Opcode;
using Bits = std::vector<uint64_t>;

bool names_its_locals(PyCodeObject* code) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(code->co_names, i));
    for (const char* other : {"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"})
      if (name && !strcmp(name, other)) return true;
  }
  return false;
}

bool falls_through(Opcode op) {
  return op != Opcode::Jump && op != Opcode::ReturnValue && op != Opcode::ReturnConst &&
         op != Opcode::RaiseVarargs && op != Opcode::Reraise;
}

bool merge(Bits& into, const Bits& from) {
  bool changed = false;
  for (size_t i = 0; i < into.size(); ++i) {
    uint64_t joined = into[i] | from[i];
    changed |= joined != into[i];
    into[i] = joined;
  }
  return changed;
}

/// From live after `in` to live before it.
void transfer(const Instruction& in, Bits& live) {
  uint64_t bit = uint64_t(1) << (in.arg & 63);
  auto word = size_t(in.arg) / 64;
  switch (in.op) {
    case Opcode::StoreFast:
      live[word] &= ~bit;
      return;
    case Opcode::LoadFast:
    case Opcode::LoadFastAndClear:
    case Opcode::DeleteFast:
    case Opcode::MakeCell:
      live[word] |= bit;
      return;
    default:
      return;
  }
}

}  // namespace

std::vector<bool> live_locals(const bytecode::Program& program, int pc) {
  PyCodeObject* code = program.code();
  auto count = size_t(code->co_nlocalsplus);
  bool all = names_its_locals(code);
  for (const Instruction& in : program.instructions())
    all |= bytecode::op_class(in.op) == OpClass::Unsupported;
  if (all) return std::vector<bool>(count, true);

  std::vector<Bits> before(size_t(program.size()) + 1, Bits(count / 64 + 1));
  for (bool changed = true; changed;) {
    changed = false;
    for (int at = program.size() - 1; at >= 0; --at) {
      const Instruction& in = program[at];
      Bits live(count / 64 + 1);
      if (falls_through(in.op)) merge(live, before[size_t(at) + 1]);
      if (in.target >= 0) merge(live, before[size_t(in.target)]);
      transfer(in, live);
      // Any instruction may raise, before it has stored anything.
      if (const bytecode::Handler* handler = program.handler(at))
        merge(live, before[size_t(handler->target)]);
      changed |= merge(before[size_t(at)], live);
    }
  }

  std::vector<bool> result(count);
  for (size_t i = 0; i < count; ++i) {
    constexpr char kCell = 0x40, kFree = char(0x80);  // CO_FAST_CELL, CO_FAST_FREE
    bool shared = PyBytes_AS_STRING(code->co_localspluskinds)[i] & (kCell | kFree);
    // super() reads it from the frame.
    bool self = i == 0 && code->co_nfreevars > 0;
    result[i] = shared || self || before[size_t(pc)][i / 64] >> (i % 64) & 1;
  }
  return result;
}

}  // namespace framejit::symbolic
