// Attributes: CPython's lookup rules, followed symbolically.
//
// A class attribute is found through the MRO and guarded by place (`class_attribute` sources); the instance
// dict is read entry by entry. Properties, descriptors and __getattr__ written in Python are inlined.

#include <Python.h>
#include <structmember.h>

#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

PyObject* interned(const char* text) {
  // Kept for the life of the process; there are as many as call sites.
  return PyUnicode_InternFromString(text);
}

bool is_plain_function_like(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type;
}

/// The PyMemberDef of a __slots__ entry, or null.
PyMemberDef* object_member(PyObject* descriptor) {
  if (Py_TYPE(descriptor) != &PyMemberDescr_Type) return nullptr;
  PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
  return member->type == T_OBJECT_EX || member->type == T_OBJECT ? member : nullptr;
}

/// How CPython names the class of an object without attribute `name`: an empty slot names it in full
/// since 3.13.
std::string class_name_in_error(PyTypeObject* type, PyObject* name) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* found = _PyType_Lookup(type, name);
  if (found && object_member(found)) {
    PyRef full = PyRef::steal(PyType_GetFullyQualifiedName(type));
    if (full) return PyUnicode_AsUTF8(full.get());
    PyErr_Clear();
  }
#endif
  return type->tp_name;
}

bool is_attribute_error(const RaiseError& error) {
  return PyType_IsSubtype(error.exception->type, reinterpret_cast<PyTypeObject*>(PyExc_AttributeError));
}

}  // namespace

PyObject* Executor::class_lookup(Var* owner, PyObject* name) {
  PyTypeObject* type = type_of(owner);
  PyObject* found = _PyType_Lookup(type, name);
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return found;  // classes written in C do not change
  // All instances of a class share one guard.
  const Source* class_source = sources().constant(reinterpret_cast<PyObject*>(type), type->tp_name);
  const Source* place = owner->existing() && owner->source ? sources().class_attribute(owner->source, name)
                                                           : sources().type_attribute(class_source, name);
  if (!class_facts_.insert({type, name}).second) return found;
  pin(reinterpret_cast<PyObject*>(type));
  if (!found)
    guards_.absent(place);
  else if (PyFunction_Check(found) || Py_TYPE(found)->tp_descr_get || PyType_Check(found))
    guards_.identity(place, found);
  return found;
}

Var* Executor::class_value(Var* owner, PyObject* name, PyObject* found) {
  PyTypeObject* type = type_of(owner);
  if (PyFunction_Check(found) || !(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return existing(found, nullptr);
  const Source* place = owner->existing() && owner->source
                            ? sources().class_attribute(owner->source, name)
                            : sources().type_attribute(
                                  sources().constant(reinterpret_cast<PyObject*>(type), type->tp_name), name);
  return existing(found, place);
}

Var* Executor::load_attribute(Var* owner, PyObject* name) {
  if (Var* found = find_attribute(owner, name)) return found;
  raise(PyExc_AttributeError, "'" + class_name_in_error(type_of(owner), name) +
                                  "' object has no attribute '" + PyUnicode_AsUTF8(name) + "'");
}

Var* Executor::find_attribute(Var* owner, PyObject* name) {
  switch (owner->kind) {
    case Kind::null:
      break_here(BreakId::unknown_object, "an attribute of NULL");
    case Kind::tensor:
      return load_tensor_attribute(static_cast<TensorVar*>(owner), name);
    case Kind::super:
      return find_super_attribute(static_cast<SuperVar*>(owner), name);
    case Kind::function:
      return find_function_attribute(static_cast<FunctionVar*>(owner), name);
    case Kind::method:
      return find_method_attribute(static_cast<MethodVar*>(owner), name);
    case Kind::partial:
      return find_partial_attribute(static_cast<PartialVar*>(owner), name);
    case Kind::exception:
      return find_exception_attribute(static_cast<ExceptionVar*>(owner), name);
    case Kind::object: {
      auto* object = static_cast<ObjectVar*>(owner);
      PyObject* real = object->real.get();
      if (real && PyModule_Check(real)) return find_module_attribute(object, name);
      if (real && PyType_Check(real)) return find_type_attribute(object, name);
      return find_object_attribute(object, name);
    }
    default:
      return find_builtin_attribute(owner, name);
  }
}

/// Of numbers, strings, containers: methods written in C, and attributes that are constants.
Var* Executor::find_builtin_attribute(Var* owner, PyObject* name) {
  PyTypeObject* type = type_of(owner);
  PyObject* found = class_lookup(owner, name);
  if (!found) return nullptr;
  if (is_plain_function_like(found)) return method(constant(found), owner);
  if (TupleVar* tuple = as<TupleVar>(owner); tuple && type != &PyTuple_Type)
    return find_tuple_attribute(tuple, name, found);
  if (SliceVar* slice = as<SliceVar>(owner)) {
    for (int i = 0; i < 3; ++i)
      if (!PyUnicode_CompareWithASCIIString(name, i == 0 ? "start" : i == 1 ? "stop" : "step"))
        return slice->parts[i];
  }
  if (PyObject* value = as_constant(owner)) return steal_constant(PyObject_GetAttr(value, name));
  if (PyFunction_Check(found)) return method(class_value(owner, name, found), owner);
  break_here(BreakId::unsupported_attribute, std::string(type->tp_name) + "." + PyUnicode_AsUTF8(name));
}

/// Of named tuples: fields are descriptors over the position, or members of the C object where an op returned it; the
/// rest is Python.
Var* Executor::find_tuple_attribute(TupleVar* tuple, PyObject* name, PyObject* found) {
  if (const PyMemberDef* member = object_member(found)) {
    load_items(tuple);
    const size_t offset = size_t(member->offset) - offsetof(PyTupleObject, ob_item);
    return tuple->items.at(offset / sizeof(PyObject*));
  }
  const char* type_name = Py_TYPE(found)->tp_name;  // of _collections in 3.11, of collections later
  if (const char* dot = strrchr(type_name, '.'); dot && !strcmp(dot, "._tuplegetter")) {
    load_items(tuple);
    PyRef reduced = PyRef::steal(PyObject_CallMethod(found, "__reduce__", nullptr));
    PyObject* index = reduced ? PyTuple_GetItem(PyTuple_GET_ITEM(reduced.get(), 1), 0) : nullptr;
    if (index) return tuple->items.at(size_t(PyLong_AsSize_t(index)));
    PyErr_Clear();
  }
  return bind_class_value(tuple, name, found);
}

/// What `owner.name` gives for the class attribute `found`: descriptors are applied.
Var* Executor::bind_class_value(Var* owner, PyObject* name, PyObject* found) {
  if (PyFunction_Check(found)) return method(class_value(owner, name, found), owner);
  if (is_plain_function_like(found)) return method(constant(found), owner);
  PyTypeObject* kind = Py_TYPE(found);
  if (kind == &PyStaticMethod_Type || kind == &PyClassMethod_Type) {
    PyRef inner = PyRef::steal(PyObject_GetAttrString(found, "__func__"));
    Var* function = existing(pin(inner.get()), nullptr);
    return kind == &PyStaticMethod_Type ? function : method(function, class_of(owner));
  }
  if (kind == &PyProperty_Type) {
    PyRef getter = PyRef::steal(PyObject_GetAttrString(found, "fget"));
    if (getter.get() == Py_None) raise(PyExc_AttributeError, "unreadable attribute");
    return call(existing(pin(getter.get()), nullptr), {{owner}, {}});
  }
  if (object_member(found)) return find_slot_attribute(owner, found);
  if (!kind->tp_descr_get) return class_value(owner, name, found);
  if (PyObject* getter = _PyType_Lookup(kind, interned("__get__")); getter && PyFunction_Check(getter)) {
    Var* descriptor = existing(found, nullptr);
    return call(existing(getter, nullptr), {{descriptor, owner, class_of(owner)}, {}});
  }
  if (found == object_class_descriptor(name)) return class_of(owner);
  if (request_.compiled_target && request_.compiled_target(found))
    return method(class_value(owner, name, found), owner);
  const bool unchanging = front_end().is_constant_type(type_of(owner)) || is_numpy_scalar(type_of(owner));
  if (unchanging && kind == &PyGetSetDescr_Type)  // device.type, dtype.itemsize
    if (PyObject* value = as_constant(owner)) return steal_constant(PyObject_GetAttr(value, name));
  break_here(BreakId::unsupported_attribute,
             std::string(type_of(owner)->tp_name) + "." + PyUnicode_AsUTF8(name));
}

Var* Executor::class_of(Var* owner) {
  PyTypeObject* type = type_of(owner);
  return existing(pin(reinterpret_cast<PyObject*>(type)), nullptr);
}

/// The `__class__` descriptor of object, when that is the name.
PyObject* Executor::object_class_descriptor(PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "__class__")) return nullptr;
  return _PyType_Lookup(&PyBaseObject_Type, name);
}

/// A __slots__ entry.
Var* Executor::find_slot_attribute(Var* owner, PyObject* descriptor) {
  PyObject* name = PyDescr_NAME(descriptor);
  ObjectVar* object = as<ObjectVar>(owner);
  if (!object) break_here(BreakId::unsupported_attribute, PyUnicode_AsUTF8(name));
  if (Var** found = object->attributes.find(name)) return *found;
  if (!object->existing()) return nullptr;
  PyRef value = PyRef::steal(PyObject_GetAttr(object->real.get(), name));
  const Source* place = sources().member(source_of(object), descriptor);
  if (!place) break_here(BreakId::unsupported_attribute, PyUnicode_AsUTF8(name));
  Var* result = nullptr;
  if (value) {
    result = existing(value.get(), place);
  } else {
    PyErr_Clear();
    guards_.absent(place);
  }
  object->attributes.set(name, result);
  return result;
}

Var* Executor::find_instance_attribute(ObjectVar* object, PyObject* name) {
  if (Var** found = object->attributes.find(name)) return *found;
  if (!object->existing()) return nullptr;
  PyObject* real = object->real.get();
  Var* result = nullptr;
  if (Py_TYPE(real)->tp_dictoffset != 0 || (Py_TYPE(real)->tp_flags & Py_TPFLAGS_MANAGED_DICT)) {
    const Source* place = sources().attribute(source_of(object), name);
    PyRef attributes = PyRef::steal(PyObject_GenericGetDict(real, nullptr));
    PyObject* value = attributes ? PyDict_GetItemWithError(attributes.get(), name) : nullptr;
    PyErr_Clear();
    if (value)
      result = existing(value, place);
    else
      guards_.absent(place);
  }
  object->attributes.set(name, result);
  return result;
}

/// getattr(owner, name, default): AttributeError of code written in Python counts as missing.
Var* Executor::attribute_or_null(Var* owner, PyObject* name) {
  try {
    return find_attribute(owner, name);
  } catch (RaiseError& error) {
    if (!is_attribute_error(error)) throw;
    return nullptr;
  }
}

/// Instances of classes: object.__getattribute__, then __getattr__.
Var* Executor::find_object_attribute(ObjectVar* object, PyObject* name) {
  PyTypeObject* type = type_of(object);
  PyObject* getattribute = _PyType_Lookup(type, interned("__getattribute__"));
  static PyObject* const generic = _PyType_Lookup(&PyBaseObject_Type, interned("__getattribute__"));
  if (getattribute != generic) {
    if (getattribute && PyFunction_Check(getattribute))
      break_here(BreakId::unsupported_attribute, std::string(type->tp_name) + ".__getattribute__");
    return find_builtin_attribute(object, name);
  }
  PyObject* getattr = class_lookup(object, interned("__getattr__"));
  try {
    if (Var* found = generic_load(object, name)) return found;
  } catch (RaiseError& error) {  // of a property; __getattr__ has the last word
    if (!getattr || !is_attribute_error(error)) throw;
  }
  if (getattr)
    return call(class_value(object, interned("__getattr__"), getattr), {{object, constant(name)}, {}});
  return nullptr;
}

Var* Executor::generic_load(ObjectVar* object, PyObject* name) {
  PyObject* found = class_lookup(object, name);
  bool is_data = found && Py_TYPE(found)->tp_descr_get && Py_TYPE(found)->tp_descr_set;
  if (is_data && !PyUnicode_CompareWithASCIIString(name, "__dict__")) return instance_dict(object);
  if (is_data) return bind_class_value(object, name, found);
  if (Var* value = find_instance_attribute(object, name)) return value;
  return found ? bind_class_value(object, name, found) : nullptr;
}

/// `obj.__dict__`: a dict whose entries are the object's attributes.
Var* Executor::instance_dict(ObjectVar* object) {
  if (!object->dict_view) {
    object->dict_view = dict();
    object->dict_view->view_of = object;
  }
  return object->dict_view;
}

Var* Executor::find_module_attribute(ObjectVar* module, PyObject* name) {
  if (Var* value = find_instance_attribute(module, name)) return value;
  if (PyUnicode_CompareWithASCIIString(name, "__dict__") == 0) {
    guards_.identity(source_of(module), module->real.get());
    return existing(PyModule_GetDict(module->real.get()), nullptr);
  }
  if (Py_TYPE(module->real.get()) != &PyModule_Type)
    break_here(BreakId::unsupported_attribute, describe(module));
  if (Var* getattr = find_instance_attribute(module, interned("__getattr__")))
    return call(getattr, {{constant(name)}, {}});
  return nullptr;
}

/// Attributes of a class itself.
Var* Executor::find_type_attribute(ObjectVar* owner, PyObject* name) {
  PyObject* real = as_constant(owner);
  auto* type = reinterpret_cast<PyTypeObject*>(real);
  PyObject* in_meta = _PyType_Lookup(Py_TYPE(type), name);
  if (in_meta && Py_TYPE(in_meta)->tp_descr_set) {  // __name__, __mro__, __dict__, ...
    if (Py_TYPE(in_meta) == &PyProperty_Type || !PyUnicode_CompareWithASCIIString(name, "__dict__"))
      break_here(BreakId::unsupported_attribute, std::string(type->tp_name) + "." + PyUnicode_AsUTF8(name));
    PyRef value = PyRef::steal(PyObject_GetAttr(real, name));
    if (!value) raise_pending();
    return existing(value.get(), nullptr);
  }
  PyObject* found = _PyType_Lookup(type, name);
  const Source* place = sources().type_attribute(source_of(owner), name);
  if (!found) {
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) guards_.absent(place);
    if (in_meta && (PyFunction_Check(in_meta) || is_plain_function_like(in_meta)))
      return method(existing(in_meta, nullptr), owner);
    if (_PyType_Lookup(Py_TYPE(type), interned("__getattr__")))
      break_here(BreakId::unsupported_attribute, std::string(type->tp_name) + "." + PyUnicode_AsUTF8(name));
    return nullptr;
  }
  PyTypeObject* kind = Py_TYPE(found);
  bool heap = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
  if (Var** written = owner->attributes.find(name)) return *written;
  if (kind == &PyStaticMethod_Type || kind == &PyClassMethod_Type) {
    if (heap) guards_.identity(place, found);
    PyRef inner = PyRef::steal(PyObject_GetAttrString(found, "__func__"));
    Var* function = existing(pin(inner.get()), nullptr);
    return kind == &PyStaticMethod_Type ? function : method(function, owner);
  }
  if (PyFunction_Check(found)) return heap ? existing(found, place) : existing(found, nullptr);
  if (kind == &PyClassMethodDescr_Type) {  // dict.fromkeys
    PyRef bound = PyRef::steal(PyObject_GetAttr(real, name));
    return existing(pin(bound.get()), nullptr);
  }
  if (kind->tp_descr_get && !is_plain_function_like(found)) {
    if (heap) guards_.identity(place, found);
    PyRef value = PyRef::steal(PyObject_GetAttr(real, name));
    if (value.get() == found) return existing(found, nullptr);  // property, slot: themselves
    PyErr_Clear();
    break_here(BreakId::unsupported_attribute, std::string(type->tp_name) + "." + PyUnicode_AsUTF8(name));
  }
  return heap ? existing(found, place) : existing(found, nullptr);
}

/// `super().name`.
Var* Executor::find_super_attribute(SuperVar* super, PyObject* name) {
  PyTypeObject* type =
      super->self_is_class ? reinterpret_cast<PyTypeObject*>(as_constant(super->self)) : type_of(super->self);
  PyObject* mro = type->tp_mro;
  Py_ssize_t i = 0, count = PyTuple_GET_SIZE(mro);
  while (i < count && PyTuple_GET_ITEM(mro, i) != reinterpret_cast<PyObject*>(super->after)) ++i;
  for (++i; i < count; ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
    PyRef attributes = PyRef::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(base), "__dict__"));
    PyRef found = PyRef::steal(attributes ? PyObject_GetItem(attributes.get(), name) : nullptr);
    if (!found) {
      PyErr_Clear();
      continue;
    }
    // The class that provides it is fixed by the type; that it still does is guarded there.
    if (base->tp_flags & Py_TPFLAGS_HEAPTYPE)
      guards_.identity(sources().type_attribute(
                           sources().constant(reinterpret_cast<PyObject*>(base), base->tp_name), name),
                       found.get());
    pin(found.get());
    if (super->self_is_class) {
      PyTypeObject* kind = Py_TYPE(found.get());
      if (kind != &PyClassMethod_Type && kind != &PyStaticMethod_Type) return existing(found.get(), nullptr);
      PyRef inner = PyRef::steal(PyObject_GetAttrString(found.get(), "__func__"));
      Var* function = existing(pin(inner.get()), nullptr);
      return kind == &PyStaticMethod_Type ? function : method(function, super->self);
    }
    if (!Py_TYPE(found.get())->tp_descr_get) return existing(found.get(), nullptr);
    return bind_class_value(super->self, name, found.get());
  }
  return nullptr;
}

Var* Executor::find_special(Var* owner, const char* name) {
  PyObject* text = interned(name);
  PyObject* found = class_lookup(owner, text);
  return found ? bind_class_value(owner, text, found) : nullptr;
}

}  // namespace framejit::symbolic
