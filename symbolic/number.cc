// Python numbers whose value is an input of the trace.
//
// Arithmetic on them goes to the trace's prelude, which computes with CPython's own operators before the
// graph runs: exact integers, Python's rounding, no overflow. A number that meets a tensor becomes a scalar
// input of the graph. Where the value decides something (a branch, an index, a shape) it is guarded: a
// comparison by its outcome, anything else by equality. Sizes of tensors (`is_size`) are SymInts instead: the
// graph's shape environment computes and guards them.
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

constexpr int kFirstInPlace =
    13;  // NB_INPLACE_ADD: CPython lists the in-place operators in the order of the plain ones
constexpr int kAdd = 0, kFloorDivide = 2, kMultiply = 5, kRemainder = 6, kSubtract = 10;

bool is_size(Var* var) {
  NumberVar* number = as<NumberVar>(var);
  return number && number->is_size;
}

/// Not yet fixed to its hint.
bool is_input(Var* var) {
  NumberVar* number = as<NumberVar>(var);
  return number && !number->is_size && !number->specialized;
}

bool size_relation(int op, eager::SymInt a, eager::SymInt b) {
  switch (op) {
    case Py_LT:
      return a < b;
    case Py_LE:
      return a <= b;
    case Py_EQ:
      return a == b;
    case Py_NE:
      return !(a == b);
    case Py_GT:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace

NumberVar* Executor::number(PyObject* hint, Reg reg) {
  NumberVar* var = make<NumberVar>();
  var->real = PyRef::borrow(hint);
  var->type = Py_TYPE(hint);
  var->reg = reg;
  var->type_guarded = true;
  return var;
}

Var* Executor::size_number(eager::SymInt size) {
  if (!size.is_symbolic()) return integer(size.bits());
  PyRef hint = PyRef::steal(PyLong_FromLongLong(size.hint()));
  NumberVar* var = number(hint.get(), kNoReg);
  var->is_size = true;
  var->graph_value = size;
  return var;
}

Reg Executor::prelude(StepOp op, std::vector<Reg> operands, int32_t aux, bool result) {
  Step step{op, result ? new_reg() : kNoReg, aux, uint32_t(trace_->operands.size()),
            uint32_t(operands.size())};
  trace_->operands.insert(trace_->operands.end(), operands.begin(), operands.end());
  trace_->prelude.push_back(step);
  return step.dst;
}

bool Executor::is_number(Var* var) const {
  if (var->kind == Kind::number) return true;
  ObjectVar* object = as<ObjectVar>(var);
  if (!object || !object->real) return false;
  PyObject* real = object->real.get();
  return PyLong_CheckExact(real) || PyFloat_CheckExact(real) || PyBool_Check(real);
}

Reg Executor::number_reg(Var* var) {
  if (NumberVar* number = as<NumberVar>(var); number && !number->is_size && !number->specialized) {
    guard_type(number);
    if (number->source) return guards_.slot(number->source);
    return number->reg;
  }
  PyObject* value = as_constant(var);
  trace_->constants.push_back(Py_NewRef(value));
  return prelude(StepOp::constant, {}, int32_t(trace_->constants.size() - 1));
}

PyObject* Executor::specialize(NumberVar* number) {
  PyObject* value = number->real.get();
  if (number->specialized) return value;
  if (number->is_size) {
    number->graph_value.sym_int().expect();
  } else if (number->source) {
    guards_.constant(number->source, value);
  } else {
    Reg reg = number->reg;
    number->specialized = true;  // so that number_reg gives the constant
    Reg equal = prelude(StepOp::compare, {reg, number_reg(number)}, Py_EQ);
    prelude(StepOp::check_truth, {equal}, 1, false);
  }
  number->specialized = number->type_guarded = true;
  return value;
}

const eager::Value& Executor::graph_number(NumberVar* number) {
  if (!number->graph_value.is_none()) return number->graph_value;
  if (number->type == &PyLong_Type)
    graph_integer(number);
  else
    graph_input(number, eager::DType::float64, PyFloat_AS_DOUBLE(number->real.get()));
  return number->graph_value;
}

void Executor::graph_input(NumberVar* number, eager::DType type, double hint) {
  number_reg(number);  // guards its type
  std::string name = number->source ? number->source->text : "n" + std::to_string(graph_inputs_.size());
  number->graph_value = tracer_->scalar_input(name, type, hint);
  graph_inputs_.push_back(number);
}

/// An int of the frame becomes a symbol. One that the prelude computes is the same expression over those
/// symbols, guarded to fit 64 bits (its parts may wrap: sums and products are right modulo 2**64).
void Executor::graph_integer(NumberVar* number) {
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number->real.get(), &overflow);
  if (overflow || value <= eager::SymInt::kLowestPlain || value >= -eager::SymInt::kLowestPlain)
    break_here(BreakId::number_overflow, describe(number));
  if (number->source && tracer_->shapes().hints().size() >= guards::Program::kMaxSymbols) {
    specialize(number);
    number->graph_value = eager::SymInt(value);
    return;
  }
  if (number->source) {
    graph_input(number, eager::DType::int64, double(value));
    guards_.int64(number->source, int(number->graph_value.sym_int().expr()->value));
    return;
  }
  Var* size = number->left ? size_binary(number->op, number->left, number->right) : nullptr;
  if (NumberVar* same = as<NumberVar>(size)) {
    prelude(StepOp::check_int64, {number_reg(number)}, 0, false);
    number->graph_value = same->graph_value;
  } else {
    specialize(number);
    number->graph_value = eager::SymInt(value);
  }
}

/// The size that an int is; a plain one where it cannot be symbolic.
eager::SymInt Executor::as_size(Var* var) {
  NumberVar* number = as<NumberVar>(var);
  if (number && !number->specialized && number->type == &PyLong_Type) return graph_number(number).sym_int();
  std::optional<int64_t> value = as_index(var);
  if (!value || *value <= eager::SymInt::kLowestPlain) break_here(BreakId::number_overflow, describe(var));
  return *value;
}

Var* Executor::size_binary(int op, Var* left, Var* right) {
  PyTypeObject* types[] = {type_of(left), type_of(right)};
  bool ints = types[0] != &PyFloat_Type && types[1] != &PyFloat_Type;
  bool divides = op == kFloorDivide || op == kRemainder;
  bool known = divides || op == kAdd || op == kSubtract || op == kMultiply;
  if (!ints || !known || (divides && as_size(right) == eager::SymInt(0))) return nullptr;
  eager::SymInt a = as_size(left), b = as_size(right);
  switch (op) {
    case kAdd:
      return size_number(a + b);
    case kSubtract:
      return size_number(a - b);
    case kMultiply:
      return size_number(a * b);
    case kFloorDivide:
      return size_number(floor_div(a, b));
    case kRemainder:
      return size_number(floor_mod(a, b));
    default:
      return nullptr;
  }
}

Var* Executor::number_binary(int nb_op, Var* left, Var* right) {
  if (!is_number(left) || !is_number(right)) return nullptr;
  int op = nb_op % kFirstInPlace;
  if (is_size(left) || is_size(right))
    if (Var* result = size_binary(op, left, right)) return result;
  const bytecode::BinaryOperator& apply = bytecode::binary_operator(op);
  bool symbolic = is_input(left) || is_input(right);
  // The hint of a size that becomes an operand of exact arithmetic is guarded.
  PyObject* a = is_input(left) ? left->real.get() : as_constant(left);
  PyObject* b = is_input(right) ? right->real.get() : as_constant(right);
  PyRef hint = PyRef::steal(apply.apply(a, b));
  if (!hint) {  // raises for these values, so what follows holds for them only
    {
      ExceptionAside error;
      as_constant(left);
      as_constant(right);
    }
    raise_pending();
  }
  if (!symbolic) return constant(hint.get());
  if (!PyLong_CheckExact(hint.get()) && !PyFloat_CheckExact(hint.get())) {  // complex, bool
    as_constant(left);
    as_constant(right);
    return constant(hint.get());
  }
  Reg left_reg = number_reg(left), right_reg = number_reg(right);
  int type = PyFloat_CheckExact(hint.get()) ? kFloatResult : kIntResult;
  NumberVar* result = number(hint.get(), prelude(StepOp::binary, {left_reg, right_reg}, op | type));
  result->op = op;
  result->left = left;
  result->right = right;
  return result;
}

Var* Executor::number_compare(int op, Var* left, Var* right) {
  if (!is_number(left) || !is_number(right)) return nullptr;
  if ((is_size(left) || is_size(right)) && type_of(left) != &PyFloat_Type &&
      type_of(right) != &PyFloat_Type) {
    eager::SymInt a = as_size(left), b = as_size(right);
    return boolean(size_relation(op, a, b));
  }
  bool constants = !is_input(left) && !is_input(right);
  PyObject* a = constants ? as_constant(left) : left->real.get();
  PyObject* b = constants ? as_constant(right) : right->real.get();
  int outcome = PyObject_RichCompareBool(a, b, op);
  // RichCompareBool takes identity for equality; a NaN is not equal to itself.
  if (a == b && PyFloat_CheckExact(a) && PyFloat_AS_DOUBLE(a) != PyFloat_AS_DOUBLE(a)) outcome = op == Py_NE;
  if (!constants) {
    Reg left_reg = number_reg(left), right_reg = number_reg(right);
    Reg result = prelude(StepOp::compare, {left_reg, right_reg}, op);
    prelude(StepOp::check_truth, {result}, outcome, false);
  }
  return boolean(outcome);
}

Var* Executor::number_convert(NumberVar* var, PyTypeObject* to) {
  if (var->type == to) return var;
  PyRef hint = PyRef::steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(to), var->real.get()));
  if (!hint) raise_pending();
  if (var->is_size || var->specialized) return specialize(var), constant(hint.get());
  Reg reg = number_reg(var);
  return number(hint.get(), prelude(to == &PyFloat_Type ? StepOp::to_float : StepOp::to_int, {reg}, 0));
}

Var* Executor::number_negative(NumberVar* var) {
  if (var->is_size) return size_number(eager::SymInt(0) - as_size(var));
  PyRef hint = PyRef::steal(PyNumber_Negative(var->real.get()));
  if (var->specialized) return constant(hint.get());
  return number(hint.get(), prelude(StepOp::negative, {number_reg(var)}, 0));
}

}  // namespace framejit::symbolic
