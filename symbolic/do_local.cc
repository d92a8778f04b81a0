// Instructions on the stack, locals, cells and names.
#include "symbolic/executor.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::Opcode;

/// A generator that is suspended in a try or with statement runs its handlers when it is dropped, before what
/// comes next: the interpreter drops it.
void Executor::drop(Frame& frame, Var* var) {
  if (&frame == root_ && var->existing() && PyGen_CheckExact(var->real.get()))
    break_here(BreakId::real_iterator, "a generator that is dropped");
}

void Executor::do_stack(Frame& frame, const Instruction& in) {
  switch (in.op) {
    case Opcode::Nop:
    case Opcode::Resume:
      return;
    case Opcode::PopTop:
      drop(frame, frame.pop());
      return;
    case Opcode::PushNull:
      frame.push(null());
      return;
    case Opcode::Copy:
      frame.push(frame.peek(in.arg));
      return;
    case Opcode::Swap:
      std::swap(frame.peek(1), frame.peek(in.arg));
      return;
    case Opcode::LoadConst:
      frame.push(existing(frame.program->constant_borrowed(in.arg), nullptr));
      return;
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

Var* Executor::cell_contents(CellVar* cell) {
  if (!cell->loaded) {
    cell->loaded = true;
    guard_type(cell);
    const Source* place = sources().cell_contents(source_of(cell));
    PyObject* contents = PyCell_GET(cell->real.get());
    if (contents)
      cell->contents = existing(contents, place);
    else
      guards_.absent(place);
  }
  return cell->contents;
}

void Executor::set_cell(CellVar* cell, Var* value) {
  cell->loaded = true;
  cell->contents = value;
  mutated();
  if (!cell->existing()) return;
  guard_type(cell);
  effect(StepOp::cell_set, value ? std::vector<Var*>{cell, value} : std::vector<Var*>{cell});
}

void Executor::raise_unbound(Frame& frame, int index) {
  break_here(BreakId::raises,
             std::string("an unbound variable: ") +
                 PyUnicode_AsUTF8(PyTuple_GET_ITEM(frame.program->code()->co_localsplusnames, index)));
}

void Executor::do_local(Frame& frame, const Instruction& in) {
  auto local = [&]() -> Var*& { return this->local(frame, in.arg); };
  auto cell = [&] {
    CellVar* var = as<CellVar>(local());
    if (!var) break_here(BreakId::unknown_object, "a cell variable without a cell");
    return var;
  };
  switch (in.op) {
    case Opcode::LoadFast:
      if (local()->kind == Kind::null) raise_unbound(frame, in.arg);
      frame.push(local());
      return;
    case Opcode::LoadFastAndClear:
      frame.push(local());
      local() = null();
      return;
    case Opcode::StoreFast:
      frame.locals[size_t(in.arg)] = frame.pop();
      return;
    case Opcode::DeleteFast:
      if (local()->kind == Kind::null) raise_unbound(frame, in.arg);
      drop(frame, local());
      local() = null();
      return;
    case Opcode::LoadDeref: {
      Var* value = cell_contents(cell());
      if (!value) raise_unbound(frame, in.arg);
      frame.push(value);
      return;
    }
    case Opcode::StoreDeref:
      set_cell(cell(), frame.pop());
      return;
    case Opcode::DeleteDeref:
      set_cell(cell(), nullptr);
      return;
    case Opcode::MakeCell: {
      CellVar* var = make<CellVar>();
      var->contents = local()->kind == Kind::null ? nullptr : local();
      local() = var;
      return;
    }
    case Opcode::CopyFreeVars: {
      size_t first = frame.locals.size() - size_t(in.arg);
      for (size_t i = 0; i < size_t(in.arg); ++i) frame.locals[first + i] = frame.function->closure.at(i);
      return;
    }
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

/// A global, or a builtin of that name.
Var* Executor::load_global(Frame& frame, PyObject* name) {
  Var* key = constant(name);
  if (Var* value = dict_get(frame.globals, key)) return value;
  DictVar* builtins = dict_of(builtins_of(frame), nullptr);
  if (Var* value = dict_get(builtins, key)) return value;
  break_here(BreakId::raises, std::string("NameError: ") + PyUnicode_AsUTF8(name));
}

PyObject* Executor::builtins_of(Frame& frame) {
  PyObject* globals = frame.globals->real.get();
  PyObject* builtins =
      globals == request_.globals ? request_.builtins : PyDict_GetItemString(globals, "__builtins__");
  if (builtins && PyModule_Check(builtins)) builtins = PyModule_GetDict(builtins);
  return builtins ? builtins : request_.builtins;
}

void Executor::do_name(Frame& frame, const Instruction& in) {
  PyObject* name = in.op == Opcode::LoadBuildClass || in.op == Opcode::LoadAssertionError
                       ? nullptr
                       : frame.program->name_borrowed(in.arg);
  switch (in.op) {
    case Opcode::LoadGlobal:
      frame.push(load_global(frame, name));
      return;
    case Opcode::StoreGlobal:
      dict_set(frame.globals, constant(name), frame.pop());
      return;
    case Opcode::DeleteGlobal:
      if (!dict_erase(frame.globals, constant(name))) break_here(BreakId::raises, "NameError");
      return;
    case Opcode::LoadAttr: {
      Var* owner = frame.pop();
      frame.push(load_attribute(owner, name));
      return;
    }
    case Opcode::LoadMethod: {
      Var* owner = frame.pop();
      push_method(frame, load_attribute(owner, name));
      return;
    }
    case Opcode::StoreAttr: {
      Var* owner = frame.pop();
      store_attribute(owner, name, frame.pop());
      return;
    }
    case Opcode::DeleteAttr:
      store_attribute(frame.pop(), name, nullptr);
      return;
    case Opcode::LoadSuperAttr:
    case Opcode::LoadSuperMethod: {
      Var* self = frame.pop();
      Var* cls = frame.pop();
      frame.pop();  // super itself
      Var* value = load_attribute(make_super(cls, self), name);
      if (in.op == Opcode::LoadSuperMethod)
        push_method(frame, value);
      else
        frame.push(value);
      return;
    }
    case Opcode::ImportName:
      import_name(frame, name);
      return;
    case Opcode::ImportFrom:
      frame.push(load_attribute(frame.peek(1), name));
      return;
    case Opcode::LoadAssertionError:
      frame.push(existing(PyExc_AssertionError, nullptr));
      return;
    default:
      break_here(BreakId::class_definition, bytecode::name(in.op));
  }
}

/// The two entries below the arguments of a call: (function, self), or the value and NULL.
void Executor::push_method(Frame& frame, Var* value) {
  MethodVar* method = as<MethodVar>(value);
  if (method && !method->existing()) {
    frame.push(method->function);
    frame.push(method->self);
  } else if (bytecode::kNullBelowCallable) {
    frame.push(null());
    frame.push(value);
  } else {
    frame.push(value);
    frame.push(null());
  }
}

/// Modules that are loaded already: importing looks them up in `sys.modules`, as the trace sees it.
void Executor::import_name(Frame& frame, PyObject* name) {
  Var* names = frame.pop();
  std::optional<int64_t> level = as_index(frame.pop());
  std::string full = PyUnicode_AsUTF8(name);
  bool plain = level == 0 && (full.find('.') == std::string::npos || !is_none(names));
  Var* module = nullptr;
  if (plain) module = dict_get(dict_of(PyImport_GetModuleDict(), nullptr), existing(name, nullptr));
  if (!module || !module->existing() || !PyModule_Check(module->real.get()))
    break_here(BreakId::import_statement, full);
  frame.push(module);
}

}  // namespace framejit::symbolic
