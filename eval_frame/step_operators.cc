// Operators, truth, subscripts.
#include "eval_frame/step.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

PyObject* as_bool(int truth) { return truth < 0 ? nullptr : Py_NewRef(truth ? Py_True : Py_False); }

PyObject* slice_of(PyObject* container, PyObject* start, PyObject* stop) {
  Owned slice = Owned::steal(PySlice_New(start, stop, nullptr));
  return slice ? PyObject_GetItem(container, slice.get()) : nullptr;
}

int assign_slice(PyObject* container, PyObject* start, PyObject* stop, PyObject* value) {
  Owned slice = Owned::steal(PySlice_New(start, stop, nullptr));
  return slice ? PyObject_SetItem(container, slice.get(), value) : -1;
}

}  // namespace

StepResult step_operator(LiveFrame& live, const Instruction& in) {
  auto result = [&live](int operands, PyObject* value) {
    return raised_unless(live.replace(operands, value));
  };
  auto done = [&live](int operands, int failed) {
    live.drop(operands);
    return raised_unless(failed == 0);
  };
  PyObject *right = live.top(1), *left = live.depth > 1 ? live.top(2) : nullptr;
  switch (in.op) {
    case Opcode::UnaryNegative:
      return result(1, PyNumber_Negative(right));
    case Opcode::UnaryInvert:
      return result(1, PyNumber_Invert(right));
    case Opcode::UnaryPositive:
      return result(1, PyNumber_Positive(right));
    case Opcode::UnaryNot:
      return result(1, as_bool(right != Py_True));
    case Opcode::ToBool:
      return result(1, as_bool(PyObject_IsTrue(right)));
    case Opcode::BinaryOp:
      return result(2, bytecode::binary_operator(in.arg).apply(left, right));
    case Opcode::CompareOp:
      return result(2, PyObject_RichCompare(left, right, in.arg));
    case Opcode::IsOp:
      return result(2, as_bool((left == right) != (in.arg != 0)));
    case Opcode::ContainsOp: {
      int contained = PySequence_Contains(right, left);
      return result(2, as_bool(contained < 0 ? contained : contained != in.arg));
    }
    case Opcode::BinarySubscr:
      return result(2, PyObject_GetItem(left, right));
    case Opcode::BinarySlice:
      return result(3, slice_of(live.top(3), left, right));
    case Opcode::StoreSubscr:
      return done(3, PyObject_SetItem(left, right, live.top(3)));
    case Opcode::StoreSlice:
      return done(4, assign_slice(live.top(3), left, right, live.top(4)));
    case Opcode::DeleteSubscr:
      return done(2, PyObject_DelItem(left, right));
    default:
      return StepResult::unsupported;
  }
}

}  // namespace framejit::eval_frame
