// CPython bytecode of any supported version -> Program. One row per CPython opcode; a row that this
// interpreter does not have is never reached, an opcode without a row becomes Unsupported.
#include <algorithm>
#include <array>
#include <cstring>

#include "symbolic/bytecode/instruction.h"

namespace framejit::bytecode {

constexpr bool kBefore312 = PY_VERSION_HEX < 0x030C0000;
constexpr bool kBefore313 = PY_VERSION_HEX < 0x030D0000;

// Walks the code units once, then resolves jumps and handlers, then computes stack depths.
class Decoder {
 public:
  Decoder(Program& program, const uint8_t* bytes, int units)
      : program_(program), bytes_(bytes), units_(units) {}
  void run();

  // The opcode at hand, for rows.
  int raw = 0, arg = 0, next_unit = 0;

  Instruction& emit(Opcode op, int instruction_arg = 0) {
    program_.instructions_.push_back(
        {op, 0, 0, static_cast<uint8_t>(raw), instruction_arg, 0, -1, entry_, unit_});
    return program_.instructions_.back();
  }
  void emit_jump(Opcode op, int target_unit) { emit(op).target = target_unit; }
  void emit_call() {
    bool with_names = keyword_names_ >= 0;
    emit(with_names ? Opcode::CallKw : Opcode::Call, arg).extra = with_names ? keyword_names_ : 0;
    keyword_names_ = -1;
  }
  // 3.11 and 3.12 announce the names one instruction early; they belong to the call that follows.
  void remember_keyword_names() { keyword_names_ = arg; }

 private:
  void decode_units();
  void number_parts(size_t first);
  void resolve_targets();
  void read_exception_table();
  void find_body();
  int pc_from_unit(int unit) const;

  Program& program_;
  const uint8_t* bytes_;
  int units_;
  int entry_ = 0, unit_ = 0;
  int keyword_names_ = -1;
};

namespace {

using Emit = void (*)(Decoder&);
struct Row {
  const char* name;
  Emit emit;
};

template <Opcode op>
void same(Decoder& d) {
  d.emit(op, d.arg);
}
template <Opcode first, Opcode second>
void pair_of_locals(Decoder& d) {
  d.emit(first, d.arg >> 4);
  d.emit(second, d.arg & 15);
}
template <Opcode op>
void forward(Decoder& d) {
  d.emit_jump(op, d.next_unit + d.arg);
}
template <Opcode op>
void backward(Decoder& d) {
  d.emit_jump(op, d.next_unit - d.arg);
}
// Before 3.13 a conditional jump asks for the truth value itself.
template <Opcode op, int direction>
void truth_jump(Decoder& d) {
  if (kBefore313) d.emit(Opcode::ToBool);
  d.emit_jump(op, d.next_unit + direction * d.arg);
}

void unary_not(Decoder& d) {
  if (kBefore313) d.emit(Opcode::ToBool);
  d.emit(Opcode::UnaryNot);
}
void compare_op(Decoder& d) {
  d.emit(Opcode::CompareOp, kBefore312 ? d.arg : kBefore313 ? d.arg >> 4 : d.arg >> 5);
  if (!kBefore313 && (d.arg & 16)) d.emit(Opcode::ToBool);
}
void load_global(Decoder& d) {
  bool with_null = d.arg & 1;
  if (with_null && kNullBelowCallable) d.emit(Opcode::PushNull);
  d.emit(Opcode::LoadGlobal, d.arg >> 1);
  if (with_null && !kNullBelowCallable) d.emit(Opcode::PushNull);
}
void load_attr(Decoder& d) {
  if (kBefore312) return same<Opcode::LoadAttr>(d);
  d.emit(d.arg & 1 ? Opcode::LoadMethod : Opcode::LoadAttr, d.arg >> 1);
}
void load_super_attr(Decoder& d) {
  d.emit(d.arg & 1 ? Opcode::LoadSuperMethod : Opcode::LoadSuperAttr, d.arg >> 2).extra = d.arg >> 1 & 1;
}
void for_iter(Decoder& d) {
  // At the end the interpreter skips the END_FOR (and, from 3.13, the POP_TOP) that its own generators come
  // through.
  int skipped = kBefore312 ? 0 : kBefore313 ? 1 : 2;
  d.emit_jump(Opcode::ForIter, d.next_unit + d.arg + skipped);
}
void end_for(Decoder& d) {
  d.emit(Opcode::PopTop);
  if (kBefore313) d.emit(Opcode::PopTop);
}
void call(Decoder& d) { d.emit_call(); }
void call_kw(Decoder& d) { d.emit(Opcode::CallKw, d.arg).extra = -1; }
void kw_names(Decoder& d) { d.remember_keyword_names(); }
void nothing(Decoder&) {}
void make_function(Decoder& d) { d.emit(Opcode::MakeFunction, kBefore313 ? d.arg : 0); }
// FORMAT_VALUE: an optional conversion of the value (under the spec, if there is one), then the formatting.
void format_value(Decoder& d) {
  int conversion = d.arg & 3;
  bool with_spec = d.arg & 4;
  if (conversion && with_spec) d.emit(Opcode::Swap, 2);
  if (conversion) d.emit(Opcode::ConvertValue, conversion);
  if (conversion && with_spec) d.emit(Opcode::Swap, 2);
  d.emit(with_spec ? Opcode::FormatWithSpec : Opcode::FormatSimple);
}
void call_intrinsic_1(Decoder& d) {
  // pycore_intrinsics.h, 3.12 and 3.13
  constexpr int kStopIterationError = 3, kUnaryPositive = 5, kListToTuple = 6;
  d.emit(d.arg == kStopIterationError ? Opcode::StopIterationError
         : d.arg == kUnaryPositive    ? Opcode::UnaryPositive
         : d.arg == kListToTuple      ? Opcode::ListToTuple
                                      : Opcode::Unsupported,
         d.arg);
}

#define SAME(cpython, ours) \
  { #cpython, same < Opcode::ours> }
constexpr Row kRows[] = {
    SAME(NOP, Nop),
    SAME(RESUME, Resume),
    SAME(POP_TOP, PopTop),
    SAME(PUSH_NULL, PushNull),
    SAME(COPY, Copy),
    SAME(SWAP, Swap),
    SAME(LOAD_CONST, LoadConst),
    SAME(LOAD_FAST, LoadFast),
    SAME(LOAD_FAST_CHECK, LoadFast),
    SAME(LOAD_CLOSURE, LoadFast),
    SAME(LOAD_FAST_AND_CLEAR, LoadFastAndClear),
    SAME(STORE_FAST, StoreFast),
    SAME(DELETE_FAST, DeleteFast),
    {"LOAD_FAST_LOAD_FAST", pair_of_locals<Opcode::LoadFast, Opcode::LoadFast>},
    {"STORE_FAST_LOAD_FAST", pair_of_locals<Opcode::StoreFast, Opcode::LoadFast>},
    {"STORE_FAST_STORE_FAST", pair_of_locals<Opcode::StoreFast, Opcode::StoreFast>},
    SAME(LOAD_DEREF, LoadDeref),
    SAME(STORE_DEREF, StoreDeref),
    SAME(DELETE_DEREF, DeleteDeref),
    SAME(MAKE_CELL, MakeCell),
    SAME(COPY_FREE_VARS, CopyFreeVars),
    {"LOAD_GLOBAL", load_global},
    SAME(STORE_GLOBAL, StoreGlobal),
    SAME(DELETE_GLOBAL, DeleteGlobal),
    {"LOAD_ATTR", load_attr},
    SAME(LOAD_METHOD, LoadMethod),
    SAME(STORE_ATTR, StoreAttr),
    SAME(DELETE_ATTR, DeleteAttr),
    {"LOAD_SUPER_ATTR", load_super_attr},
    SAME(IMPORT_NAME, ImportName),
    SAME(IMPORT_FROM, ImportFrom),
    SAME(LOAD_BUILD_CLASS, LoadBuildClass),
    SAME(LOAD_ASSERTION_ERROR, LoadAssertionError),
    SAME(UNARY_NEGATIVE, UnaryNegative),
    SAME(UNARY_INVERT, UnaryInvert),
    SAME(UNARY_POSITIVE, UnaryPositive),
    {"UNARY_NOT", unary_not},
    SAME(TO_BOOL, ToBool),
    SAME(BINARY_OP, BinaryOp),
    {"COMPARE_OP", compare_op},
    SAME(IS_OP, IsOp),
    SAME(CONTAINS_OP, ContainsOp),
    SAME(BINARY_SUBSCR, BinarySubscr),
    SAME(BINARY_SLICE, BinarySlice),
    SAME(STORE_SUBSCR, StoreSubscr),
    SAME(STORE_SLICE, StoreSlice),
    SAME(DELETE_SUBSCR, DeleteSubscr),
    SAME(BUILD_TUPLE, BuildTuple),
    SAME(BUILD_LIST, BuildList),
    SAME(BUILD_SET, BuildSet),
    SAME(BUILD_MAP, BuildMap),
    SAME(BUILD_CONST_KEY_MAP, BuildConstKeyMap),
    SAME(BUILD_STRING, BuildString),
    SAME(BUILD_SLICE, BuildSlice),
    SAME(LIST_TO_TUPLE, ListToTuple),
    SAME(LIST_APPEND, ListAppend),
    SAME(SET_ADD, SetAdd),
    SAME(MAP_ADD, MapAdd),
    SAME(LIST_EXTEND, ListExtend),
    SAME(SET_UPDATE, SetUpdate),
    SAME(DICT_UPDATE, DictUpdate),
    SAME(DICT_MERGE, DictMerge),
    SAME(UNPACK_SEQUENCE, UnpackSequence),
    SAME(UNPACK_EX, UnpackEx),
    {"FORMAT_VALUE", format_value},
    SAME(CONVERT_VALUE, ConvertValue),
    SAME(FORMAT_SIMPLE, FormatSimple),
    SAME(FORMAT_WITH_SPEC, FormatWithSpec),
    SAME(GET_LEN, GetLen),
    SAME(MATCH_MAPPING, MatchMapping),
    SAME(MATCH_SEQUENCE, MatchSequence),
    SAME(MATCH_KEYS, MatchKeys),
    SAME(MATCH_CLASS, MatchClass),
    {"CALL", call},
    {"CALL_KW", call_kw},
    {"KW_NAMES", kw_names},
    {"PRECALL", nothing},
    SAME(CALL_FUNCTION_EX, CallFunctionEx),
    {"CALL_INTRINSIC_1", call_intrinsic_1},
    {"MAKE_FUNCTION", make_function},
    SAME(SET_FUNCTION_ATTRIBUTE, SetFunctionAttribute),
    {"JUMP_FORWARD", forward<Opcode::Jump>},
    {"JUMP_BACKWARD", backward<Opcode::Jump>},
    {"JUMP_BACKWARD_NO_INTERRUPT", backward<Opcode::Jump>},
    {"JUMP_IF_FALSE_OR_POP", forward<Opcode::JumpIfFalseOrPop>},
    {"JUMP_IF_TRUE_OR_POP", forward<Opcode::JumpIfTrueOrPop>},
    {"POP_JUMP_FORWARD_IF_FALSE", truth_jump<Opcode::PopJumpIfFalse, 1>},
    {"POP_JUMP_FORWARD_IF_TRUE", truth_jump<Opcode::PopJumpIfTrue, 1>},
    {"POP_JUMP_FORWARD_IF_NONE", forward<Opcode::PopJumpIfNone>},
    {"POP_JUMP_FORWARD_IF_NOT_NONE", forward<Opcode::PopJumpIfNotNone>},
    {"POP_JUMP_BACKWARD_IF_FALSE", truth_jump<Opcode::PopJumpIfFalse, -1>},
    {"POP_JUMP_BACKWARD_IF_TRUE", truth_jump<Opcode::PopJumpIfTrue, -1>},
    {"POP_JUMP_BACKWARD_IF_NONE", backward<Opcode::PopJumpIfNone>},
    {"POP_JUMP_BACKWARD_IF_NOT_NONE", backward<Opcode::PopJumpIfNotNone>},
    {"POP_JUMP_IF_FALSE", truth_jump<Opcode::PopJumpIfFalse, 1>},
    {"POP_JUMP_IF_TRUE", truth_jump<Opcode::PopJumpIfTrue, 1>},
    {"POP_JUMP_IF_NONE", forward<Opcode::PopJumpIfNone>},
    {"POP_JUMP_IF_NOT_NONE", forward<Opcode::PopJumpIfNotNone>},
    SAME(GET_ITER, GetIter),
    {"FOR_ITER", for_iter},
    {"END_FOR", end_for},
    SAME(RETURN_VALUE, ReturnValue),
    SAME(RETURN_CONST, ReturnConst),
    SAME(RAISE_VARARGS, RaiseVarargs),
    SAME(PUSH_EXC_INFO, PushExcInfo),
    SAME(POP_EXCEPT, PopExcept),
    SAME(CHECK_EXC_MATCH, CheckExcMatch),
    SAME(RERAISE, Reraise),
    SAME(BEFORE_WITH, BeforeWith),
    SAME(WITH_EXCEPT_START, WithExceptStart),
    SAME(RETURN_GENERATOR, ReturnGenerator),
    SAME(YIELD_VALUE, YieldValue),
    SAME(GET_YIELD_FROM_ITER, GetYieldFromIter),
    {"SEND", forward<Opcode::Send>},
    SAME(END_SEND, EndSend),
};
#undef SAME

struct CPythonOpcode {
  const char* name = "<unknown>";
  int cache_units = 0;
  Emit emit = same<Opcode::Unsupported>;
  // Only prepares the next opcode: the interpreter must be entered at it, not behind it.
  bool prefix = false;
  bool extends = false;  // EXTENDED_ARG
};

std::array<CPythonOpcode, 256> make_opcode_table() {
  std::array<CPythonOpcode, 256> table;
#define CPYTHON_OPCODE(number, opcode_name, caches) \
  table[number].name = #opcode_name;                \
  table[number].cache_units = caches;
#define CPYTHON_BINARY_OPERATOR(number, symbol_name, text)
#include "opcode_table.inc"
#undef CPYTHON_OPCODE
#undef CPYTHON_BINARY_OPERATOR
  for (CPythonOpcode& opcode : table) {
    for (const Row& row : kRows)
      if (!strcmp(row.name, opcode.name)) opcode.emit = row.emit;
    opcode.extends = !strcmp(opcode.name, "EXTENDED_ARG");
    opcode.prefix = opcode.extends || !strcmp(opcode.name, "KW_NAMES") || !strcmp(opcode.name, "PRECALL");
  }
  return table;
}

const std::array<CPythonOpcode, 256>& opcode_table() {
  static const std::array<CPythonOpcode, 256> table = make_opcode_table();
  return table;
}

}  // namespace

void Decoder::run() {
  decode_units();
  resolve_targets();
  read_exception_table();
  find_body();
}

void Decoder::decode_units() {
  program_.pc_of_unit_.assign(units_ + 1, -1);
  int extended = 0;
  bool continues = false;  // the previous opcode was a prefix of this one
  for (int unit = 0; unit < units_;) {
    raw = bytes_[2 * unit];
    arg = bytes_[2 * unit + 1] | extended;
    const CPythonOpcode& opcode = opcode_table()[raw];
    next_unit = unit + 1 + opcode.cache_units;
    unit_ = unit;
    if (!continues) entry_ = unit;
    size_t first = program_.instructions_.size();
    program_.pc_of_unit_[unit] = static_cast<int>(first);
    if (!opcode.extends) opcode.emit(*this);
    extended = opcode.extends ? arg << 8 : 0;
    continues = opcode.prefix;
    number_parts(first);
    unit = next_unit;
  }
  program_.pc_of_unit_[units_] = static_cast<int>(program_.instructions_.size());
}

void Decoder::number_parts(size_t first) {
  std::vector<Instruction>& all = program_.instructions_;
  for (size_t i = first; i < all.size(); ++i) {
    all[i].part = static_cast<uint8_t>(i - first);
    all[i].parts_after = static_cast<uint8_t>(all.size() - 1 - i);
  }
}

// The pc of the first instruction that starts at or after a unit.
int Decoder::pc_from_unit(int unit) const {
  while (unit < units_ && program_.pc_of_unit_[unit] < 0) ++unit;
  return program_.pc_of_unit_[std::min(unit, units_)];
}

void Decoder::resolve_targets() {
  for (Instruction& instruction : program_.instructions_)
    if (instruction.target >= 0) instruction.target = pc_from_unit(instruction.target);
}

// Rows of varints of six bits, most significant first: start, length, target (in units), depth << 1 |
// push_offset.
void Decoder::read_exception_table() {
  PyObject* table = program_.code_->co_exceptiontable;
  const uint8_t* at = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(table));
  const uint8_t* end = at + PyBytes_GET_SIZE(table);
  auto varint = [&at] {
    int value = *at & 63;
    while (*at++ & 64) value = value << 6 | (*at & 63);
    return value;
  };
  while (at < end) {
    int start = varint(), length = varint(), target = varint(), depth = varint();
    program_.handlers_.push_back({pc_from_unit(start), pc_from_unit(start + length), pc_from_unit(target),
                                  depth >> 1, (depth & 1) != 0});
  }
}

void Decoder::find_body() {
  int pc = 0;
  while (pc < program_.size()) {
    Opcode op = program_[pc].op;
    bool prologue = op == Opcode::MakeCell || op == Opcode::CopyFreeVars || op == Opcode::Resume ||
                    op == Opcode::Nop || op == Opcode::ReturnGenerator;
    if (op == Opcode::ReturnGenerator) ++pc;  // and the POP_TOP of what the first send() brings
    if (!prologue) break;
    ++pc;
    if (op == Opcode::Resume) break;
  }
  program_.body_ = pc;
}

std::shared_ptr<const Program> Program::decode(PyCodeObject* code) {
  auto program = std::make_shared<Program>();
  program->code_ = code;
  PyObject* bytes = PyCode_GetCode(code);
  if (!bytes) return nullptr;
  Decoder(*program, reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes)),
          static_cast<int>(PyBytes_GET_SIZE(bytes) / 2))
      .run();
  Py_DECREF(bytes);
  return program;
}

const char* Program::source_name(const Instruction& instruction) const {
  return opcode_table()[instruction.raw].name;
}

}  // namespace framejit::bytecode
