// UntypedStorage: the memory behind tensors, as bytes. Saving, pickling and sharing between processes are
// built on it in Python (framejit/storage.py).
#include <Python.h>
#include <structmember.h>

#include <memory>
#include <unordered_map>

#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/module.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/storage_object.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Dims;
using eager::Ref;
using eager::Storage;
using eager::Tensor;

PyTypeObject* storage_type = nullptr;

struct PyStorage {
  PyObject_HEAD Storage* storage;  // owned
  PyObject* weak_references;
};

Storage& storage_of(PyObject* self) { return *reinterpret_cast<PyStorage*>(self)->storage; }

/// One object per storage while it lives, so that `is`, and with it the memo of pickle, tell shared memory.
/// Guarded by the GIL.
std::unordered_map<Storage*, PyObject*>& living_objects() {
  static auto& objects = *new std::unordered_map<Storage*, PyObject*>;
  return objects;
}

PyObject* new_storage(Ref<Storage> storage, PyTypeObject* type) {
  auto* object = PyObject_New(PyStorage, type);
  if (!object) throw PythonError();
  object->weak_references = nullptr;
  object->storage = storage.detach();
  living_objects()[object->storage] = reinterpret_cast<PyObject*>(object);
  return reinterpret_cast<PyObject*>(object);
}

/// A writable, contiguous buffer, released by whichever thread drops the storage.
struct HeldBuffer {
  Py_buffer view;
  explicit HeldBuffer(PyObject* owner) { check_status(PyObject_GetBuffer(owner, &view, PyBUF_WRITABLE)); }
  ~HeldBuffer() {
    if (!Py_IsInitialized()) return;
    WithGil gil;
    PyBuffer_Release(&view);
  }
};

PyObject* create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"size", nullptr};
  Py_ssize_t size = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|n:UntypedStorage", const_cast<char**>(names), &size))
    return nullptr;
  return guarded([&] {
    FRAMEJIT_CHECK(size >= 0, "UntypedStorage(): got a size of ", int64_t(size),
                   " bytes, expected at least 0");
    return new_storage(Storage::allocate(size_t(size)), type);
  });
}

void dealloc(PyObject* self) {
  auto* object = reinterpret_cast<PyStorage*>(self);
  if (object->weak_references) PyObject_ClearWeakRefs(self);
  PyTypeObject* type = Py_TYPE(self);
  living_objects().erase(object->storage);
  object->storage->release();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* from_buffer(PyObject* type, PyObject* owner) {
  return guarded([&] {
    auto held = std::make_shared<HeldBuffer>(owner);
    auto storage =
        Storage::adopt(held->view.buf, size_t(held->view.len), {}, [held]() mutable { held.reset(); });
    return new_storage(std::move(storage), reinterpret_cast<PyTypeObject*>(type));
  });
}

PyObject* move_to(PyObject* self, PyObject* owner) {
  return guarded([&] {
    auto held = std::make_shared<HeldBuffer>(owner);
    Storage& storage = storage_of(self);
    FRAMEJIT_CHECK(size_t(held->view.len) >= storage.nbytes(), "_move_to(): got a buffer of ",
                   int64_t(held->view.len), " bytes for a storage of ", int64_t(storage.nbytes()));
    storage.move_to(held->view.buf, [held]() mutable { held.reset(); });
    return Py_NewRef(Py_None);
  });
}

Dims read_dims(PyObject* sequence) {
  PyRef items = checked(PySequence_Fast(sequence, "expected a sequence of ints"));
  Dims dims;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    int64_t value = PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items.get(), i));
    if (value == -1 && PyErr_Occurred()) throw PythonError();
    dims.push_back(value);
  }
  return dims;
}

/// Raises unless every element of the view lies in the storage: files and other processes are not trusted.
void check_inside(const Storage& storage, const eager::TensorMeta& meta, int64_t offset) {
  FRAMEJIT_CHECK(meta.sizes.size() == meta.strides.size(), "mismatch in length of strides and shape: got ",
                 meta.strides.size(), " strides for ", meta.sizes.size(), " sizes");
  __int128 last = offset;
  bool empty = false, valid = offset >= 0;
  for (int i = 0; i < meta.sizes.size(); ++i) {
    valid = valid && meta.sizes[i] >= 0 && meta.strides[i] >= 0;
    empty = empty || meta.sizes[i] == 0;
    last += __int128(meta.sizes[i] - 1) * meta.strides[i];
  }
  __int128 end = empty ? 0 : (last + 1) * __int128(eager::item_size(meta.dtype));
  FRAMEJIT_CHECK(valid && end <= __int128(storage.nbytes()), "setStorage: sizes ",
                 eager::sizes_text(meta.sizes), ", strides ", eager::sizes_text(meta.strides),
                 ", storage offset ", offset, " and itemsize ", int64_t(eager::item_size(meta.dtype)),
                 " are out of bounds for storage of ", int64_t(storage.nbytes()), " bytes");
}

PyObject* view(PyObject* self, PyObject* args) {
  PyObject *dtype, *sizes, *strides;
  long long offset;
  if (!PyArg_ParseTuple(args, "OLOO:_view", &dtype, &offset, &sizes, &strides)) return nullptr;
  return guarded([&] {
    eager::TensorMeta meta;
    FRAMEJIT_CHECK_TYPE(read_dtype(dtype, &meta.dtype), type, "_view(): expected a framejit.dtype, got ",
                        Py_TYPE(dtype)->tp_name);
    meta.sizes = read_dims(sizes);
    meta.strides = read_dims(strides);
    check_inside(storage_of(self), meta, offset);
    return wrap(Tensor::from_storage(Ref<Storage>(&storage_of(self)), offset, std::move(meta)));
  });
}

PyObject* nbytes(PyObject* self, PyObject*) { return PyLong_FromSize_t(storage_of(self).nbytes()); }
PyObject* data_ptr(PyObject* self, PyObject*) { return PyLong_FromVoidPtr(storage_of(self).data()); }
Py_ssize_t length(PyObject* self) { return Py_ssize_t(storage_of(self).nbytes()); }

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  Storage& storage = storage_of(self);
  return PyBuffer_FillInfo(view, self, storage.data(), Py_ssize_t(storage.nbytes()), 0, flags);
}

PyMethodDef methods[] = {
    {"from_buffer", from_buffer, METH_O | METH_CLASS,
     "from_buffer(buffer)\n\nThe memory of a writable buffer, which stays alive as long as a tensor uses "
     "it."},
    {"_move_to", move_to, METH_O,
     "Copies the bytes into a buffer and uses that from now on, for all tensors."},
    {"_view", view, METH_VARARGS,
     "_view(dtype, offset, size, stride)\n\nA tensor over these bytes; offset in elements."},
    {"nbytes", nbytes, METH_NOARGS, "Number of bytes."},
    {"size", nbytes, METH_NOARGS, "Number of bytes."},
    {"data_ptr", data_ptr, METH_NOARGS, "Address of the first byte."},
    {}};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyStorage, weak_references), READONLY, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(create)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_sq_length, reinterpret_cast<void*>(length)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_tp_doc, const_cast<char*>("UntypedStorage(size=0)\n\nThe memory behind tensors: a number of bytes.")},
    {0, nullptr}};
PyType_Spec spec = {"framejit.UntypedStorage", sizeof(PyStorage), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject* storage_object(const Tensor& tensor) {
  FRAMEJIT_CHECK(!tensor.is_symbolic(), "untyped_storage(): a tensor has no memory while a graph is traced");
  const Ref<Storage>& storage = tensor.impl()->storage;
  FRAMEJIT_CHECK_TYPE(bool(storage), not_implemented, "untyped_storage(): a tensor of device ",
                      eager::device_name(tensor.device()), " has no memory");
  auto found = living_objects().find(storage.get());
  return found != living_objects().end() ? Py_NewRef(found->second) : new_storage(storage, storage_type);
}

void init_storage(PyObject* module) {
  storage_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
  check_status(PyModule_AddObjectRef(module, "UntypedStorage", reinterpret_cast<PyObject*>(storage_type)));
}

}  // namespace framejit::bindings
