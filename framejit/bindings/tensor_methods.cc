// Methods of tensors that are no rows of the op table and know no Python objects but their arguments. The
// others are in framejit/_tensor.py.
#include <algorithm>
#include <cstring>

#include "eager/autograd/autograd.h"
#include "eager/meta/memory_format.h"
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/storage_object.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"
#include "framejit/bindings/tensor_type.h"
#include "generated/ops/copy.h"

namespace framejit::bindings {
namespace {

using eager::DType;
using eager::Tensor;
namespace ops = eager::ops;

template <auto method>
PyObject* noargs(PyObject* self, PyObject*) {
  return guarded([&] { return method(unwrap(self)); });
}

PyObject* numel(const Tensor& self) { return new_int(self.numel()); }
PyObject* dim(const Tensor& self) { return PyLong_FromLong(self.dim()); }
PyObject* element_size(const Tensor& self) { return PyLong_FromSize_t(eager::item_size(self.dtype())); }
PyObject* storage_offset(const Tensor& self) { return PyLong_FromLongLong(self.offset()); }
PyObject* is_floating_point(const Tensor& self) { return PyBool_FromLong(eager::is_floating(self.dtype())); }
PyObject* is_complex(const Tensor& self) { return PyBool_FromLong(eager::is_complex(self.dtype())); }
PyObject* is_signed(const Tensor& self) { return PyBool_FromLong(eager::is_signed(self.dtype())); }
/// Conjugation and negation are done at once: no tensor is waiting for them.
PyObject* always_false(const Tensor&) { Py_RETURN_FALSE; }
PyObject* is_inference(const Tensor& self) { return PyBool_FromLong(self->is_inference); }
PyObject* get_device(const Tensor& self) {
  bool indexed = self.device().type == eager::DeviceType::cuda;
  return PyLong_FromLong(indexed ? self.device().index : -1);
}
PyObject* data_ptr(const Tensor& self) {
  FRAMEJIT_CHECK(!self.is_symbolic(), "data_ptr(): a tensor has no address while a graph is traced");
  return PyLong_FromVoidPtr(self.numel() == 0 ? nullptr : self.data());
}
PyObject* detach(const Tensor& self) { return wrap(eager::detach(self)); }
/// Becomes a leaf that needs no gradient.
PyObject* detach_in_place(const Tensor& self) {
  FRAMEJIT_CHECK(!eager::view_base(self).defined(), "Can't detach views in-place. Use detach() instead.");
  FRAMEJIT_CHECK(!self.is_symbolic(),
                 "detach_(): not possible while a graph is traced. Use detach() instead.");
  if (!eager::is_leaf(self)) eager::set_history(self, nullptr, 0);
  self.impl()->requires_grad = false;
  return wrap(self);
}
PyObject* retain_grad(const Tensor& self) {
  eager::retain_grad(self);
  Py_RETURN_NONE;
}
template <DType dtype>
PyObject* cast(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"memory_format", nullptr};
  const char* format = nullptr;
  if (PyTuple_GET_SIZE(args) + (kwargs ? PyDict_GET_SIZE(kwargs) : 0) > 0 &&
      !PyArg_ParseTupleAndKeywords(args, kwargs, "|z:cast", const_cast<char**>(names), &format))
    return nullptr;
  return guarded([&] {
    const Tensor tensor = unwrap(self);
    const Tensor result = tensor.dtype() == dtype ? tensor : ops::cast(tensor, dtype);
    return wrap(format && std::strcmp(format, "preserve_format") ? ops::contiguous(result, format) : result);
  });
}
PyObject* self_itself(PyObject* self, PyObject*) { return Py_NewRef(self); }

/// Of size() and stride(): the entry of dimension `args[0]` (or keyword dim), or all of them.
int wrapped_dim(const Tensor& self, PyObject* object) {
  eager::SymInt number;
  FRAMEJIT_CHECK_TYPE(read_int(object, &number), type,
                      "size(): argument 'dim' (position 1) must be int, not ", Py_TYPE(object)->tp_name);
  int64_t index = number.expect();
  int64_t rank = std::max(self.dim(), 1);
  if (index < -rank || index >= rank)
    eager::fail(eager::ErrorType::index, "Dimension out of range (expected to be in range of [", -rank, ", ",
                rank - 1, "], but got ", index, ")");
  if (self.dim() == 0)
    eager::fail(eager::ErrorType::index, "dimension specified as ", index, " but tensor has no dimensions");
  return int(index < 0 ? index + rank : index);
}
PyObject* optional_dim(PyObject* args, PyObject* kwargs, const char* format) {
  static const char* names[] = {"dim", nullptr};
  PyObject* dim = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), &dim))
    throw PythonError();
  return dim;
}
PyObject* size(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Tensor tensor = unwrap(self);
    PyObject* dim = optional_dim(args, kwargs, "|O:size");
    return dim == Py_None ? new_size(tensor.sizes()) : new_int(tensor.sizes().sym(wrapped_dim(tensor, dim)));
  });
}
PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Tensor tensor = unwrap(self);
    PyObject* dim = optional_dim(args, kwargs, "|O:stride");
    if (dim != Py_None) return new_int(tensor.strides().sym(wrapped_dim(tensor, dim)));
    PyRef strides = checked(PyTuple_New(tensor.dim()));
    for (int i = 0; i < tensor.dim(); ++i)
      PyTuple_SET_ITEM(strides.get(), i, new_int(tensor.strides().sym(i)));
    return strides.release();
  });
}
PyObject* is_contiguous(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"memory_format", nullptr};
  const char* format = "contiguous_format";
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|s:is_contiguous", const_cast<char**>(names), &format))
    return nullptr;
  return guarded([&] {
    const Tensor tensor = unwrap(self);
    if (!std::strcmp(format, "preserve_format") || !std::strcmp(format, "contiguous_format"))
      return PyBool_FromLong(tensor.is_contiguous());
    return PyBool_FromLong(eager::is_in_format(tensor.meta(), format));
  });
}

PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"requires_grad", nullptr};
  int value = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:requires_grad_", const_cast<char**>(names), &value))
    return nullptr;
  return guarded([&] {
    eager::set_requires_grad(unwrap(self), value);
    return Py_NewRef(self);
  });
}

PyObject* tolist(const Tensor& self) { return to_list(self); }
/// __dlpack__(stream=None, max_version=None, dl_device=None, copy=None)
PyObject* dlpack_capsule(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOO:__dlpack__", const_cast<char**>(names), &stream,
                                   &version, &device, &copy))
    return nullptr;
  return guarded([&] {
    bool versioned = PyTuple_Check(version) && PyTuple_GET_SIZE(version) > 0 &&
                     PyLong_AsLong(PyTuple_GET_ITEM(version, 0)) >= 1;
    Tensor tensor = unwrap(self);
    return to_dlpack(copy == Py_True ? ops::clone(tensor) : tensor, versioned);
  });
}

PyCFunction with_keywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

}  // namespace

PyMethodDef tensor_methods[] = {
    {"numel", noargs<numel>, METH_NOARGS, "Number of elements."},
    {"nelement", noargs<numel>, METH_NOARGS, "As numel."},
    {"dim", noargs<dim>, METH_NOARGS, "Number of dimensions."},
    {"ndimension", noargs<dim>, METH_NOARGS, "As dim."},
    {"size", with_keywords(size), kKeywords, "size(dim=None)\n\nThe sizes, or that of one dimension."},
    {"stride", with_keywords(stride), kKeywords,
     "stride(dim=None)\n\nThe strides in elements, or that of one dimension."},
    {"is_contiguous", with_keywords(is_contiguous), kKeywords,
     "is_contiguous(memory_format=contiguous_format)\n\nWhether the elements lie in row-major order, or that "
     "of the format."},
    {"element_size", noargs<element_size>, METH_NOARGS, "Bytes per element."},
    {"storage_offset", noargs<storage_offset>, METH_NOARGS,
     "First element's place in the storage, in elements."},
    {"is_floating_point", noargs<is_floating_point>, METH_NOARGS,
     "Whether the dtype holds real numbers with a fraction."},
    {"is_complex", noargs<is_complex>, METH_NOARGS, "Whether the dtype holds complex numbers."},
    {"is_conj", noargs<always_false>, METH_NOARGS, "Always False: tensors are conjugated at once."},
    {"is_neg", noargs<always_false>, METH_NOARGS, "Always False: tensors are negated at once."},
    {"resolve_conj", self_itself, METH_NOARGS, "self, which is never a conjugation in waiting."},
    {"resolve_neg", self_itself, METH_NOARGS, "self, which is never a negation in waiting."},
    {"is_signed", noargs<is_signed>, METH_NOARGS, "Whether the dtype holds negative values."},
    {"is_inference", noargs<is_inference>, METH_NOARGS, "Whether it was made in inference mode."},
    {"get_device", noargs<get_device>, METH_NOARGS, "Number of the CUDA device, -1 on the CPU."},
    {"data_ptr", noargs<data_ptr>, METH_NOARGS, "Address of the first element."},
    {"untyped_storage", noargs<storage_object>, METH_NOARGS, "The memory that this tensor views."},
    {"detach", noargs<detach>, METH_NOARGS, "The same values without a history, sharing memory."},
    {"detach_", noargs<detach_in_place>, METH_NOARGS, "Takes the history away from this tensor."},
    {"retain_grad", noargs<retain_grad>, METH_NOARGS, "Makes backward() keep .grad of this non-leaf."},
    {"requires_grad_", with_keywords(requires_grad_), kKeywords, "requires_grad_(requires_grad=True)"},
    {"float", with_keywords(cast<DType::float32>), kKeywords, "self as float32."},
    {"double", with_keywords(cast<DType::float64>), kKeywords, "self as float64."},
    {"half", with_keywords(cast<DType::float16>), kKeywords, "self as float16."},
    {"bfloat16", with_keywords(cast<DType::bfloat16>), kKeywords, "self as bfloat16."},
    {"cfloat", with_keywords(cast<DType::complex64>), kKeywords, "self as complex64."},
    {"cdouble", with_keywords(cast<DType::complex128>), kKeywords, "self as complex128."},
    {"char", with_keywords(cast<DType::int8>), kKeywords, "self as int8."},
    {"short", with_keywords(cast<DType::int16>), kKeywords, "self as int16."},
    {"int", with_keywords(cast<DType::int32>), kKeywords, "self as int32."},
    {"long", with_keywords(cast<DType::int64>), kKeywords, "self as int64."},
    {"byte", with_keywords(cast<DType::uint8>), kKeywords, "self as uint8."},
    {"bool", with_keywords(cast<DType::bool_>), kKeywords, "self as bool."},
    {"cpu", self_itself, METH_NOARGS, "self on the CPU."},
    {"tolist", noargs<tolist>, METH_NOARGS, "Nested lists of Python numbers."},
    {"__dlpack__", with_keywords(dlpack_capsule), kKeywords, "A DLPack capsule that shares memory."},
    {"__dlpack_device__", noargs<dlpack_device>, METH_NOARGS, "DLPack's (device type, device number)."},
    {}};

Traced traced_method(const char* name) {
  constexpr const char* kData[] = {"tolist", "data_ptr", "__dlpack__", "storage_offset", "untyped_storage"};
  constexpr const char* kState[] = {"detach_", "retain_grad", "requires_grad_", "is_inference"};
  for (const char* other : kData)
    if (!std::strcmp(name, other)) return Traced::data;
  for (const char* other : kState)
    if (!std::strcmp(name, other)) return Traced::no;
  for (const PyMethodDef* row = tensor_methods; row->ml_name; ++row)
    if (!std::strcmp(name, row->ml_name)) return Traced::yes;
  return Traced::no;
}

}  // namespace framejit::bindings
