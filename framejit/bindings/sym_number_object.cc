// SymNumber, and what the constant types share.
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

PyTypeObject* sym_number_type = nullptr;

namespace {

struct PySymNumber {
  PyObject_HEAD eager::Value value;
};

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<PySymNumber*>(self)->value.~Value();
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}, {0, nullptr}};
PyType_Spec spec = {"framejit._C._SymNumber", sizeof(PySymNumber), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* new_sym_number(const eager::Value& number) {
  auto* object = PyObject_New(PySymNumber, sym_number_type);
  if (!object) throw PythonError();
  new (&object->value) eager::Value(number);
  return reinterpret_cast<PyObject*>(object);
}

const eager::Value& sym_number_value(PyObject* object) {
  return reinterpret_cast<PySymNumber*>(object)->value;
}

PyTypeObject* make_type(PyType_Spec& spec, PyTypeObject* base) {
  PyRef bases = base ? checked(PyTuple_Pack(1, base)) : PyRef();
  return reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpecWithBases(&spec, bases.get())).release());
}

void add_to_module(PyObject* module, const char* name, PyObject* borrowed) {
  check_status(PyModule_AddObjectRef(module, name, borrowed));
}

PyObject* add_submodule(PyObject* module, const std::string& name) {
  PyObject* submodule = PyImport_AddModule(("framejit._C." + name).c_str());
  if (!submodule) throw PythonError();
  add_to_module(module, name.c_str(), submodule);
  return submodule;
}

void init_sym_number() { sym_number_type = make_type(spec); }

void init_constant_types(PyObject* module) {
  init_sym_number();
  init_dtype(module);
  init_device(module);
  init_size(module);
}

}  // namespace framejit::bindings
