// How each kind of source is loaded: one switch, inlined into the program loop. Borrowed results; null for
// "nothing".
#pragma once

#include <Python.h>

#include "guards/guard.h"

namespace framejit::guards {

/// The value of `key` in a dict, or null. A hash collision with an exotic key may raise; that counts as
/// nothing.
inline PyObject* dict_value(PyObject* dict, PyObject* key, Py_hash_t hash) {
  PyObject* value = _PyDict_GetItem_KnownHash(dict, key, hash);
  if (!value && PyErr_Occurred()) PyErr_Clear();
  return value;
}

inline PyObject* instance_attribute(PyObject* object, PyObject* name, Py_hash_t hash) {
  PyObject** dict = _PyObject_GetDictPtr(object);
  return dict && *dict ? dict_value(*dict, name, hash) : nullptr;
}

inline PyObject* free_variable(PyObject* function, int64_t index) {
  if (!function) return nullptr;
  PyObject* closure = PyFunction_GET_CLOSURE(function);
  if (!closure || index >= PyTuple_GET_SIZE(closure)) return nullptr;
  return PyCell_GET(PyTuple_GET_ITEM(closure, index));
}

inline PyObject* sequence_item(PyObject* object, int64_t index) {
  if (PyTuple_Check(object))
    return index < PyTuple_GET_SIZE(object) ? PyTuple_GET_ITEM(object, index) : nullptr;
  if (PyList_Check(object)) return index < PyList_GET_SIZE(object) ? PyList_GET_ITEM(object, index) : nullptr;
  return nullptr;
}

/// `object` is the name or key, the constant, or the owner type of a member; `base` is null for roots.
inline PyObject* load_one(SourceKind kind, PyObject* base, int64_t index, PyObject* object, Py_hash_t hash,
                          const FrameValues& frame) {
  switch (kind) {
    case SourceKind::local:
      return frame.localsplus[index];
    case SourceKind::cell: {
      PyObject* cell = frame.localsplus[index];
      return cell && PyCell_Check(cell) ? PyCell_GET(cell) : nullptr;
    }
    case SourceKind::stack:
      return index < frame.stack_depth ? frame.stack[index] : nullptr;
    case SourceKind::function:
      return frame.function;
    case SourceKind::free:
      return free_variable(frame.function, index);
    case SourceKind::global:
      return dict_value(frame.globals, object, hash);
    case SourceKind::builtin:
      return PyDict_Check(frame.builtins) ? dict_value(frame.builtins, object, hash) : nullptr;
    case SourceKind::globals:
      return frame.globals;
    case SourceKind::constant:
      return object;
    default:
      break;
  }
  if (!base) return nullptr;
  switch (kind) {
    case SourceKind::attribute:
      return instance_attribute(base, object, hash);
    case SourceKind::member:
      if (!PyObject_TypeCheck(base, reinterpret_cast<PyTypeObject*>(object))) return nullptr;
      return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(base) + index);
    case SourceKind::class_attribute:
      return _PyType_Lookup(Py_TYPE(base), object);
    case SourceKind::type_attribute:
      return PyType_Check(base) ? _PyType_Lookup(reinterpret_cast<PyTypeObject*>(base), object) : nullptr;
    case SourceKind::type_of:
      return reinterpret_cast<PyObject*>(Py_TYPE(base));
    case SourceKind::cell_contents:
      return PyCell_Check(base) ? PyCell_GET(base) : nullptr;
    case SourceKind::item:
      return sequence_item(base, index);
    case SourceKind::key:
      return PyDict_Check(base) ? dict_value(base, object, hash) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace framejit::guards
