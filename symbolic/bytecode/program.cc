// What can be asked of a decoded Program, its listing, and the tables of instructions and operators.
#include <cstdio>
#include <cstring>

#include "symbolic/bytecode/instruction.h"

namespace framejit::bytecode {
namespace {

PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }
PyObject* in_place_power(PyObject* a, PyObject* b) { return PyNumber_InPlacePower(a, b, Py_None); }

PyObject* (*operator_function(const char* symbol_name))(PyObject*, PyObject*) {
  static const struct {
    const char* name;
    PyObject* (*apply)(PyObject*, PyObject*);
  } kFunctions[] = {
      {"NB_ADD", PyNumber_Add},
      {"NB_AND", PyNumber_And},
      {"NB_FLOOR_DIVIDE", PyNumber_FloorDivide},
      {"NB_LSHIFT", PyNumber_Lshift},
      {"NB_MATRIX_MULTIPLY", PyNumber_MatrixMultiply},
      {"NB_MULTIPLY", PyNumber_Multiply},
      {"NB_REMAINDER", PyNumber_Remainder},
      {"NB_OR", PyNumber_Or},
      {"NB_POWER", power},
      {"NB_RSHIFT", PyNumber_Rshift},
      {"NB_SUBTRACT", PyNumber_Subtract},
      {"NB_TRUE_DIVIDE", PyNumber_TrueDivide},
      {"NB_XOR", PyNumber_Xor},
      {"NB_INPLACE_ADD", PyNumber_InPlaceAdd},
      {"NB_INPLACE_AND", PyNumber_InPlaceAnd},
      {"NB_INPLACE_FLOOR_DIVIDE", PyNumber_InPlaceFloorDivide},
      {"NB_INPLACE_LSHIFT", PyNumber_InPlaceLshift},
      {"NB_INPLACE_MATRIX_MULTIPLY", PyNumber_InPlaceMatrixMultiply},
      {"NB_INPLACE_MULTIPLY", PyNumber_InPlaceMultiply},
      {"NB_INPLACE_REMAINDER", PyNumber_InPlaceRemainder},
      {"NB_INPLACE_OR", PyNumber_InPlaceOr},
      {"NB_INPLACE_POWER", in_place_power},
      {"NB_INPLACE_RSHIFT", PyNumber_InPlaceRshift},
      {"NB_INPLACE_SUBTRACT", PyNumber_InPlaceSubtract},
      {"NB_INPLACE_TRUE_DIVIDE", PyNumber_InPlaceTrueDivide},
      {"NB_INPLACE_XOR", PyNumber_InPlaceXor},
  };
  for (const auto& function : kFunctions)
    if (!strcmp(function.name, symbol_name)) return function.apply;
  return nullptr;
}

}  // namespace

const char* name(Opcode op) {
  static const char* const kNames[] = {
#define INSTRUCTION(name, klass, pops, pushes) #name,
#include "symbolic/bytecode/instructions.def"
#undef INSTRUCTION
  };
  return kNames[static_cast<int>(op)];
}

OpClass op_class(Opcode op) {
  static const OpClass kClasses[] = {
#define INSTRUCTION(name, klass, pops, pushes) OpClass::klass,
#include "symbolic/bytecode/instructions.def"
#undef INSTRUCTION
  };
  return kClasses[static_cast<int>(op)];
}

int pops(const Instruction& in) {
  [[maybe_unused]] int a = in.arg, x = in.extra;
  switch (in.op) {
#define INSTRUCTION(name, klass, pops, pushes) \
  case Opcode::name:                           \
    return pops;
#include "symbolic/bytecode/instructions.def"
#undef INSTRUCTION
  }
  return 0;
}

int pushes(const Instruction& in) {
  [[maybe_unused]] int a = in.arg;
  switch (in.op) {
#define INSTRUCTION(name, klass, pops, pushes) \
  case Opcode::name:                           \
    return pushes;
#include "symbolic/bytecode/instructions.def"
#undef INSTRUCTION
  }
  return 0;
}

const BinaryOperator& binary_operator(int arg) {
  static const BinaryOperator kOperators[] = {
#define CPYTHON_OPCODE(number, opcode_name, caches)
#define CPYTHON_BINARY_OPERATOR(number, symbol_name, text) {text, operator_function(#symbol_name)},
#include "opcode_table.inc"
#undef CPYTHON_OPCODE
#undef CPYTHON_BINARY_OPERATOR
  };
  return kOperators[arg];
}

int Program::pc_at_unit(int unit) const {
  return unit >= 0 && unit < static_cast<int>(pc_of_unit_.size()) ? pc_of_unit_[unit] : -1;
}

const Handler* Program::handler(int pc) const {
  // Rows do not overlap: the compiler has already cut them to the innermost handler.
  for (const Handler& h : handlers_)
    if (h.start <= pc && pc < h.end) return &h;
  return nullptr;
}

int Program::line(int pc) const {
  int line = PyCode_Addr2Line(code_, instructions_[pc].unit * 2);
  return line > 0 ? line : 0;
}

bool Program::is_generator() const {
  return code_->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE);
}

std::string Program::print() const {
  std::string text;
  char row[128];
  for (int pc = 0; pc < size(); ++pc) {
    const Instruction& in = instructions_[pc];
    int length = snprintf(row, sizeof row, "%4d  %-20s %d", pc, bytecode::name(in.op), in.arg);
    if (in.op == Opcode::Unsupported)
      length += snprintf(row + length, sizeof row - length, " %s", source_name(in));
    if (in.extra) length += snprintf(row + length, sizeof row - length, " extra %d", in.extra);
    if (in.target >= 0) length += snprintf(row + length, sizeof row - length, " to %d", in.target);
    text.append(row, length).append("\n");
  }
  for (const Handler& h : handlers_) {
    int length = snprintf(row, sizeof row, "[%d, %d) handled at %d, depth %d%s\n", h.start, h.end, h.target,
                          h.depth, h.push_offset ? ", offset" : "");
    text.append(row, length);
  }
  return text;
}

}  // namespace framejit::bytecode
