// The Python object of a tensor.
//
// One TensorImpl has at most one Python object at a time, and it is always "the same": when the last Python
// reference goes while C++ still holds the tensor (a saved value, a parameter inside a graph), what makes the
// object more than a plain handle - its subclass and its attributes - stays behind in `TensorImpl::py_object`
// (a `Dormant`), and `wrap` makes the object again from it. A plain Tensor without attributes has nothing to
// keep. Weak references end with the object.
//
// A plain tensor without attributes cannot be part of a reference cycle, so it is not tracked by the garbage
// collector until it gets an attribute, a hook, or a custom function as its history.
#pragma once

#include <Python.h>

#include "eager/tensor.h"

namespace framejit::bindings {

struct PyTensor {
  PyObject_HEAD eager::TensorImpl* impl;  ///< owned, never null in an object that Python code can see
  PyObject* dict;
  PyObject* weakrefs;
};

/// The type `framejit.Tensor`; valid once the module is initialised.
extern PyTypeObject* tensor_type;

inline bool is_plain_tensor(PyObject* object) { return Py_IS_TYPE(object, tensor_type); }
inline bool is_tensor(PyObject* object) {
  return is_plain_tensor(object) || PyType_IsSubtype(Py_TYPE(object), tensor_type);
}
/// Borrowed. The caller has checked `is_tensor`.
inline eager::TensorImpl* impl_of(PyObject* object) { return reinterpret_cast<PyTensor*>(object)->impl; }
inline eager::Tensor unwrap(PyObject* object) {
  return eager::Tensor(eager::Ref<eager::TensorImpl>(impl_of(object)));
}
/// As unwrap, with a TypeError naming `what` when the object is no tensor.
eager::Tensor unwrap_checked(PyObject* object, const char* what);

/// New reference to the object of `tensor`; None when it is undefined. Throws PythonError.
PyObject* wrap(const eager::Tensor& tensor);
/// As wrap, of class `type` when the tensor has no object yet.
PyObject* wrap_as(const eager::Tensor& tensor, PyTypeObject* type);

// Slots of the type (tensor_type.cc).
void tensor_dealloc(PyObject* self);
int tensor_traverse(PyObject* self, visitproc visit, void* arg);
int tensor_clear(PyObject* self);
int tensor_setattro(PyObject* self, PyObject* name, PyObject* value);
PyObject* tensor_get_dict(PyObject* self, void*);

/// Registers the hook through which a dying TensorImpl gives its `Dormant` back.
void init_tensor_object();

}  // namespace framejit::bindings
