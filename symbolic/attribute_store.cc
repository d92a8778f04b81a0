// Setting and deleting attributes.
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

bool is_slot(PyObject* descriptor) { return Py_TYPE(descriptor) == &PyMemberDescr_Type; }

}  // namespace

void Executor::write_instance_attribute(ObjectVar* object, PyObject* name, Var* value) {
  object->attributes.set(name, value);
  mutated();
  if (!object->existing()) return;
  if (value)
    effect(StepOp::attribute_set, {object, constant(name), value});
  else
    effect(StepOp::attribute_delete, {object, constant(name)});
}

void Executor::store_attribute(Var* owner, PyObject* name, Var* value) {
  auto text = [&] { return std::string(type_of(owner)->tp_name) + "." + PyUnicode_AsUTF8(name); };
  if (ObjectVar* object = as<ObjectVar>(owner)) {
    PyObject* real = object->real.get();
    if (real && PyType_Check(real))
      break_here(BreakId::unsupported_attribute, describe(owner) + "." + PyUnicode_AsUTF8(name));
    if (real && PyModule_Check(real)) return write_instance_attribute(object, name, value);
    return store_class_attribute(object, name, value);
  }
  if (TensorVar* tensor = as<TensorVar>(owner)) {
    // Only attributes of the user's own; those of the class (grad, requires_grad, data) change the tensor.
    if (!value || _PyType_Lookup(type_of(tensor), name)) break_here(BreakId::unsupported_attribute, text());
    tensor->attributes.set(name, value);
    effect(StepOp::attribute_set, {tensor, constant(name), value});
    return;
  }
  if (FunctionVar* function = as<FunctionVar>(owner)) {
    if (!value || PyUnicode_AsUTF8(name)[0] == '_') break_here(BreakId::unsupported_attribute, text());
    for (const auto& var : vars_)  // update_wrapper has copied what was there; here wrappers read on
      if (FunctionVar* other = as<FunctionVar>(var.get()); other && other->wrapped == function)
        break_here(BreakId::unsupported_attribute, text());
    function->attributes.set(name, value);
    effect(StepOp::attribute_set, {function, constant(name), value});
    return;
  }
  if (ExceptionVar* exception = as<ExceptionVar>(owner)) {
    // One that has a traceback never leaves the trace.
    if (value && value->kind == Kind::traceback && !PyUnicode_CompareWithASCIIString(name, "__traceback__"))
      return;
    if (!value || _PyType_Lookup(exception->type, name)) break_here(BreakId::unsupported_attribute, text());
    exception->attributes.set(name, value);
    mutated();
    return;
  }
  break_here(BreakId::unsupported_attribute, text());
}

/// An instance of a class: __setattr__, then data descriptors, then the instance dict.
void Executor::store_class_attribute(ObjectVar* object, PyObject* name, Var* value) {
  PyTypeObject* type = type_of(object);
  PyObject* method_name = interned(value ? "__setattr__" : "__delattr__");
  PyObject* setter = class_lookup(object, method_name);
  if (setter && PyFunction_Check(setter)) {
    std::vector<Var*> args{object, constant(name)};
    if (value) args.push_back(value);
    call(class_value(object, method_name, setter), {args, {}});
    return;
  }
  if (setter != _PyType_Lookup(&PyBaseObject_Type, method_name))
    break_here(BreakId::unsupported_attribute, std::string(type->tp_name) + "." + PyUnicode_AsUTF8(name));
  generic_store(object, name, value);
}

/// object.__setattr__ and object.__delattr__.
void Executor::generic_store(ObjectVar* object, PyObject* name, Var* value) {
  PyTypeObject* type = type_of(object);
  std::string text = std::string(type->tp_name) + "." + PyUnicode_AsUTF8(name);
  PyObject* found = class_lookup(object, name);
  bool is_data = found && Py_TYPE(found)->tp_descr_set;
  if (is_data && Py_TYPE(found) == &PyProperty_Type) {
    PyRef function = PyRef::steal(PyObject_GetAttrString(found, value ? "fset" : "fdel"));
    if (function.get() == Py_None)
      break_here(BreakId::raises, "AttributeError: " + text + " is a property without a setter");
    std::vector<Var*> args{object};
    if (value) args.push_back(value);
    call(existing(pin(function.get()), nullptr), {args, {}});
    return;
  }
  if (is_data && !is_slot(found)) {
    PyObject* method_name = interned(value ? "__set__" : "__delete__");
    PyObject* setter = _PyType_Lookup(Py_TYPE(found), method_name);
    if (!setter || !PyFunction_Check(setter)) break_here(BreakId::unsupported_attribute, text);
    std::vector<Var*> args{existing(found, nullptr), object};
    if (value) args.push_back(value);
    call(existing(setter, nullptr), {args, {}});
    return;
  }
  bool has_dict = type->tp_dictoffset != 0 || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT);
  if (!is_data && !has_dict) break_here(BreakId::raises, "AttributeError: " + text);
  if (!value) {
    Var* old = is_data ? find_slot_attribute(object, found) : find_instance_attribute(object, name);
    if (!old) raise(PyExc_AttributeError, PyUnicode_AsUTF8(name));
  }
  write_instance_attribute(object, name, value);
}

}  // namespace framejit::symbolic
