// Properties of tensors that are no methods: shape, dtype, grad, ...
#include <cstring>

#include "eager/autograd/autograd.h"
#include "eager/autograd/autograd_meta.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"
#include "framejit/bindings/tensor_type.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/view.h"

namespace framejit::bindings {
namespace {

using eager::Tensor;
namespace ops = eager::ops;

template <auto get>
PyObject* getter(PyObject* self, void*) {
  return guarded([&] { return get(unwrap(self)); });
}
template <auto set>
int setter(PyObject* self, PyObject* value, void*) {
  return guarded_status([&] { set(unwrap(self), value); });
}

PyObject* to_bool(bool value) { return PyBool_FromLong(value); }

PyObject* shape(const Tensor& self) { return new_size(self.sizes()); }
PyObject* dtype(const Tensor& self) { return Py_NewRef(dtype_object(self.dtype())); }
PyObject* device(const Tensor& self) { return new_device(self.device()); }
PyObject* ndim(const Tensor& self) { return PyLong_FromLong(self.dim()); }
PyObject* itemsize(const Tensor& self) { return PyLong_FromSize_t(eager::item_size(self.dtype())); }
PyObject* nbytes(const Tensor& self) {
  return new_int(self.numel() * int64_t(eager::item_size(self.dtype())));
}
PyObject* is_cpu(const Tensor& self) { return to_bool(self.device().type == eager::DeviceType::cpu); }
PyObject* is_cuda(const Tensor& self) { return to_bool(self.device().type == eager::DeviceType::cuda); }
PyObject* is_meta(const Tensor& self) { return to_bool(self.device().type == eager::DeviceType::meta); }
PyObject* always_false(const Tensor&) { return to_bool(false); }

PyObject* transposed(const Tensor& self) {
  eager::Dims order(self.dim());
  for (int i = 0; i < self.dim(); ++i) order[i] = self.dim() - 1 - i;
  return wrap(ops::permute(self, order));
}
PyObject* matrix_transposed(const Tensor& self) {
  FRAMEJIT_CHECK(self.dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got ",
                 self.dim(), "-D tensor.");
  return wrap(ops::transpose(self, -2, -1));
}
/// Conjugated where complex, as in PyTorch.
PyObject* adjoint(const Tensor& self) { return wrap(ops::adjoint(self)); }
PyObject* matrix_adjoint(const Tensor& self) {
  FRAMEJIT_CHECK(self.dim() == 0 || self.dim() == 2,
                 "tensor.H is only supported on matrices (2-D tensors). Got ", self.dim(), "-D tensor.");
  return wrap(ops::adjoint(self));
}

PyObject* real(const Tensor& self) { return wrap(ops::real(self)); }
void set_real(const Tensor& self, PyObject* value) {
  ops::copy_(ops::real(self), unwrap_checked(value, "real"));
}
PyObject* imag(const Tensor& self) { return wrap(ops::imag(self)); }
void set_imag(const Tensor& self, PyObject* value) {
  ops::copy_(ops::imag(self), unwrap_checked(value, "imag"));
}

PyObject* requires_grad(const Tensor& self) { return to_bool(self.requires_grad()); }
void set_requires_grad(const Tensor& self, PyObject* value) {
  FRAMEJIT_CHECK_TYPE(value && PyBool_Check(value), type, "requires_grad must be a bool");
  eager::set_requires_grad(self, value == Py_True);
}
PyObject* is_leaf(const Tensor& self) { return to_bool(eager::is_leaf(self)); }
PyObject* grad(const Tensor& self) { return wrap(eager::get_grad(self)); }
void set_grad(const Tensor& self, PyObject* value) {
  bool none = !value || value == Py_None;
  eager::set_grad(self, none ? Tensor() : unwrap_checked(value, "assigned grad"));
}
PyObject* grad_fn(const Tensor& self) { return wrap_node(eager::grad_fn(self)); }
PyObject* output_number(const Tensor& self) { return PyLong_FromLong(eager::output_number(self)); }
PyObject* retains_grad(const Tensor& self) { return to_bool(eager::retains_grad(self)); }
PyObject* version(const Tensor& self) { return PyLong_FromUnsignedLong(self.version()); }
PyObject* base(const Tensor& self) { return wrap(eager::view_base(self)); }

/// The values without a history, sharing memory; assigning gives the tensor other memory and sizes.
PyObject* data(const Tensor& self) {
  Tensor data = eager::detach(self);
  if (!data.is_symbolic()) eager::autograd_meta(data).hides_writes = true;
  return wrap(data);
}
void set_data(const Tensor& self, PyObject* value) {
  FRAMEJIT_CHECK_TYPE(value, type, "the attribute data cannot be deleted");
  Tensor other = unwrap_checked(value, "data");
  FRAMEJIT_CHECK(!self.is_symbolic() && !other.is_symbolic(),
                 "data cannot be assigned while a graph is traced");
  self->storage = other->storage;
  self->offset = other->offset;
  self.impl()->meta = other.meta();
}

}  // namespace

PyGetSetDef tensor_getset[] = {
    {"shape", getter<shape>, nullptr, "Sizes of the dimensions.", nullptr},
    {"dtype", getter<dtype>, nullptr, "Type of the elements.", nullptr},
    {"device", getter<device>, nullptr, "Where the data is.", nullptr},
    {"ndim", getter<ndim>, nullptr, "Number of dimensions.", nullptr},
    {"itemsize", getter<itemsize>, nullptr, "Bytes per element.", nullptr},
    {"nbytes", getter<nbytes>, nullptr, "Bytes of all elements.", nullptr},
    {"T", getter<transposed>, nullptr, "View with all dimensions reversed.", nullptr},
    {"H", getter<matrix_adjoint>, nullptr, "A matrix transposed and conjugated.", nullptr},
    {"mH", getter<adjoint>, nullptr, "Matrices transposed and conjugated.", nullptr},
    {"real", getter<real>, setter<set_real>, "Real parts, as a view.", nullptr},
    {"imag", getter<imag>, setter<set_imag>, "Imaginary parts, as a view.", nullptr},
    {"mT", getter<matrix_transposed>, nullptr, "View with the last two dimensions exchanged.", nullptr},
    {"requires_grad", getter<requires_grad>, setter<set_requires_grad>,
     "Whether autograd records operations on it.", nullptr},
    {"is_leaf", getter<is_leaf>, nullptr, "Not the result of a recorded operation.", nullptr},
    {"grad", getter<grad>, setter<set_grad>, "Gradient that backward() has added up; None before.", nullptr},
    {"_grad", getter<grad>, setter<set_grad>, nullptr, nullptr},
    {"grad_fn", getter<grad_fn>, nullptr, "Node of the backward graph; None for leaves.", nullptr},
    {"output_nr", getter<output_number>, nullptr, "Which result of grad_fn this is.", nullptr},
    {"retains_grad", getter<retains_grad>, nullptr, "Whether a non-leaf keeps its grad.", nullptr},
    {"_version", getter<version>, nullptr, "Number of in-place writes to the storage.", nullptr},
    {"_base", getter<base>, nullptr, "The tensor this is a view of, or None.", nullptr},
    {"data", getter<data>, setter<set_data>, "The same values without a history.", nullptr},
    {"is_cpu", getter<is_cpu>, nullptr, nullptr, nullptr},
    {"is_cuda", getter<is_cuda>, nullptr, nullptr, nullptr},
    {"is_meta", getter<is_meta>, nullptr, nullptr, nullptr},
    {"is_sparse", getter<always_false>, nullptr, nullptr, nullptr},
    {"is_quantized", getter<always_false>, nullptr, nullptr, nullptr},
    {"is_nested", getter<always_false>, nullptr, nullptr, nullptr},
    {"__array_interface__", getter<array_interface>, nullptr, "NumPy's view of the memory.", nullptr},
    {"__dict__", tensor_get_dict, PyObject_GenericSetDict, nullptr, nullptr},
    {}};

Traced traced_attribute(const char* name) {
  // Gradients, versions and data belong to the tensor that the graph will see when it runs.
  constexpr const char* kNeedRealTensor[] = {"grad",      "_grad",        "_version", "_base",  "grad_fn",
                                             "output_nr", "retains_grad", "__dict__", "is_leaf"};
  if (!std::strcmp(name, "__array_interface__")) return Traced::data;
  for (const char* other : kNeedRealTensor)
    if (!std::strcmp(name, other)) return Traced::no;
  for (const PyGetSetDef* row = tensor_getset; row->name; ++row)
    if (!std::strcmp(name, row->name)) return Traced::yes;
  return Traced::no;
}

}  // namespace framejit::bindings
