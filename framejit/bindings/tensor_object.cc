#include "framejit/bindings/tensor_object.h"

#include "eager/autograd/autograd.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

PyTypeObject* tensor_type = nullptr;

namespace {

using eager::TensorImpl;

/// What is kept of a Python object that died before its tensor.
struct Dormant {
  PyTypeObject* type;
  PyObject* dict;  // may be null
};

// A Dormant is told from a live object by the lowest bit of `py_object`.
bool is_dormant(void* py_object) { return (reinterpret_cast<uintptr_t>(py_object) & 1) != 0; }
Dormant* as_dormant(void* py_object) {
  return reinterpret_cast<Dormant*>(reinterpret_cast<uintptr_t>(py_object) & ~uintptr_t(1));
}
void* tagged(Dormant* dormant) { return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(dormant) | 1); }

void release_dormant(void* py_object) {
  // A live object owns its tensor, so only a Dormant can be left. At exit the interpreter may be gone
  // already.
  if (!is_dormant(py_object) || !Py_IsInitialized()) return;
  WithGil gil;
  Dormant* dormant = as_dormant(py_object);
  Py_XDECREF(dormant->dict);
  Py_DECREF(dormant->type);
  delete dormant;
}

// Memory of dead plain tensors, reused first. Guarded by the GIL.
constexpr int kPoolSize = 64;
PyTensor* pool[kPoolSize];
int pool_count = 0;

PyTensor* allocate(PyTypeObject* type) {
  if (type != tensor_type) {
    PyObject* object = type->tp_alloc(type, 0);
    if (!object) throw PythonError();
    return reinterpret_cast<PyTensor*>(object);
  }
  PyTensor* self;
  if (pool_count > 0) {
    self = pool[--pool_count];
    PyObject_Init(reinterpret_cast<PyObject*>(self), type);
  } else {
    self = PyObject_GC_New(PyTensor, type);
    if (!self) throw PythonError();
  }
  self->dict = nullptr;
  self->weakrefs = nullptr;
  return self;
}

PyObject* new_object(TensorImpl* impl, PyTypeObject* type, PyObject* dict_owned) {
  PyTensor* self = allocate(type);
  impl->retain();
  self->impl = impl;
  self->dict = dict_owned;
  impl->py_object = self;
  PyObject* object = reinterpret_cast<PyObject*>(self);
  if (dict_owned && !PyObject_GC_IsTracked(object)) PyObject_GC_Track(object);
  return object;
}

PyObject* wake(TensorImpl* impl) {
  Dormant* dormant = as_dormant(impl->py_object);
  PyObject* object = new_object(impl, dormant->type, dormant->dict);
  Py_DECREF(dormant->type);
  delete dormant;
  return object;
}

/// Detaches the tensor from its dying object; keeps what `wake` needs when C++ still holds the tensor.
void leave_tensor(PyTensor* self, PyTypeObject* type) {
  TensorImpl* impl = self->impl;
  if (!impl) return;
  bool worth_keeping = type != tensor_type || (self->dict && PyDict_GET_SIZE(self->dict) > 0);
  if (worth_keeping && impl->use_count() > 1) {
    Dormant* dormant = new Dormant{type, std::exchange(self->dict, nullptr)};
    Py_INCREF(type);
    impl->py_object = tagged(dormant);
  } else {
    impl->py_object = nullptr;
  }
  self->impl = nullptr;
  impl->release();
}

}  // namespace

eager::Tensor unwrap_checked(PyObject* object, const char* what) {
  if (!is_tensor(object))
    eager::fail(eager::ErrorType::type, what, " must be Tensor, not ", Py_TYPE(object)->tp_name);
  return unwrap(object);
}

PyObject* wrap(const eager::Tensor& tensor) { return wrap_as(tensor, tensor_type); }

PyObject* wrap_as(const eager::Tensor& tensor, PyTypeObject* type) {
  TensorImpl* impl = tensor.impl();
  if (!impl) Py_RETURN_NONE;
  if (!impl->py_object) return new_object(impl, type, nullptr);
  if (is_dormant(impl->py_object)) return wake(impl);
  return Py_NewRef(static_cast<PyObject*>(impl->py_object));
}

void tensor_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<PyTensor*>(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  leave_tensor(self, type);
  Py_CLEAR(self->dict);
  if (type == tensor_type && pool_count < kPoolSize)
    pool[pool_count++] = self;
  else
    type->tp_free(object);
  Py_DECREF(type);
}

int tensor_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  auto* self = reinterpret_cast<PyTensor*>(object);
  Py_VISIT(self->dict);
  if (!self->impl || self->impl->use_count() > 1) return 0;
  // Hooks, and what a custom function keeps, may refer back to this object.
  int status = 0;
  eager::visit_python(*self->impl, [&](void* held) {
    if (!status) status = visit(static_cast<PyObject*>(held), arg);
  });
  return status;
}

int tensor_clear(PyObject* object) {
  auto* self = reinterpret_cast<PyTensor*>(object);
  // C++ still holds the tensor, so the attributes will be seen again; the cycle ends with the tensor.
  if (self->impl && self->impl->use_count() > 1) return 0;
  if (self->impl) eager::clear_python(*self->impl);
  Py_CLEAR(self->dict);
  return 0;
}

int tensor_setattro(PyObject* self, PyObject* name, PyObject* value) {
  if (!PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
  return PyObject_GenericSetAttr(self, name, value);
}

PyObject* tensor_get_dict(PyObject* self, void* context) {
  if (!PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
  return PyObject_GenericGetDict(self, context);
}

void init_tensor_object() { eager::set_py_releaser(release_dormant); }

}  // namespace framejit::bindings
