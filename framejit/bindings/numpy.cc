// NumPy through its array interface protocol, so that nothing here depends on NumPy's headers or version.
#include <cstring>

#include "eager/dispatch.h"
#include "eager/meta/type_names.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::DType;
using eager::Tensor;

/// Version 3 of the protocol (numpy: "The array interface protocol", C-struct access). Fixed by NumPy.
struct ArrayStruct {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;  // in bytes
  void* data;
  PyObject* descr;
};
constexpr int kNotSwapped = 0x200;
constexpr int kWriteable = 0x400;

struct Kind {
  char kind;
  int itemsize;
  DType dtype;
};
constexpr Kind kKinds[] = {{'b', 1, DType::bool_},     {'u', 1, DType::uint8},      {'i', 1, DType::int8},
                           {'i', 2, DType::int16},     {'i', 4, DType::int32},      {'i', 8, DType::int64},
                           {'f', 2, DType::float16},   {'f', 4, DType::float32},    {'f', 8, DType::float64},
                           {'c', 8, DType::complex64}, {'c', 16, DType::complex128}};

DType dtype_of_array(const ArrayStruct& array) {
  for (const Kind& row : kKinds)
    if (row.kind == array.typekind && row.itemsize == array.itemsize) return row.dtype;
  eager::fail(eager::ErrorType::type, "can't convert an array of kind '", std::string(1, array.typekind),
              "' and ", array.itemsize,
              " bytes an element. The supported types are: float64, float32, float16, complex64, complex128, "
              "int64, int32, int16, int8, uint8, bool. Try array.astype(...)");
}

void check_layout(const ArrayStruct& array) {
  FRAMEJIT_CHECK_TYPE(array.flags & kNotSwapped, type,
                      "given array has a byte order other than this machine's. "
                      "Try array.astype(array.dtype.newbyteorder('='))");
  for (int i = 0; i < array.nd; ++i) {
    if (array.strides[i] < 0)
      eager::fail(eager::ErrorType::value,
                  "At least one stride in the given array is negative, which is not supported. "
                  "Try array.copy()");
    if (array.strides[i] % array.itemsize != 0)
      eager::fail(eager::ErrorType::value,
                  "given array strides not a multiple of the element byte size. Try array.copy()");
  }
}

void warn_if_readonly(const ArrayStruct& array) {
  if (array.flags & kWriteable) return;
  check_status(PyErr_WarnEx(
      PyExc_UserWarning,
      "The given NumPy array is not writable, and framejit does not support non-writable tensors: "
      "writing to the tensor writes to the array. Copy the array to avoid this.",
      1));
}

/// Bytes from the first element to the end of the last one.
size_t extent(const ArrayStruct& array) {
  size_t last = 0;
  for (int i = 0; i < array.nd; ++i) {
    if (array.shape[i] == 0) return 0;
    last += size_t(array.shape[i] - 1) * size_t(array.strides[i]);
  }
  return last + size_t(array.itemsize);
}

/// The memory lives as long as `owner`, which is released by whichever thread drops the last tensor.
eager::Ref<eager::Storage> adopt(PyObject* owner, void* data, size_t nbytes) {
  Py_INCREF(owner);
  return eager::Storage::adopt(data, nbytes, eager::Device(), [owner] {
    if (!Py_IsInitialized()) return;
    WithGil gil;
    Py_DECREF(owner);
  });
}

std::string typestr(DType dtype) {
  for (const Kind& row : kKinds)
    if (row.dtype == dtype) return eager::concat(row.itemsize == 1 ? '|' : '<', row.kind, row.itemsize);
  eager::fail(eager::ErrorType::type, "Got unsupported ScalarType ", eager::scalar_type_name(dtype),
              ": NumPy has no such type. Try tensor.float()");
}

}  // namespace

Tensor tensor_from_array(PyObject* array) {
  PyRef capsule = PyRef::steal(PyObject_GetAttrString(array, "__array_struct__"));
  if (!capsule) {
    PyErr_Clear();
    eager::fail(eager::ErrorType::type, "expected np.ndarray (got ", Py_TYPE(array)->tp_name, ")");
  }
  auto* view = static_cast<ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!view) throw PythonError();
  eager::TensorMeta meta;
  meta.dtype = dtype_of_array(*view);
  check_layout(*view);
  warn_if_readonly(*view);
  for (int i = 0; i < view->nd; ++i) {
    meta.sizes.push_back(int64_t(view->shape[i]));
    meta.strides.push_back(int64_t(view->strides[i] / view->itemsize));
  }
  // NumPy scalars make a temporary array inside the capsule: it, not the scalar, owns the memory.
  return Tensor::from_storage(adopt(capsule.get(), view->data, extent(*view)), 0, std::move(meta));
}

PyObject* array_interface(const Tensor& tensor) {
  FRAMEJIT_CHECK(!tensor.is_symbolic(), "numpy(): the data of a tensor is not known while a graph is traced");
  FRAMEJIT_CHECK(!tensor.requires_grad() || !eager::modes().grad_enabled,
                 "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  FRAMEJIT_CHECK_TYPE(
      tensor.device().type == eager::DeviceType::cpu, type, "can't convert ",
      eager::device_name(tensor.device()),
      " device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.");
  int dims = tensor.dim();
  const size_t itemsize = eager::item_size(tensor.dtype());
  PyRef shape = checked(PyTuple_New(dims));
  PyRef strides = checked(PyTuple_New(dims));
  for (int i = 0; i < dims; ++i) {
    PyTuple_SET_ITEM(shape.get(), i, checked(PyLong_FromLongLong(tensor.sizes()[i])).release());
    const int64_t stride = int64_t(size_t(tensor.strides()[i]) * itemsize);  // of an empty tensor, may wrap
    PyTuple_SET_ITEM(strides.get(), i, checked(PyLong_FromLongLong(stride)).release());
  }
  return checked(Py_BuildValue(
                     "{s:i,s:s,s:O,s:O,s:(KO)}", "version", 3, "typestr", typestr(tensor.dtype()).c_str(),
                     "shape", shape.get(), "strides", strides.get(), "data",
                     static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(tensor.data())), Py_False))
      .release();
}

}  // namespace framejit::bindings
