// Throwaway real objects: a constant list, dict or set as Python builds it, for calling pure builtins and
// cached functions while tracing.
#include "eager/dispatch.h"
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {

namespace {

/// Ops in this scope run: what a cached function makes is kept by its cache, and must be real.
class NotRecording {
 public:
  NotRecording() : recorder_(eager::Recorder::exchange(nullptr)) {}
  ~NotRecording() { eager::Recorder::exchange(recorder_); }

 private:
  eager::Recorder* recorder_;
};

}  // namespace

/// A real object equal to `var`, or null when something in it is not a constant. Guards the constants in it.
PyRef Executor::to_real(Var* var) {
  if (ListVar* list = as<ListVar>(var)) {
    load_items(list);
    PyRef real = PyRef::steal(PyList_New(0));
    for (Var* item : list->items) {
      PyRef value = to_real(item);
      if (!value || PyList_Append(real.get(), value.get()) < 0) return {};
    }
    return real;
  }
  if (TupleVar* tuple = as<TupleVar>(var)) {
    load_items(tuple);
    bool plain = tuple->type == &PyTuple_Type;
    if (!plain && tuple->type->tp_dictoffset != 0) return {};  // it may have attributes of its own
    PyRef real = PyRef::steal(PyTuple_New(Py_ssize_t(tuple->items.size())));
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      PyRef value = to_real(tuple->items[i]);
      if (!value) return {};
      PyTuple_SET_ITEM(real.get(), Py_ssize_t(i), value.release());
    }
    if (plain) return real;
    PyRef items = PyRef::steal(PyTuple_Pack(1, real.get()));
    return PyRef::steal(PyTuple_Type.tp_new(tuple->type, items.get(), nullptr));  // a Size, a named tuple
  }
  if (DictVar* dict = as<DictVar>(var)) {
    if (type_of(dict) != &PyDict_Type) return {};
    load_all(dict);
    PyRef real = PyRef::steal(PyDict_New());
    for (const Table::Entry& entry : dict->table.entries()) {
      PyRef value = entry.key.value ? to_real(entry.value) : PyRef();
      if (!value || PyDict_SetItem(real.get(), entry.key.value, value.get()) < 0) return {};
    }
    return real;
  }
  if (SetVar* set = as<SetVar>(var)) {
    PyRef real = PyRef::steal(set->type == &PyFrozenSet_Type ? PyFrozenSet_New(nullptr) : PySet_New(nullptr));
    for (const Table::Entry& entry : set->table.entries())
      if (!entry.key.value || PySet_Add(real.get(), entry.key.value) < 0) return {};
    return real;
  }
  return PyRef::borrow(as_constant(var));
}

/// The Var of a value that a pure builtin returned: containers become new ones of the trace.
Var* Executor::from_real(PyObject* object) {
  if (PyList_CheckExact(object)) {
    ListVar* var = list({});
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i)
      var->items.push_back(from_real(PyList_GET_ITEM(object, i)));
    return var;
  }
  if (PyTuple_CheckExact(object)) {
    TupleVar* var = tuple({});
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
      var->items.push_back(from_real(PyTuple_GET_ITEM(object, i)));
    return var;
  }
  if (PyDict_CheckExact(object)) {
    DictVar* var = dict();
    PyObject *key, *value;
    for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, &value);)
      var->table.set(key_of(from_real(key)), from_real(value));
    return var;
  }
  if (PySet_CheckExact(object)) {
    SetVar* var = set();
    PyRef items = PyRef::steal(PySequence_List(object));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i)
      var->table.set(key_of(from_real(PyList_GET_ITEM(items.get(), i))), none());
    return var;
  }
  bool plain = guards::is_guardable_constant(object) || PyType_Check(object) ||
               front_end().is_constant_type(Py_TYPE(object)) || object == Py_NotImplemented ||
               object == Py_Ellipsis || is_numpy_scalar(Py_TYPE(object));
  if (!plain)
    break_here(BreakId::unknown_object, std::string("a ") + Py_TYPE(object)->tp_name + " made by a builtin");
  return constant(pin(object));
}

/// Of the builtins module, whatever the running code has as builtins. Borrowed; lives as long as the
/// interpreter.
PyObject* Executor::real_builtin(const char* name) {
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "builtins");
  return PyDict_GetItemString(PyModule_GetDict(module), name);
}

Var* Executor::fold_call(PyObject* callable, const CallArgs& args) {
  PyRef result = call_real(callable, args);
  return result ? from_real(result.get()) : nullptr;
}

Var* Executor::call_cached(PyObject* cached, const CallArgs& args) {
  bool varied =
      std::any_of(args.positional.begin(), args.positional.end(), [this](Var* arg) { return varies(arg); });
  if (varied && !fixed_.count(cached))
    if (Var* result = call_behind_cache(cached, args)) return result;
  NotRecording scope;
  PyRef result = call_real(cached, args);
  return result ? existing(pin(result.get()), nullptr) : nullptr;
}

/// Does it hold a number that earlier traces took for fixed, and that has changed?
bool Executor::varies(Var* var) {
  if (TupleVar* tuple = as<TupleVar>(var)) {
    load_items(tuple);
    return std::any_of(tuple->items.begin(), tuple->items.end(), [this](Var* item) { return varies(item); });
  }
  NumberVar* number = as<NumberVar>(var);
  if (!number || number->specialized) return false;
  if (number->is_size) return true;
  if (number->source)
    return std::any_of(request_.varied.begin(), request_.varied.end(), [&](const Varied& varied) {
      return varied.dim == -1 && varied.source == number->source->text;
    });
  return (number->left && varies(number->left)) || (number->right && varies(number->right));
}

/// Traces the cached function's body, so that its arguments need not be fixed. What the cache has only one of
/// (see Var::cache) or keeps from happening again is found out by then or later: FixArguments.
Var* Executor::call_behind_cache(PyObject* cached, const CallArgs& args) {
  PyRef body = PyRef::steal(PyObject_GetAttrString(cached, "__wrapped__"));
  if (!body || !PyFunction_Check(body.get())) return PyErr_Clear(), nullptr;
  size_t effects = effects_.size();
  Var* result = nullptr;
  try {
    result = call(existing(pin(body.get()), nullptr), args);
  } catch (BreakError&) {
  }
  if (!result || effects_.size() != effects || !belongs_to(result, cached)) throw FixArguments{cached};
  return result;
}

/// Marks what a cached function made; false for what cannot be followed.
bool Executor::belongs_to(Var* var, PyObject* cached) {
  auto all = [&](const std::vector<Var*>& items) {
    return std::all_of(items.begin(), items.end(), [&](Var* item) { return belongs_to(item, cached); });
  };
  if (var->existing() || var->kind == Kind::number) return true;
  var->cache = cached;
  if (TupleVar* tuple = as<TupleVar>(var)) return all(tuple->items);
  if (ListVar* list = as<ListVar>(var)) return all(list->items);
  DictVar* dict = as<DictVar>(var);
  if (!dict || dict->view_of) return false;
  for (const Table::Entry& entry : dict->table.entries())
    if (!belongs_to(entry.key.var, cached) || !belongs_to(entry.value, cached)) return false;
  return true;
}

PyRef Executor::call_real(PyObject* callable, const CallArgs& args) {
  PyRef positional = PyRef::steal(PyTuple_New(Py_ssize_t(args.size())));
  for (size_t i = 0; i < args.size(); ++i) {
    PyRef value = to_real(args[i]);
    if (!value) return {};
    PyTuple_SET_ITEM(positional.get(), Py_ssize_t(i), value.release());
  }
  PyRef keywords = PyRef::steal(args.keywords.empty() ? nullptr : PyDict_New());
  for (auto& [name, var] : args.keywords) {
    PyRef value = to_real(var);
    if (!value) return {};
    PyDict_SetItem(keywords.get(), name, value.get());
  }
  PyRef result = PyRef::steal(PyObject_Call(callable, positional.get(), keywords.get()));
  if (!result) raise_pending();
  return result;
}

}  // namespace framejit::symbolic
