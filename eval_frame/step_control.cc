// Jumps, iteration, return, exceptions, with.
#include "eval_frame/step.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

StepResult jump_if(LiveFrame& live, const Instruction& in, bool taken) {
  if (taken) live.pc = in.target;
  return StepResult::next;
}

// Keeps the value when it jumps, pops it when it does not.
StepResult jump_or_pop(LiveFrame& live, const Instruction& in, bool wanted) {
  int truth = PyObject_IsTrue(live.top());
  if (truth < 0) {
    live.drop(1);
    return StepResult::raised;
  }
  if ((truth != 0) == wanted) return jump_if(live, in, true);
  live.drop(1);
  return StepResult::next;
}

StepResult for_iter(LiveFrame& live, const Instruction& in) {
  PyObject* iterator = live.top();
  PyObject* item = Py_TYPE(iterator)->tp_iternext(iterator);
  if (item) {
    live.push(item);
    return StepResult::next;
  }
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return StepResult::raised;
    PyErr_Clear();
  }
  live.drop(1);
  return jump_if(live, in, true);
}

// A special method: looked up on the type, and bound. Null without an exception if there is none.
Owned special_method(PyObject* object, const char* method_name) {
  Owned name = Owned::steal(PyUnicode_InternFromString(method_name));
  PyObject* found = _PyType_Lookup(Py_TYPE(object), name.get());
  if (!found) return {};
  descrgetfunc bind = Py_TYPE(found)->tp_descr_get;
  if (!bind) return Owned::borrow(found);
  Owned descriptor = Owned::borrow(found);
  return Owned::steal(bind(found, object, reinterpret_cast<PyObject*>(Py_TYPE(object))));
}

StepResult before_with(LiveFrame& live) {
  PyObject* manager = live.top();
  Owned enter = special_method(manager, "__enter__");
  if (!enter) return PyErr_Occurred() ? StepResult::raised : StepResult::unsupported;
  Owned exit = special_method(manager, "__exit__");
  if (!exit) return PyErr_Occurred() ? StepResult::raised : StepResult::unsupported;
  PyObject* entered = PyObject_CallNoArgs(enter.get());
  live.drop(1);
  if (!entered) return StepResult::raised;
  live.push(exit.release());
  live.push(entered);
  return StepResult::next;
}

}  // namespace

StepResult step_jump(LiveFrame& live, const Instruction& in) {
  switch (in.op) {
    case Opcode::Jump:
      // A back edge is where a loop can be interrupted.
      if (in.target <= live.pc && PyErr_CheckSignals() < 0) return StepResult::raised;
      return jump_if(live, in, true);
    case Opcode::PopJumpIfTrue:
      return jump_if(live, in, live.pop().get() == Py_True);
    case Opcode::PopJumpIfFalse:
      return jump_if(live, in, live.pop().get() != Py_True);
    case Opcode::PopJumpIfNone:
      return jump_if(live, in, live.pop().get() == Py_None);
    case Opcode::PopJumpIfNotNone:
      return jump_if(live, in, live.pop().get() != Py_None);
    case Opcode::JumpIfTrueOrPop:
      return jump_or_pop(live, in, true);
    case Opcode::JumpIfFalseOrPop:
      return jump_or_pop(live, in, false);
    default:
      return StepResult::unsupported;
  }
}

StepResult step_iteration(LiveFrame& live, const Instruction& in) {
  if (in.op == Opcode::ForIter) return for_iter(live, in);
  return raised_unless(live.replace(1, PyObject_GetIter(live.top())));
}

StepResult step_return(LiveFrame& live, const Instruction& in) {
  live.result =
      in.op == Opcode::ReturnValue ? live.pop() : Owned::borrow(live.program->constant_borrowed(in.arg));
  return StepResult::returned;
}

// Exceptions are raised, matched and re-raised by the interpreter, which then runs the rest of the frame.
StepResult step_exception(LiveFrame& live, const Instruction& in) {
  return in.op == Opcode::BeforeWith ? before_with(live) : StepResult::unsupported;
}

}  // namespace framejit::eval_frame
