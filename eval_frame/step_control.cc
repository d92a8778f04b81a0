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

// `raise X` and `raise X from Y`; a bare `raise` is the runner's (raise_again), as Reraise is.
StepResult raise_value(LiveFrame& live, int operands) {
  if (operands == 0) return StepResult::unsupported;
  PyObject *raised = live.top(operands), *cause = operands == 2 ? live.top(1) : nullptr;
  bool plain = PyExceptionInstance_Check(raised) || PyExceptionClass_Check(raised);
  bool plain_cause = !cause || cause == Py_None || PyExceptionInstance_Check(cause);
  if (!plain || !plain_cause) return StepResult::unsupported;
  Owned exception =
      PyExceptionClass_Check(raised) ? Owned::steal(PyObject_CallNoArgs(raised)) : Owned::borrow(raised);
  Owned kept_raised = Owned::borrow(raised), kept_cause = Owned::borrow(cause);
  live.drop(operands);
  if (!exception) return StepResult::raised;
  if (!PyExceptionInstance_Check(exception.get())) {
    PyErr_Format(PyExc_TypeError, "calling %R should have returned an instance of BaseException, not %R",
                 raised, Py_TYPE(exception.get()));
    return StepResult::raised;
  }
  if (cause) PyException_SetCause(exception.get(), cause == Py_None ? nullptr : kept_cause.release());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  return StepResult::raised;
}

// The exception on top becomes the one being handled; the one handled before goes below it.
StepResult push_handled(LiveFrame& live) {
  PyObject*& handled = live.thread->exc_info->exc_value;
  PyObject* exception = live.pop().release();
  live.push(handled ? handled : Py_NewRef(Py_None));
  live.push(exception);
  handled = Py_NewRef(exception);
  return StepResult::next;
}

StepResult pop_handled(LiveFrame& live) {
  PyObject* done = std::exchange(live.thread->exc_info->exc_value, live.pop().release());
  Py_XDECREF(done);
  return StepResult::next;
}

bool is_exception_filter(PyObject* filter) {
  if (!PyTuple_Check(filter)) return PyExceptionClass_Check(filter);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(filter); ++i)
    if (!PyExceptionClass_Check(PyTuple_GET_ITEM(filter, i))) return false;
  return true;
}

StepResult match_exception(LiveFrame& live) {
  if (!is_exception_filter(live.top())) return StepResult::unsupported;
  bool matches = PyErr_GivenExceptionMatches(live.top(2), live.top(1));
  return raised_unless(live.replace(1, Py_NewRef(matches ? Py_True : Py_False)));
}

// Calls __exit__(type, value, traceback); below the exception lie the one handled before, an offset and
// __exit__.
StepResult call_exit(LiveFrame& live) {
  PyObject *exception = live.top(1), *exit = live.top(4);
  Owned traceback = Owned::steal(PyException_GetTraceback(exception));
  PyObject* result = PyObject_CallFunctionObjArgs(exit, reinterpret_cast<PyObject*>(Py_TYPE(exception)),
                                                  exception, traceback ? traceback.get() : Py_None, nullptr);
  if (!result) return StepResult::raised;
  live.push(result);
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

StepResult step_exception(LiveFrame& live, const Instruction& in) {
  switch (in.op) {
    case Opcode::BeforeWith:
      return before_with(live);
    case Opcode::RaiseVarargs:
      return raise_value(live, in.arg);
    case Opcode::PushExcInfo:
      return push_handled(live);
    case Opcode::PopExcept:
      return pop_handled(live);
    case Opcode::CheckExcMatch:
      return match_exception(live);
    case Opcode::WithExceptStart:
      return call_exit(live);
    default:
      return StepResult::unsupported;  // Reraise: see above
  }
}

}  // namespace framejit::eval_frame
