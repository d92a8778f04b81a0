// Attributes of functions, methods, partials and exceptions.
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

bool is(PyObject* name, const char* text) { return !PyUnicode_CompareWithASCIIString(name, text); }

/// What a function made of this code has as __doc__; borrowed.
PyObject* docstring(PyCodeObject* code) {
  PyObject* first = PyTuple_GET_SIZE(code->co_consts) > 0 ? PyTuple_GET_ITEM(code->co_consts, 0) : Py_None;
  return PyUnicode_Check(first) ? first : Py_None;
}

}  // namespace

Var* Executor::find_function_attribute(FunctionVar* function, PyObject* name) {
  if (Var** found = function->attributes.find(name)) return *found;
  if (is(name, "__get__")) break_here(BreakId::unsupported_attribute, "function.__get__");
  if (function->existing()) {
    if (is(name, "__dict__") || is(name, "__globals__") || is(name, "__closure__"))
      break_here(BreakId::unsupported_attribute, std::string("function.") + PyUnicode_AsUTF8(name));
    PyObject* attributes = reinterpret_cast<PyFunctionObject*>(function->real.get())->func_dict;
    if (PyObject* value = attributes ? PyDict_GetItemWithError(attributes, name) : nullptr)
      return existing(value, sources().attribute(source_of(function), name));
    PyRef value = PyRef::steal(PyObject_GetAttr(function->real.get(), name));
    if (!value) {
      PyErr_Clear();
      return nullptr;
    }
    if (function->source) guards_.identity(function->source, function->real.get());
    return existing(pin(value.get()), nullptr);
  }
  if (function->wrapped) {
    if (is(name, "__wrapped__")) return function->wrapped;
    if (!is(name, "__code__") && !is(name, "__defaults__") && !is(name, "__kwdefaults__"))
      return find_attribute(function->wrapped, name);
  }
  auto* code = reinterpret_cast<PyCodeObject*>(function->code.get());
  if (is(name, "__name__")) return constant(code->co_name);
  if (is(name, "__qualname__")) return constant(function->qualified_name.get());
  if (is(name, "__code__")) return constant(function->code.get());
  if (is(name, "__doc__")) return constant(docstring(code));
  if (is(name, "__module__")) {
    Var* module = dict_get(function->globals, constant(constant_string("__name__")));
    return module ? module : none();
  }
  if (PyUnicode_AsUTF8(name)[0] != '_') return nullptr;
  break_here(BreakId::unsupported_attribute, std::string("function.") + PyUnicode_AsUTF8(name));
}

void Executor::open_method(MethodVar* method) {
  if (method->function) return;
  guard_type(method);
  const Source* place = source_of(method);
  auto member = [&](const char* name) {
    PyObject* descriptor = _PyType_Lookup(&PyMethod_Type, constant_string(name));
    return sources().member(place, descriptor);
  };
  method->function = existing(PyMethod_GET_FUNCTION(method->real.get()), member("__func__"));
  method->self = existing(PyMethod_GET_SELF(method->real.get()), member("__self__"));
}

/// An interned str that the process keeps.
PyObject* Executor::constant_string(const char* text) { return PyUnicode_InternFromString(text); }

Var* Executor::find_method_attribute(MethodVar* method, PyObject* name) {
  open_method(method);
  if (is(name, "__func__")) return method->function;
  if (is(name, "__self__")) return method->self;
  return find_attribute(method->function, name);
}

Var* Executor::find_partial_attribute(PartialVar* partial, PyObject* name) {
  if (is(name, "func")) return partial->function;
  if (is(name, "args")) return tuple(partial->args);
  if (is(name, "keywords")) {
    DictVar* keywords = dict();
    for (auto& [key, value] : partial->keywords) dict_set(keywords, constant(key.get()), value);
    return keywords;
  }
  break_here(BreakId::unsupported_attribute, std::string("partial.") + PyUnicode_AsUTF8(name));
}

Var* Executor::find_exception_attribute(ExceptionVar* exception, PyObject* name) {
  if (is(name, "args")) return exception->args;
  if (is(name, "__cause__")) return exception->cause ? exception->cause : none();
  if (is(name, "__dict__") || is(name, "__traceback__") || is(name, "__context__"))
    break_here(BreakId::unsupported_attribute, std::string("exception.") + PyUnicode_AsUTF8(name));
  if (Var** found = exception->attributes.find(name)) return *found;
  if (is(name, "value") &&
      PyType_IsSubtype(exception->type, reinterpret_cast<PyTypeObject*>(PyExc_StopIteration))) {
    auto& items = static_cast<TupleVar*>(exception->args)->items;
    return items.empty() ? none() : items[0];
  }
  PyObject* found = class_lookup(exception, name);
  return found ? bind_class_value(exception, name, found) : nullptr;
}

}  // namespace framejit::symbolic
