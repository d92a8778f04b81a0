// Models of the functions of the `operator` module: the operators themselves, for any operands.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

void expect(Executor& executor, const CallArgs& args, size_t count) {
  if (args.size() != count || !args.plain())
    executor.break_here(BreakId::raises, "a function of the operator module");
}

template <int nb_op>
Var* binary(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2);
  return executor.binary(nb_op, args[0], args[1]);
}

template <int op>
Var* compare(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2);
  return executor.compare(op, args[0], args[1]);
}

Var* negative(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1);
  return executor.unary(bytecode::Opcode::UnaryNegative, args[0]);
}

Var* get_item(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2);
  return executor.subscript(args[0], args[1]);
}

}  // namespace

const BuiltinRow kOperatorModels[] = {
    {"_operator", "add", binary<0>},      {"_operator", "and_", binary<1>},
    {"_operator", "floordiv", binary<2>}, {"_operator", "matmul", binary<4>},
    {"_operator", "mul", binary<5>},      {"_operator", "mod", binary<6>},
    {"_operator", "or_", binary<7>},      {"_operator", "pow", binary<8>},
    {"_operator", "sub", binary<10>},     {"_operator", "truediv", binary<11>},
    {"_operator", "xor", binary<12>},     {"_operator", "iadd", binary<13>},
    {"_operator", "lt", compare<Py_LT>},  {"_operator", "le", compare<Py_LE>},
    {"_operator", "eq", compare<Py_EQ>},  {"_operator", "ne", compare<Py_NE>},
    {"_operator", "gt", compare<Py_GT>},  {"_operator", "ge", compare<Py_GE>},
    {"_operator", "neg", negative},       {"_operator", "getitem", get_item},
    {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
