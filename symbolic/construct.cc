// Making instances: `Cls(...)` for classes written in Python, exceptions, and what their __new__ and __init__
// in C do.
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

PyObject* lookup(PyTypeObject* type, const char* name) {
  PyRef text = PyRef::steal(PyUnicode_InternFromString(name));
  return _PyType_Lookup(type, text.get());
}

bool is_exception(PyTypeObject* type) {
  return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException));
}

/// Instances are plain objects: no class on the way to `object` has a __new__ in C or is a builtin.
bool is_made_by_object(PyTypeObject* type) {
  for (; type->tp_flags & Py_TPFLAGS_HEAPTYPE; type = type->tp_base) {
    if (type->tp_new == PyBaseObject_Type.tp_new) continue;
    PyObject* maker = lookup(type, "__new__");
    if (!maker || Py_TYPE(maker) != &PyStaticMethod_Type) return false;
  }
  return type == &PyBaseObject_Type;
}

}  // namespace

Var* Executor::construct(PyTypeObject* type, const CallArgs& args) {
  if (front_end().is_tensor_type(type)) break_here(BreakId::unknown_call, type->tp_name);
  if (Py_TYPE(type)->tp_call != PyType_Type.tp_call) {  // what the metaclass makes of the class
    PyObject* own = lookup(Py_TYPE(type), "__call__");
    if (!own || !PyFunction_Check(own)) break_here(BreakId::unknown_call, type->tp_name);
    CallArgs with_class = args;
    with_class.positional.insert(with_class.positional.begin(),
                                 existing(pin(reinterpret_cast<PyObject*>(type)), nullptr));
    return call(existing(pin(own), nullptr), with_class);
  }
  if (type->tp_finalize && lookup(type, "__del__"))
    break_here(BreakId::unknown_object, std::string(type->tp_name) + " with __del__");
  if (type->tp_flags & Py_TPFLAGS_IS_ABSTRACT)
    break_here(BreakId::raises, std::string("TypeError: abstract class ") + type->tp_name);

  Var* cls = existing(pin(reinterpret_cast<PyObject*>(type)), nullptr);
  PyObject* maker = lookup(type, "__new__");
  Var* instance = nullptr;
  if (maker && Py_TYPE(maker) == &PyStaticMethod_Type) {
    PyRef function = PyRef::steal(PyObject_GetAttrString(maker, "__func__"));
    CallArgs with_class = args;
    with_class.positional.insert(with_class.positional.begin(), cls);
    instance = call(existing(pin(function.get()), nullptr), with_class);
    if (!PyType_IsSubtype(type_of(instance), type)) return instance;
  } else {
    instance = make_instance(type, args);
  }
  if (!instance) break_here(BreakId::unknown_call, type->tp_name);
  PyObject* init = class_lookup(instance, constant_string("__init__"));
  if (init && PyFunction_Check(init)) {
    CallArgs with_self = args;
    with_self.positional.insert(with_self.positional.begin(), instance);
    call(existing(init, nullptr), with_self);
  } else if (init == lookup(&PyBaseObject_Type, "__init__") && !is_exception(type) &&
             (args.size() || !args.plain()) && !(maker && Py_TYPE(maker) == &PyStaticMethod_Type)) {
    break_here(BreakId::raises, std::string("TypeError: ") + type->tp_name + "() takes no arguments");
  } else if (init && is_exception(type)) {
    if (!args.plain()) break_here(BreakId::unknown_call, type->tp_name);
  } else if (init && init != lookup(&PyBaseObject_Type, "__init__")) {
    break_here(BreakId::unknown_call, std::string(type->tp_name) + ".__init__");
  }
  return instance;
}

/// What object.__new__ and BaseException.__new__ make; null when the class derives from another builtin.
Var* Executor::make_instance(PyTypeObject* type, const CallArgs& args) {
  pin(reinterpret_cast<PyObject*>(type));
  if (is_exception(type)) {
    // Those with C state of their own (OSError, SystemExit, UnicodeError, ...) are left to the interpreter.
    if (type->tp_new != reinterpret_cast<PyTypeObject*>(PyExc_Exception)->tp_new) return nullptr;
    return make_exception(type, args.positional);
  }
  if (!is_made_by_object(type)) return nullptr;
  ObjectVar* var = make<ObjectVar>();
  var->type = type;
  var->type_guarded = true;
  return var;
}

}  // namespace framejit::symbolic
