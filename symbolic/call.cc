// Calls: Python functions are inlined, ops recorded, builtins modelled or folded; anything else is a break.
#include "eager/autocast.h"
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::Opcode;

void Executor::do_call(Frame& frame, const Instruction& in) {
  CallArgs args;
  if (in.op == Opcode::CallFunctionEx) {
    if (in.arg & 1) {
      Var* mapping = frame.pop();
      DictVar* keywords = as<DictVar>(mapping);
      if (!keywords) break_here(BreakId::unknown_object, "** of " + describe(mapping));
      load_all(keywords);
      for (const Table::Entry& entry : keywords->table.entries()) {
        if (!entry.key.value || !PyUnicode_Check(entry.key.value))
          raise(PyExc_TypeError, "keywords must be strings");
        args.keywords.emplace_back(entry.key.value, entry.value);
      }
    }
    args.positional = iterate_all(frame.pop());
  } else {
    PyObject* names = nullptr;
    if (in.op == Opcode::CallKw)
      names = in.extra < 0 ? as_constant(frame.pop()) : frame.program->constant_borrowed(in.extra);
    size_t keyword_count = names ? size_t(PyTuple_GET_SIZE(names)) : 0;
    auto first = frame.stack.end() - in.arg;
    args.positional.assign(first, frame.stack.end() - Py_ssize_t(keyword_count));
    for (size_t i = 0; i < keyword_count; ++i)
      args.keywords.emplace_back(PyTuple_GET_ITEM(names, i),
                                 frame.stack[frame.stack.size() - keyword_count + i]);
    frame.stack.erase(first, frame.stack.end());
  }
  Var* upper = frame.pop();
  Var* lower = frame.pop();
  Var* callee = lower->kind == Kind::null ? upper : lower;
  if (lower->kind != Kind::null && upper->kind != Kind::null)
    args.positional.insert(args.positional.begin(), upper);
  frame.push(call(callee, std::move(args)));
}

Var* Executor::call(Var* callee, CallArgs args) {
  switch (callee->kind) {
    case Kind::function:
      return call_function(static_cast<FunctionVar*>(callee), args);
    case Kind::method: {
      auto* method = static_cast<MethodVar*>(callee);
      open_method(method);
      args.positional.insert(args.positional.begin(), method->self);
      return call(method->function, std::move(args));
    }
    case Kind::partial: {
      auto* partial = static_cast<PartialVar*>(callee);
      CallArgs all{partial->args, {}};
      all.positional.insert(all.positional.end(), args.positional.begin(), args.positional.end());
      for (auto& [name, value] : partial->keywords) all.keywords.emplace_back(name.get(), value);
      for (auto& [name, value] : args.keywords) {
        auto same = std::find_if(all.keywords.begin(), all.keywords.end(),
                                 [&](auto& other) { return !PyUnicode_Compare(other.first, name); });
        if (same == all.keywords.end())
          all.keywords.emplace_back(name, value);
        else
          same->second = value;
      }
      return call(partial->function, std::move(all));
    }
    case Kind::object:
      return call_object(static_cast<ObjectVar*>(callee), args);
    default:
      break_here(BreakId::unknown_call, describe(callee));
  }
}

Var* Executor::call_method(Var* owner, const char* name, std::vector<Var*> args) {
  return call(load_attribute(owner, constant_string(name)), {std::move(args), {}});
}

Var* Executor::call_object(ObjectVar* callee, const CallArgs& args) {
  bool asks = callee->existing() && request_.compiled_target;
  if (PyObject* inner = asks ? request_.compiled_target(callee->real.get()) : nullptr) {
    if (callee->source) guards_.identity(callee->source, callee->real.get());
    return call(existing(pin(inner), nullptr), args);
  }
  PyObject* target = is_constant_like(callee) ? as_constant(callee) : nullptr;
  if (!target) {
    if (callee->existing() && Py_TYPE(callee->real.get()) == partial_type())
      return call_real_partial(callee, args);
    if (Var* special = find_special(callee, "__call__"); special && special->kind == Kind::method)
      return call(special, args);
    break_here(BreakId::unknown_call, describe(callee));
  }
  if (Builtin builtin = find_builtin(target)) return builtin(*this, args);
  if (PyObject* function = find_in_python(target)) return call(existing(function, nullptr), args);
  CallableInfo info = front_end().classify(target);
  switch (info.role) {
    case CallableRole::op:
      return call_op(target, args);
    case CallableRole::data:
      break_here(info.break_id, callable_name(target));
    case CallableRole::disabled:
      break_here(BreakId::disabled_call, callable_name(target));
    case CallableRole::is_compiling:
      return boolean(true);
    case CallableRole::grad_mode_query:
      return guard_modes(), boolean(eager::modes().grad_enabled);
    case CallableRole::grad_mode_set:
      return set_grad_mode(args);
    case CallableRole::autocast_query:
      guard_modes();
      if (Var* result = fold_call(target, args)) return result;
      break;
    case CallableRole::autocast_set:
      return set_autocast(target, args);
    case CallableRole::unknown:
      break;
  }
  if (PyType_Check(target)) return construct(reinterpret_cast<PyTypeObject*>(target), args);
  if (is_pure(target) || is_method_of_constants(target))
    if (Var* result = fold_call(target, args)) return result;
  if (Py_TYPE(target) == cached_function_type())
    if (Var* result = call_cached(target, args)) return result;
  if (Py_TYPE(target)->tp_flags & Py_TPFLAGS_HEAPTYPE)
    if (Var* special = find_special(callee, "__call__"); special && special->kind == Kind::method)
      return call(special, args);
  break_here(is_output(target) ? BreakId::output_call : BreakId::unknown_call, callable_name(target));
}

/// A functools.partial that exists already: its parts are read from it.
Var* Executor::call_real_partial(ObjectVar* callee, const CallArgs& args) {
  guard_type(callee);
  auto member = [&](const char* name) {
    return bind_class_value(callee, constant_string(name),
                            _PyType_Lookup(partial_type(), constant_string(name)));
  };
  PartialVar* partial = make<PartialVar>();
  partial->function = member("func");
  partial->args = iterate_all(member("args"));
  DictVar* keywords = as<DictVar>(member("keywords"));
  if (!keywords) break_here(BreakId::unknown_call, describe(callee));
  load_all(keywords);
  for (const Table::Entry& entry : keywords->table.entries())
    partial->keywords.emplace_back(PyRef::borrow(entry.key.value), entry.value);
  return call(partial, args);
}

/// Guards the modes at the trace's entry, whatever the traced code has set since.
void Executor::guard_modes() {
  eager::GradModeScope at_entry(grad_mode_at_entry_);
  uint32_t autocast = eager::autocast_word();
  eager::set_autocast_word(autocast_at_entry_);
  guards_.global_state();
  eager::set_autocast_word(autocast);
}

/// The ops that follow are recorded with their casts.
Var* Executor::set_autocast(PyObject* function, const CallArgs& args) {
  guard_modes();
  Var* result = fold_call(function, args);
  if (!result) break_here(BreakId::op_unsupported, "set_autocast");
  effect(StepOp::autocast, {}, int32_t(eager::autocast_word()));
  return result;
}

Var* Executor::set_grad_mode(const CallArgs& args) {
  PyObject* enabled = args.size() == 1 ? as_constant(args[0]) : nullptr;
  if (!enabled || !PyBool_Check(enabled)) break_here(BreakId::op_unsupported, "set_grad_enabled");
  // The graph runs and is compiled under the mode of the trace's entry: what needs gradients is another
  // trace.
  if (enabled == Py_True && !grad_mode_at_entry_)
    break_here(BreakId::op_unsupported, "gradients switched on");
  guard_modes();
  eager::modes().grad_enabled = enabled == Py_True;
  effect(StepOp::grad_mode, {}, enabled == Py_True);
  return none();
}

/// A method of dtypes, devices and other constants in C: such objects do not change.
bool Executor::is_method_of_constants(PyObject* callable) {
  return Py_TYPE(callable) == &PyMethodDescr_Type && front_end().is_constant_type(PyDescr_TYPE(callable));
}

std::string Executor::callable_name(PyObject* callable) {
  if (PyCFunction_Check(callable)) {
    PyObject* self = PyCFunction_GET_SELF(callable);
    std::string name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
    if (self && !PyModule_Check(self)) return std::string(Py_TYPE(self)->tp_name) + "." + name;
    return name;
  }
  if (Py_TYPE(callable) == &PyMethodDescr_Type || Py_TYPE(callable) == &PyWrapperDescr_Type) {
    auto* descriptor = reinterpret_cast<PyDescrObject*>(callable);
    return std::string(descriptor->d_type->tp_name) + "." + PyUnicode_AsUTF8(descriptor->d_name);
  }
  // Ops are objects with a name. The error of a failed op may be pending: it stays.
  ExceptionAside error;
  bool plain = Py_TYPE(callable)->tp_getattro == PyObject_GenericGetAttr;
  PyRef name = PyRef::steal(plain ? PyObject_GetAttrString(callable, "__name__") : nullptr);
  if (name && PyUnicode_Check(name.get())) return PyUnicode_AsUTF8(name.get());
  return constant_name(callable);
}

void Executor::open_function(FunctionVar* function) {
  if (!function->existing() || function->opened) return;
  function->opened = true;
  guard_type(function);
  auto* real = reinterpret_cast<PyFunctionObject*>(function->real.get());
  function->code = PyRef::borrow(real->func_code);
  function->qualified_name = PyRef::borrow(real->func_qualname);
  const Source* place = function->source;
  if (place) guards_.identity(sources().function_code(place), real->func_code);
  if (real->func_defaults) {
    Var* defaults = existing(real->func_defaults, place ? sources().function_defaults(place) : nullptr);
    function->defaults = iterate_all(defaults);
  } else if (place && reinterpret_cast<PyCodeObject*>(real->func_code)->co_argcount > 0) {
    guards_.absent(sources().function_defaults(place));
  }
  if (real->func_kwdefaults)
    function->kw_defaults =
        existing(real->func_kwdefaults, place ? sources().function_kwdefaults(place) : nullptr);
  if (real->func_closure) {
    const Source* closure = nullptr;
    if (place) {
      PyObject* descriptor = _PyType_Lookup(&PyFunction_Type, constant_string("__closure__"));
      closure = sources().member(place, descriptor);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(real->func_closure); ++i)
      function->closure.push_back(
          existing(PyTuple_GET_ITEM(real->func_closure, i), closure ? sources().item(closure, i) : nullptr));
  }
  function->globals =
      dict_of(real->func_globals, real->func_globals == request_.globals ? sources().globals() : nullptr);
}

/// functools.update_wrapper with its defaults, of a new function: it happens where that leaves the trace.
/// Null for other calls.
Var* Executor::update_wrapper(const CallArgs& args) {
  static PyObject* const functools = PyImport_ImportModule("functools");
  FunctionVar* wrapper = args.size() ? as<FunctionVar>(args[0]) : nullptr;
  Var* wrapped = args.size() > 1 ? args[1] : nullptr;
  if (!wrapper || wrapper->existing() || wrapper->wrapped || !wrapper->attributes.entries().empty() ||
      args.size() > 2)
    return nullptr;
  for (auto& [name, value] : args.keywords) {
    const std::string text = PyUnicode_AsUTF8(name);
    if (text == "wrapped") {
      wrapped = value;
      continue;
    }
    PyRef usual = PyRef::steal(
        PyObject_GetAttrString(functools, text == "assigned" ? "WRAPPER_ASSIGNMENTS" : "WRAPPER_UPDATES"));
    PyObject* given = as_constant(value);
    if (!given || !guards::constants_equal(given, usual.get())) return nullptr;
  }
  if (FunctionVar* plain = as<FunctionVar>(wrapped); !plain || !plain->attributes.entries().empty())
    return nullptr;
  wrapper->wrapped = wrapped;
  mutated();
  return wrapper;
}

Var* Executor::call_function(FunctionVar* function, const CallArgs& args) {
  static PyObject* const wraps = resolve_builtin("functools", "update_wrapper");
  if (function->existing() && function->real.get() == wraps)
    if (Var* wrapper = update_wrapper(args)) return wrapper;
  open_function(function);
  auto* code = reinterpret_cast<PyCodeObject*>(function->code.get());
  std::string name =
      PyUnicode_AsUTF8(function->qualified_name ? function->qualified_name.get() : code->co_qualname);
  if (function->existing()) {
    CallableInfo info = front_end().classify(function->real.get());
    bool disabled = request_.is_disabled && request_.is_disabled(function->real.get());
    if (disabled || info.role == CallableRole::disabled) break_here(BreakId::disabled_call, name);
    if (info.role == CallableRole::is_compiling) return boolean(true);
  }
  if (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE))
    break_here(BreakId::generator_call, name);
  if (current_->depth + 1 >= request_.options.inline_depth) break_here(BreakId::recursion_limit, name);

  frames_.emplace_back();
  Frame& frame = frames_.back();
  frame.program = program_of(code);
  frame.function = function;
  frame.globals = function->globals;
  frame.depth = current_->depth + 1;
  frame.locals.assign(size_t(code->co_nlocalsplus), null());
  bind_arguments(function, code, args, frame.locals);
  if (code->co_flags & CO_GENERATOR) return start_generator(frame);
  Frame* caller = current_;
  frame.caller = caller;
  struct Back {
    Executor& executor;
    Frame* frame;
    ~Back() { executor.current_ = frame; }
  } back{*this, caller};
  current_ = &frame;
  return run_frame(frame);
}

}  // namespace framejit::symbolic
