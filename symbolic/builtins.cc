// The index of all models of builtins, and which others are pure.
#include "symbolic/builtins.h"

#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "symbolic/py_ref.h"

namespace framejit::symbolic {
namespace {

/// Pure: of constants, the same result each time and no effect.
constexpr const char* kPure[] = {
    "builtins.abs",   "builtins.ascii",   "builtins.bin",       "builtins.chr", "builtins.divmod",
    "builtins.hex",   "builtins.oct",     "builtins.ord",       "builtins.pow", "builtins.round",
    "builtins.bytes", "builtins.complex", "builtins.sorted",    "builtins.min", "builtins.max",
    "builtins.sum",   "builtins.hash",    "builtins.issubclass"};
/// All their functions are pure.
constexpr const char* kPureModules[] = {"math", "cmath", "_operator"};
/// All their methods are pure: nothing of them can change.
PyTypeObject* const kPureTypes[] = {&PyUnicode_Type,   &PyLong_Type, &PyFloat_Type, &PyComplex_Type,
                                    &PyBytes_Type,     &PyBool_Type, &PyRange_Type, &PyTuple_Type,
                                    &PyFrozenSet_Type, &PySlice_Type};

}  // namespace

PyObject* resolve_builtin(const char* module, const char* path) {
  PyRef owner = PyRef::steal(PyImport_ImportModule(module));
  std::string rest = path;
  while (owner) {
    size_t dot = rest.find('.');
    std::string name = rest.substr(0, dot);
    PyRef found;
    if (PyType_Check(owner.get())) {  // the descriptor itself, unbound
      PyRef text = PyRef::steal(PyUnicode_InternFromString(name.c_str()));
      found = PyRef::borrow(_PyType_Lookup(reinterpret_cast<PyTypeObject*>(owner.get()), text.get()));
      // __new__ and class methods are called through their bound form.
      if (found && (Py_TYPE(found.get()) == &PyClassMethodDescr_Type || PyCFunction_Check(found.get())))
        found = PyRef::steal(PyObject_GetAttrString(owner.get(), name.c_str()));
    } else {
      found = PyRef::steal(PyObject_GetAttrString(owner.get(), name.c_str()));
    }
    owner = found;
    if (dot == std::string::npos) break;
    rest = rest.substr(dot + 1);
  }
  PyErr_Clear();
  return owner.release();  // lives as long as the process: a builtin
}

Builtin find_builtin(PyObject* callable) {
  // Made on first use and never freed: builtins live as long as the interpreter.
  static const auto* const models = [] {
    auto* table = new std::unordered_map<PyObject*, Builtin>;
    for (const BuiltinRow* rows : {kFunctionModels, kTypeModels, kListModels, kDictModels, kSetModels,
                                   kObjectModels, kOperatorModels, kGeneratorModels})
      for (; rows->path; ++rows)
        if (PyObject* object = resolve_builtin(rows->module, rows->path)) table->emplace(object, rows->model);
    return table;
  }();
  auto found = models->find(callable);
  return found == models->end() ? nullptr : found->second;
}

namespace {

/// What stands for a callable in the table: a class method is bound anew each time it is read.
std::pair<const void*, PyObject*> identity(PyObject* callable) {
  bool class_method = PyCFunction_Check(callable) && PyCFunction_GET_SELF(callable) &&
                      PyType_Check(PyCFunction_GET_SELF(callable));
  if (class_method)
    return {reinterpret_cast<PyCFunctionObject*>(callable)->m_ml, PyCFunction_GET_SELF(callable)};
  return {callable, nullptr};
}

}  // namespace

PyObject* find_in_python(PyObject* callable) {
  static const auto* const functions = [] {
    auto* table = new std::map<std::pair<const void*, PyObject*>, PyObject*>;
    PyRef module = PyRef::steal(PyImport_ImportModule("framejit.compiler.in_python"));
    PyRef rows = PyRef::steal(module ? PyObject_GetAttrString(module.get(), "IN_PYTHON") : nullptr);
    PyObject *original, *function;
    for (Py_ssize_t at = 0; rows && PyDict_Next(rows.get(), &at, &original, &function);)
      table->emplace(identity(original), Py_NewRef(function));
    PyErr_Clear();
    return table;
  }();
  auto found = functions->find(identity(callable));
  return found == functions->end() ? nullptr : found->second;
}

namespace {

/// A class of NumPy, where that has been imported; borrowed.
PyTypeObject* numpy_class(const char* name) {
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  PyRef found = PyRef::steal(module ? PyObject_GetAttrString(module, name) : nullptr);
  PyErr_Clear();
  return found && PyType_Check(found.get()) ? reinterpret_cast<PyTypeObject*>(found.get()) : nullptr;
}

bool is_from_numpy(PyTypeObject* type) { return !strncmp(type->tp_name, "numpy.", 6); }

}  // namespace

bool is_numpy_scalar(PyTypeObject* type) {
  if (!is_from_numpy(type)) return false;
  PyTypeObject* number = numpy_class("number");
  return number && PyType_IsSubtype(type, number);
}

bool is_numpy_ufunc(PyTypeObject* type) { return is_from_numpy(type) && type == numpy_class("ufunc"); }

bool is_in_python(PyObject* globals) {
  static PyObject* const module = PyImport_ImportModule("framejit.compiler.in_python");
  return module && globals == PyModule_GetDict(module);
}

bool is_pure(PyObject* callable) {
  static const auto* const pure = [] {
    auto* table = new std::unordered_map<PyObject*, bool>;
    for (const char* name : kPure) {
      const char* dot = strchr(name, '.');
      if (PyObject* object = resolve_builtin(std::string(name, dot).c_str(), dot + 1))
        table->emplace(object, true);
    }
    return table;
  }();
  if (pure->count(callable)) return true;
  PyTypeObject* type = Py_TYPE(callable);
  if (is_numpy_ufunc(type)) return true;
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type) {
    for (PyTypeObject* owner : kPureTypes)
      if (PyDescr_TYPE(callable) == owner) return true;
    return false;
  }
  if (!PyCFunction_Check(callable)) return false;
  PyObject* module = reinterpret_cast<PyCFunctionObject*>(callable)->m_module;
  if (!module || !PyUnicode_Check(module)) return false;
  for (const char* name : kPureModules)
    if (!PyUnicode_CompareWithASCIIString(module, name)) return true;
  return false;
}

bool is_output(PyObject* callable) {
  if (!PyCFunction_Check(callable)) return false;
  const char* name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
  return !strcmp(name, "print") || !strcmp(name, "write") || !strcmp(name, "flush");
}

}  // namespace framejit::symbolic
