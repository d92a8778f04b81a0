// dtype: `framejit.float32` and the others.
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

PyTypeObject* dtype_type = nullptr;

namespace {

struct PyDType {
  PyObject_HEAD eager::DType dtype;
};
PyObject* objects[eager::kDTypeCount];

eager::DType value_of(PyObject* self) { return reinterpret_cast<PyDType*>(self)->dtype; }

/// "bool_" is an identifier of C++ only.
const char* python_name(eager::DType dtype) { return eager::dtype_name(dtype); }

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("framejit.%s", python_name(value_of(self))); }

/// Pickled and copied as a name in this package.
PyObject* reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(python_name(value_of(self))); }

PyObject* get_is_floating_point(PyObject* self, void*) {
  return PyBool_FromLong(eager::is_floating(value_of(self)));
}
PyObject* get_is_complex(PyObject* self, void*) { return PyBool_FromLong(eager::is_complex(value_of(self))); }
PyObject* get_is_signed(PyObject* self, void*) { return PyBool_FromLong(eager::is_signed(value_of(self))); }
/// The real type of the parts; the type itself if it is real.
PyObject* to_real(PyObject* self, PyObject*) {
  return Py_NewRef(dtype_object(eager::real_type(value_of(self))));
}
PyObject* to_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    const eager::DType dtype = value_of(self);
    FRAMEJIT_CHECK(eager::is_inexact(dtype),
                   "Expected a floating point or complex dtype, but got dtype=", eager::dtype_name(dtype));
    return Py_NewRef(dtype_object(eager::complex_type(dtype)));
  });
}
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(eager::item_size(value_of(self))); }
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("framejit"); }

PyGetSetDef getset[] = {
    {"is_floating_point", get_is_floating_point, nullptr, "holds real numbers with a fraction", nullptr},
    {"is_complex", get_is_complex, nullptr, "holds complex numbers", nullptr},
    {"is_signed", get_is_signed, nullptr, "holds negative values", nullptr},
    {"itemsize", get_itemsize, nullptr, "bytes per element", nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {"to_real", to_real, METH_NOARGS, "The type of real and imaginary part."},
                         {"to_complex", to_complex, METH_NOARGS, "The complex type with parts of this type."},
                         {}};
PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_getset, getset},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("The type of a tensor's elements.")},
                       {0, nullptr}};
PyType_Spec spec = {"framejit.dtype", sizeof(PyDType), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* dtype_object(eager::DType dtype) { return objects[int(dtype)]; }

bool read_dtype(PyObject* object, eager::DType* dtype) {
  if (is_dtype(object))
    *dtype = value_of(object);
  else if (object == reinterpret_cast<PyObject*>(&PyFloat_Type))
    *dtype = eager::default_dtype();
  else if (object == reinterpret_cast<PyObject*>(&PyLong_Type))
    *dtype = eager::DType::int64;
  else if (object == reinterpret_cast<PyObject*>(&PyBool_Type))
    *dtype = eager::DType::bool_;
  else if (object == reinterpret_cast<PyObject*>(&PyComplex_Type))
    *dtype = eager::complex_type(eager::default_dtype());
  else
    return false;
  return true;
}

void init_dtype(PyObject* module) {
  dtype_type = make_type(spec);
  add_to_module(module, "dtype", reinterpret_cast<PyObject*>(dtype_type));
  for (int i = 0; i < eager::kDTypeCount; ++i) {
    auto* object = PyObject_New(PyDType, dtype_type);
    if (!object) throw PythonError();
    object->dtype = eager::DType(i);
    objects[i] = reinterpret_cast<PyObject*>(object);
    add_to_module(module, python_name(object->dtype), objects[i]);
  }
}

}  // namespace framejit::bindings
