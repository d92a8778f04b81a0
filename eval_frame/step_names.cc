// Stack, locals, cells, names, imports.
#include "eval_frame/step.h"
#include "symbolic/py_ref.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::kNullBelowCallable;
using bytecode::Opcode;

namespace {

// NameError carries the name, for "did you mean".
void set_name_error(const char* format, PyObject* name) {
  PyErr_Format(PyExc_NameError, format, name);
  symbolic::PyRef error = symbolic::take_exception();
  if (error && PyObject_SetAttrString(error.get(), "name", name) < 0) PyErr_Clear();
  symbolic::restore_exception(std::move(error));
}

PyObject* variable_name(LiveFrame& live, int index) {
  return PyTuple_GET_ITEM(live.code->co_localsplusnames, index);
}

StepResult unbound_local(LiveFrame& live, int index) {
  PyErr_Format(PyExc_UnboundLocalError,
               "cannot access local variable '%U' where it is not associated with a value",
               variable_name(live, index));
  return StepResult::raised;
}

StepResult unbound_cell(LiveFrame& live, int index) {
  bool is_free = index >= live.code->co_nlocalsplus - live.code->co_nfreevars;
  if (!is_free) return unbound_local(live, index);
  set_name_error(
      "cannot access free variable '%U' where it is not associated with a value in enclosing scope",
      variable_name(live, index));
  return StepResult::raised;
}

void copy_free_variables(LiveFrame& live) {
  PyObject* closure = PyFunction_GET_CLOSURE(frame_function(live.frame));
  int first = live.code->co_nlocalsplus - live.code->co_nfreevars;
  for (int i = 0; i < live.code->co_nfreevars; ++i)
    Py_XSETREF(live.localsplus[first + i], Py_NewRef(PyTuple_GET_ITEM(closure, i)));
}

StepResult make_cell(LiveFrame& live, int index) {
  PyObject* cell = PyCell_New(live.localsplus[index]);
  if (!cell) return StepResult::raised;
  Py_XSETREF(live.localsplus[index], cell);
  return StepResult::next;
}

StepResult delete_cell_contents(LiveFrame& live, int index) {
  PyObject* cell = live.localsplus[index];
  if (!PyCell_GET(cell)) return unbound_cell(live, index);
  return raised_unless(PyCell_Set(cell, nullptr) == 0);
}

// New reference, or null: KeyError is not set for a plain "not there".
PyObject* name_in(PyObject* mapping, PyObject* name) {
  if (PyDict_CheckExact(mapping)) return Py_XNewRef(PyDict_GetItemWithError(mapping, name));
  PyObject* value = PyObject_GetItem(mapping, name);
  if (!value && PyErr_ExceptionMatches(PyExc_KeyError)) PyErr_Clear();
  return value;
}

StepResult load_global(LiveFrame& live, PyObject* name) {
  PyObject* value = name_in(live.globals(), name);
  if (!value && !PyErr_Occurred()) value = name_in(live.builtins(), name);
  if (!value && !PyErr_Occurred()) set_name_error("name '%.200U' is not defined", name);
  if (!value) return StepResult::raised;
  live.push(value);
  return StepResult::next;
}

StepResult delete_global(LiveFrame& live, PyObject* name) {
  if (PyDict_DelItem(live.globals(), name) == 0) return StepResult::next;
  if (PyErr_ExceptionMatches(PyExc_KeyError)) {
    PyErr_Clear();
    set_name_error("name '%.200U' is not defined", name);
  }
  return StepResult::raised;
}

// A bound value and NULL are as good as (method, self).
void push_with_null(LiveFrame& live, PyObject* stolen) {
  live.push(kNullBelowCallable ? nullptr : stolen);
  live.push(kNullBelowCallable ? stolen : nullptr);
}

StepResult load_method(LiveFrame& live, PyObject* name) {
  PyObject* value = PyObject_GetAttr(live.top(), name);
  live.drop(1);
  if (!value) return StepResult::raised;
  push_with_null(live, value);
  return StepResult::next;
}

// super() without arguments finds them in the frame, which is linked.
StepResult load_super(LiveFrame& live, const Instruction& in, PyObject* name) {
  PyObject** operands = live.top_n(3);
  Owned super = Owned::steal(PyObject_Vectorcall(operands[0], operands + 1, in.extra ? 2 : 0, nullptr));
  live.drop(3);
  PyObject* value = super ? PyObject_GetAttr(super.get(), name) : nullptr;
  if (!value) return StepResult::raised;
  if (in.op == Opcode::LoadSuperMethod)
    push_with_null(live, value);
  else
    live.push(value);
  return StepResult::next;
}

StepResult import_name(LiveFrame& live, PyObject* name) {
  Owned import =
      Owned::steal(name_in(live.builtins(), Owned::steal(PyUnicode_InternFromString("__import__")).get()));
  if (!import) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "__import__ not found");
    return StepResult::raised;
  }
  PyObject *level = live.top(2), *names = live.top(1);
  PyObject* module =
      PyObject_CallFunctionObjArgs(import.get(), name, live.globals(), Py_None, names, level, nullptr);
  return raised_unless(live.replace(2, module));
}

// Only the plain case: what `from package import submodule` falls back to, and its error text, are the
// interpreter's.
StepResult import_from(LiveFrame& live, PyObject* name) {
  PyObject* value = PyObject_GetAttr(live.top(), name);
  if (!value) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return StepResult::raised;
    PyErr_Clear();
    return StepResult::unsupported;
  }
  live.push(value);
  return StepResult::next;
}

StepResult load_build_class(LiveFrame& live) {
  PyObject* build = PyDict_GetItemString(live.builtins(), "__build_class__");
  if (!build) return StepResult::unsupported;
  live.push(Py_NewRef(build));
  return StepResult::next;
}

}  // namespace

StepResult step_stack(LiveFrame& live, const Instruction& in) {
  switch (in.op) {
    case Opcode::Resume:
      return raised_unless(PyErr_CheckSignals() == 0);
    case Opcode::PopTop:
      live.drop(1);
      break;
    case Opcode::PushNull:
      live.push(nullptr);
      break;
    case Opcode::Copy:
      live.push(Py_XNewRef(live.top(in.arg)));
      break;
    case Opcode::Swap:
      std::swap(live.top(), live.top(in.arg));
      break;
    case Opcode::LoadConst:
      live.push(Py_NewRef(live.program->constant_borrowed(in.arg)));
      break;
    default:
      break;  // Nop
  }
  return StepResult::next;
}

StepResult step_local(LiveFrame& live, const Instruction& in) {
  PyObject*& slot = live.localsplus[in.arg];
  switch (in.op) {
    case Opcode::LoadFast:
      if (!slot) return unbound_local(live, in.arg);
      live.push(Py_NewRef(slot));
      return StepResult::next;
    case Opcode::LoadFastAndClear:
      live.push(std::exchange(slot, nullptr));
      return StepResult::next;
    case Opcode::StoreFast: {
      PyObject* old = std::exchange(slot, live.pop().release());
      Py_XDECREF(old);
      return StepResult::next;
    }
    case Opcode::DeleteFast:
      if (!slot) return unbound_local(live, in.arg);
      Py_CLEAR(slot);
      return StepResult::next;
    case Opcode::LoadDeref: {
      PyObject* value = PyCell_GET(slot);
      if (!value) return unbound_cell(live, in.arg);
      live.push(Py_NewRef(value));
      return StepResult::next;
    }
    case Opcode::StoreDeref:
      return raised_unless(PyCell_Set(slot, live.pop().get()) == 0);
    case Opcode::DeleteDeref:
      return delete_cell_contents(live, in.arg);
    case Opcode::MakeCell:
      return make_cell(live, in.arg);
    default:
      copy_free_variables(live);
      return StepResult::next;  // CopyFreeVars
  }
}

StepResult step_name(LiveFrame& live, const Instruction& in) {
  if (in.op == Opcode::LoadBuildClass) return load_build_class(live);
  if (in.op == Opcode::LoadAssertionError) {
    live.push(Py_NewRef(PyExc_AssertionError));
    return StepResult::next;
  }
  PyObject* name = live.program->name_borrowed(in.arg);
  switch (in.op) {
    case Opcode::LoadGlobal:
      return load_global(live, name);
    case Opcode::StoreGlobal:
      return raised_unless(PyDict_SetItem(live.globals(), name, live.pop().get()) == 0);
    case Opcode::DeleteGlobal:
      return delete_global(live, name);
    case Opcode::LoadAttr:
      return raised_unless(live.replace(1, PyObject_GetAttr(live.top(), name)));
    case Opcode::LoadMethod:
      return load_method(live, name);
    case Opcode::StoreAttr: {
      int failed = PyObject_SetAttr(live.top(1), name, live.top(2));
      live.drop(2);
      return raised_unless(failed == 0);
    }
    case Opcode::DeleteAttr:
      return raised_unless(PyObject_SetAttr(live.pop().get(), name, nullptr) == 0);
    case Opcode::LoadSuperAttr:
    case Opcode::LoadSuperMethod:
      return load_super(live, in, name);
    case Opcode::ImportName:
      return import_name(live, name);
    case Opcode::ImportFrom:
      return import_from(live, name);
    default:
      return StepResult::unsupported;
  }
}

}  // namespace framejit::eval_frame
