// Exceptions of the traced program.
//
// An exception whose handler lies inside the trace is followed: the executor unwinds to the handler as the
// interpreter would. One that would leave the root frame ends the trace before the root instruction that
// raises, so that it is raised for real.
#include "symbolic/executor.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::Opcode;

ExceptionVar* Executor::make_exception(PyTypeObject* type, std::vector<Var*> args) {
  ExceptionVar* var = make<ExceptionVar>();
  var->type = type;
  var->args = tuple(std::move(args));
  var->record = record_here(BreakId::raises, type->tp_name);
  return var;
}

void Executor::raise(PyObject* type, const std::string& message) { raise_object(type, {string(message)}); }

void Executor::raise_object(PyObject* type, std::vector<Var*> args) {
  throw RaiseError{make_exception(reinterpret_cast<PyTypeObject*>(type), std::move(args))};
}

void Executor::raise_pending() {
  PyRef error = take_exception();
  if (!error) throw eager::InternalError("a Python call failed without an exception");
  if (PyErr_GivenExceptionMatches(error.get(), PyExc_KeyboardInterrupt)) {
    // Ctrl-C came while a builtin ran for the trace: not what it does each time. It comes again, in user
    // code.
    PyErr_SetInterrupt();
    break_here(BreakId::raises, "KeyboardInterrupt");
  }
  PyRef args = PyRef::steal(PyObject_GetAttrString(error.get(), "args"));
  PyErr_Clear();
  std::vector<Var*> items;
  for (Py_ssize_t i = 0; args && i < PyTuple_GET_SIZE(args.get()); ++i)
    items.push_back(existing(pin(PyTuple_GET_ITEM(args.get(), i)), nullptr));
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(error.get()));
  pin(type);
  raise_object(type, std::move(items));
}

bool Executor::handle(Frame& frame, ExceptionVar* exception) {
  const bytecode::Handler* handler = frame.program->handler(frame.pc);
  if (!handler) return false;
  frame.stack.resize(size_t(handler->depth), null());
  if (handler->push_offset) frame.push(integer(frame.instruction().unit));
  frame.push(exception);
  frame.pc = handler->target;
  if (exception->raised_step < 0) exception->raised_step = step_;
  mutated();
  return true;
}

bool Executor::matches(ExceptionVar* exception, Var* classes) {
  if (TupleVar* tuple = as<TupleVar>(classes)) {
    load_items(tuple);
    return std::any_of(tuple->items.begin(), tuple->items.end(),
                       [&](Var* item) { return matches(exception, item); });
  }
  PyObject* type = as_constant(classes);
  if (!type || !PyExceptionClass_Check(type))
    break_here(BreakId::raises, "except with something that is not a class");
  return PyType_IsSubtype(exception->type, reinterpret_cast<PyTypeObject*>(type));
}

/// The exception that `raise x` raises.
ExceptionVar* Executor::to_exception(Var* var) {
  if (ExceptionVar* exception = as<ExceptionVar>(var)) return exception;
  PyObject* type = as_constant(var);
  if (type && PyExceptionClass_Check(type))
    if (ExceptionVar* made = as<ExceptionVar>(call(var, {}))) return made;
  break_here(BreakId::raises, "raise " + describe(var));
}

void Executor::do_exception(Frame& frame, const Instruction& in) {
  switch (in.op) {
    case Opcode::RaiseVarargs: {
      Var* cause = in.arg > 1 ? frame.pop() : nullptr;
      if (in.arg == 0) {
        if (frame.handled.empty()) break_here(BreakId::raises, "raise without an exception");
        throw RaiseError{frame.handled.back()};
      }
      ExceptionVar* exception = to_exception(frame.pop());
      if (cause) {
        bool is_none = cause->existing() && cause->real.get() == Py_None;
        exception->cause = is_none ? cause : to_exception(cause);
      }
      throw RaiseError{exception};
    }
    case Opcode::PushExcInfo: {
      ExceptionVar* exception = as<ExceptionVar>(frame.pop());
      if (!exception) break_here(BreakId::raises, "a handler entered with a real exception");
      frame.push(frame.handled.empty() ? none() : frame.handled.back());
      frame.push(exception);
      frame.handled.push_back(exception);
      return;
    }
    case Opcode::PopExcept:
      frame.pop();
      if (frame.handled.empty()) break_here(BreakId::raises, "the end of a handler of a real exception");
      frame.handled.pop_back();
      return;
    case Opcode::CheckExcMatch: {
      Var* classes = frame.pop();
      ExceptionVar* exception = as<ExceptionVar>(frame.peek(1));
      if (!exception) break_here(BreakId::raises, "a handler of a real exception");
      frame.push(boolean(matches(exception, classes)));
      return;
    }
    case Opcode::Reraise: {
      ExceptionVar* exception = as<ExceptionVar>(frame.pop());
      if (!exception) break_here(BreakId::raises, "an exception from outside the trace");
      throw RaiseError{exception};
    }
    case Opcode::BeforeWith: {
      Var* manager = frame.pop();
      Var* exit = find_special(manager, "__exit__");
      Var* enter = find_special(manager, "__enter__");
      if (!exit || !enter) break_here(BreakId::raises, "with " + describe(manager));
      frame.push(exit);
      frame.push(call(enter, {}));
      return;
    }
    case Opcode::WithExceptStart: {
      // exit, (offset), previous exception, exception
      ExceptionVar* exception = as<ExceptionVar>(frame.peek(1));
      if (!exception) break_here(BreakId::raises, "a with block left by a real exception");
      Var* type = existing(reinterpret_cast<PyObject*>(exception->type), nullptr);
      frame.push(call(frame.peek(4), {{type, exception, make<TracebackVar>()}, {}}));
      return;
    }
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

}  // namespace framejit::symbolic
