// Contract: the one internal instruction set, and the decoder that makes it from the bytecode of CPython 3.11
// to 3.13.
//
// Tour of symbolic/bytecode/
//   instructions.def   the table of instructions: name, class, stack effect
//   instruction.h      Opcode, Instruction, Program (this file)
//   decode.cc          Program::decode: rows "CPython opcode -> one or more of our instructions"
//   program.cc         questions to a Program, its listing, the tables
//   <build>/generated/py<tag>/opcode_table.inc
//                      names, cache sizes, operators; written by tools/describe_opcodes.py
//
// A program counter ("pc") is an index into Program::instructions(), never a byte or code unit offset. One
// CPython instruction may give several of ours (LOAD_FAST_LOAD_FAST, POP_JUMP_IF_FALSE of 3.11: ToBool,
// PopJumpIfFalse): all have the same `unit`, with `part` 0, 1, ... The interpreter can be entered at part 0
// only. No part ever needs more stack than co_stacksize allows, so the frame may be written out between any
// two instructions.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace framejit::bytecode {

enum class Opcode : uint8_t {
#define INSTRUCTION(name, klass, pops, pushes) name,
#include "symbolic/bytecode/instructions.def"
#undef INSTRUCTION
};

// Which handler of an executor an instruction belongs to.
enum class OpClass : uint8_t {
  Stack,
  Local,
  Name,
  Operator,
  Build,
  Match,
  Call,
  Function,
  Jump,
  Iteration,
  Return,
  Exception,
  Generator,
  Unsupported
};

struct Instruction {
  Opcode op;
  uint8_t part;         // position among the instructions made from one CPython instruction
  uint8_t parts_after;  // how many follow this one
  uint8_t raw;          // CPython's opcode number, for name() of Unsupported
  int32_t arg;
  int32_t extra;   // see the table; 0 where not used
  int32_t target;  // pc to jump to, or -1
  int32_t entry;   // code unit where the interpreter enters (EXTENDED_ARG, KW_NAMES and PRECALL included)
  int32_t unit;  // code unit of the opcode itself: what the frame shows as "running", for lines and handlers
};

const char* name(Opcode op);
OpClass op_class(Opcode op);
int pops(const Instruction& instruction);
int pushes(const Instruction& instruction);

// In 3.11 and 3.12 the NULL of PushNull, LoadMethod and LoadGlobal lies below the callable; from 3.13 above
// it.
constexpr bool kNullBelowCallable = PY_VERSION_HEX < 0x030D0000;

// The two slots under the arguments of a call, on any version: both set means (unbound method, self).
struct Callee {
  PyObject* callable;
  PyObject* self_or_null;
};
inline Callee callee_slots(PyObject* lower, PyObject* upper) {
  if (!lower) return {upper, nullptr};
  return {lower, upper};
}

// One row of the exception table, in pcs: [start, end) is handled at target with the stack cut to depth.
struct Handler {
  int start, end, target, depth;
  bool push_offset;  // the raising instruction's offset is pushed below the exception
};

// The arg of BinaryOp is CPython's NB_* number, the same in all versions.
struct BinaryOperator {
  const char* text;  // "+", "+="
  PyObject* (*apply)(PyObject*, PyObject*);
};
const BinaryOperator& binary_operator(int arg);

// The decoded body of one code object. Immutable, shared; borrows the code object, which must outlive its
// use.
class Program {
 public:
  static std::shared_ptr<const Program> decode(PyCodeObject* code);

  PyCodeObject* code() const { return code_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const Instruction& operator[](int pc) const { return instructions_[pc]; }
  int size() const { return static_cast<int>(instructions_.size()); }

  // The first instruction after the prologue (MakeCell, CopyFreeVars, Resume); generators: after
  // ReturnGenerator's pair.
  int body() const { return body_; }
  // The pc at a code unit (of an entry point or of an opcode); -1 inside caches.
  int pc_at_unit(int unit) const;
  const Handler* handler(int pc) const;  // innermost, or null
  const std::vector<Handler>& handlers() const { return handlers_; }
  int line(int pc) const;  // 1-based, or 0 if the instruction has none

  PyObject* constant_borrowed(int index) const { return PyTuple_GET_ITEM(code_->co_consts, index); }
  PyObject* name_borrowed(int index) const { return PyTuple_GET_ITEM(code_->co_names, index); }
  // CPython's name of the opcode this instruction was made from.
  const char* source_name(const Instruction& instruction) const;
  bool is_generator() const;  // or coroutine: the interpreter runs its frames
  std::string print() const;

 private:
  friend class Decoder;
  PyCodeObject* code_ = nullptr;
  std::vector<Instruction> instructions_;
  std::vector<int32_t> pc_of_unit_;
  std::vector<Handler> handlers_;
  int body_ = 0;
};

}  // namespace framejit::bytecode
