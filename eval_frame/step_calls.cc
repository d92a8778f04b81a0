// Calls and function objects.
#include "eval_frame/step.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

// `names` may be null. The operands are the two callee slots and the arguments.
StepResult call(LiveFrame& live, int count, PyObject* names) {
  PyObject** arguments = live.top_n(count);
  bytecode::Callee callee = bytecode::callee_slots(arguments[-2], arguments[-1]);
  bool with_self = callee.self_or_null != nullptr;
  size_t positional = static_cast<size_t>(count) + with_self - (names ? PyTuple_GET_SIZE(names) : 0);
  // The slot before the first argument may be borrowed by the callee (it puts it back).
  PyObject* result = PyObject_Vectorcall(callee.callable, arguments - with_self,
                                         positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  return raised_unless(live.replace(count + 2, result));
}

StepResult call_with_names(LiveFrame& live, const Instruction& in) {
  Owned names = in.extra >= 0 ? Owned::borrow(live.program->constant_borrowed(in.extra)) : live.pop();
  return call(live, in.arg, names.get());
}

StepResult call_with_tuple(LiveFrame& live, const Instruction& in) {
  int with_mapping = in.arg & 1;
  PyObject* mapping = with_mapping ? live.top() : nullptr;
  PyObject*& given = live.top(1 + with_mapping);
  if (mapping && !PyDict_CheckExact(mapping)) return StepResult::unsupported;
  if (!PyTuple_CheckExact(given)) {
    // The interpreter's message names the function; it raises before anything is called.
    if (!Py_TYPE(given)->tp_iter && !PySequence_Check(given)) return StepResult::unsupported;
    PyObject* tuple = PySequence_Tuple(given);
    if (!tuple) {
      live.drop(3 + with_mapping);
      return StepResult::raised;
    }
    Py_SETREF(given, tuple);
  }
  bytecode::Callee callee = bytecode::callee_slots(live.top(3 + with_mapping), live.top(2 + with_mapping));
  return raised_unless(live.replace(3 + with_mapping, PyObject_Call(callee.callable, given, mapping)));
}

constexpr int kDefaults = 1, kKeywordDefaults = 2, kAnnotations = 4, kClosure = 8;

void set_function_attribute(PyObject* function, int flag, PyObject* stolen) {
  auto* f = reinterpret_cast<PyFunctionObject*>(function);
  PyObject*& field = flag == kDefaults          ? f->func_defaults
                     : flag == kKeywordDefaults ? f->func_kwdefaults
                     : flag == kAnnotations     ? f->func_annotations
                                                : f->func_closure;
  Py_XSETREF(field, stolen);
}

StepResult make_function(LiveFrame& live, int flags) {
  PyObject* function = PyFunction_New(live.top(), live.globals());
  live.drop(1);
  if (!function) return StepResult::raised;
  for (int flag : {kClosure, kAnnotations, kKeywordDefaults, kDefaults})
    if (flags & flag) set_function_attribute(function, flag, live.pop().release());
  live.push(function);
  return StepResult::next;
}

}  // namespace

StepResult step_call(LiveFrame& live, const Instruction& in) {
  if (in.op == Opcode::Call) return call(live, in.arg, nullptr);
  if (in.op == Opcode::CallKw) return call_with_names(live, in);
  return call_with_tuple(live, in);
}

StepResult step_function(LiveFrame& live, const Instruction& in) {
  if (in.op == Opcode::MakeFunction) return make_function(live, in.arg);
  Owned function = live.pop();  // SetFunctionAttribute: the attribute lies below
  set_function_attribute(function.get(), in.arg, live.pop().release());
  live.push(function.release());
  return StepResult::next;
}

}  // namespace framejit::eval_frame
