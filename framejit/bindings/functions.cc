// Functions of framejit._C that are no rows of the op table: tensors from Python data, global settings.
#include "eager/autograd/autograd.h"
#include "eager/meta/pointwise.h"
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/module.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/copy.h"

namespace framejit::bindings {
namespace {

using eager::DType;
using eager::Tensor;

std::optional<DType> optional_dtype(PyObject* object, const char* function) {
  if (object == Py_None) return std::nullopt;
  DType dtype;
  FRAMEJIT_CHECK_TYPE(read_dtype(object, &dtype), type, function,
                      "(): argument 'dtype' must be framejit.dtype, not ", Py_TYPE(object)->tp_name);
  return dtype;
}
eager::Device optional_device(PyObject* object, const char* function) {
  eager::Device device;
  if (object == Py_None) return device;
  FRAMEJIT_CHECK_TYPE(read_device(object, &device), type, function,
                      "(): argument 'device' must be framejit.device, not ", Py_TYPE(object)->tp_name);
  return device;
}

PyObject* tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"data", "dtype", "device", "requires_grad", "pin_memory", nullptr};
  PyObject *data, *dtype = Py_None, *device = Py_None;
  int requires_grad = 0, pin_memory = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOpp:tensor", const_cast<char**>(names), &data, &dtype,
                                   &device, &requires_grad, &pin_memory))
    return nullptr;
  return guarded([&] {
    Tensor result =
        tensor_from_data(data, optional_dtype(dtype, "tensor"), optional_device(device, "tensor"));
    if (requires_grad) require_grad(result);
    return wrap(result);
  });
}

/// Shares memory where dtype and device allow it.
Tensor tensor_of(PyObject* data, std::optional<DType> dtype, eager::Device device) {
  bool shares = is_tensor(data) || is_numpy_array(data);
  if (!shares) return tensor_from_data(data, dtype, device);
  Tensor tensor = is_tensor(data) ? unwrap(data) : tensor_from_array(data);
  return dtype && *dtype != tensor.dtype() ? eager::ops::cast(tensor, *dtype) : tensor;
}
PyObject* as_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"data", "dtype", "device", nullptr};
  PyObject *data, *dtype = Py_None, *device = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:as_tensor", const_cast<char**>(names), &data, &dtype,
                                   &device))
    return nullptr;
  return guarded([&] {
    return wrap(tensor_of(data, optional_dtype(dtype, "as_tensor"), optional_device(device, "as_tensor")));
  });
}

PyObject* from_numpy(PyObject*, PyObject* array) {
  return guarded([&] {
    FRAMEJIT_CHECK_TYPE(is_numpy_array(array), type, "expected np.ndarray (got ", Py_TYPE(array)->tp_name,
                        ")");
    return wrap(tensor_from_array(array));
  });
}
PyObject* from_dlpack_object(PyObject*, PyObject* object) {
  return guarded([&] { return wrap(from_dlpack(object)); });
}

/// make_subclass(class, data, requires_grad): an object of the class that shares memory with data.
PyObject* make_subclass(PyObject*, PyObject* args) {
  PyTypeObject* type;
  PyObject* data;
  int requires_grad = 0;
  if (!PyArg_ParseTuple(args, "O!O!|p:_make_subclass", &PyType_Type, &type, tensor_type, &data,
                        &requires_grad))
    return nullptr;
  return guarded([&] {
    FRAMEJIT_CHECK_TYPE(PyType_IsSubtype(type, tensor_type), type, "_make_subclass: ", type->tp_name,
                        " is no subclass of Tensor");
    Tensor tensor = eager::detach(unwrap(data));
    eager::set_requires_grad(tensor, requires_grad);
    return wrap_as(tensor, type);
  });
}

PyObject* get_default_dtype(PyObject*, PyObject*) { return Py_NewRef(dtype_object(eager::default_dtype())); }
PyObject* set_default_dtype(PyObject*, PyObject* dtype) {
  return guarded([&] {
    std::optional<DType> read = optional_dtype(dtype, "set_default_dtype");
    FRAMEJIT_CHECK_TYPE(read && eager::is_floating(*read), type,
                        "only floating-point types are supported as the default type");
    eager::set_default_dtype(*read);
    return Py_NewRef(Py_None);
  });
}

PyObject* promote_types(PyObject*, PyObject* args) {
  PyObject *a, *b;
  if (!PyArg_ParseTuple(args, "OO:promote_types", &a, &b)) return nullptr;
  return guarded([&] {
    std::optional<DType> first = optional_dtype(a, "promote_types"),
                         second = optional_dtype(b, "promote_types");
    FRAMEJIT_CHECK_TYPE(first && second, type, "promote_types(): expected two dtypes");
    return Py_NewRef(dtype_object(eager::promote(*first, *second)));
  });
}

eager::PromotionOperand promotion_operand(PyObject* object) {
  if (is_tensor(object)) {
    const eager::TensorMeta& meta = impl_of(object)->meta;
    return {meta.dtype, meta.sizes.empty() ? eager::PromotionRank::zero_dim : eager::PromotionRank::tensor};
  }
  eager::Value number;
  FRAMEJIT_CHECK_TYPE(read_number(object, &number), type,
                      "result_type(): argument must be a Tensor or a number, not ", Py_TYPE(object)->tp_name);
  return {eager::number_dtype(number), eager::PromotionRank::number};
}

PyObject* result_type(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"tensor", "other", nullptr};
  PyObject *a, *b;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:result_type", const_cast<char**>(names), &a, &b))
    return nullptr;
  return guarded([&] {
    const eager::PromotionOperand operands[] = {promotion_operand(a), promotion_operand(b)};
    return Py_NewRef(dtype_object(eager::promote_operands(operands)));
  });
}

PyCFunction with_keywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef functions[] = {
    {"tensor", with_keywords(tensor), METH_VARARGS | METH_KEYWORDS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False)\n\nA new tensor with a copy of the "
     "data."},
    {"as_tensor", with_keywords(as_tensor), METH_VARARGS | METH_KEYWORDS,
     "as_tensor(data, dtype=None, device=None)\n\nA tensor of the data, sharing memory where possible."},
    {"from_numpy", from_numpy, METH_O, "A tensor that shares the memory of a NumPy array."},
    {"from_dlpack", from_dlpack_object, METH_O,
     "A tensor that shares the memory of an object with __dlpack__."},
    {"_make_subclass", make_subclass, METH_VARARGS, nullptr},
    {"get_default_dtype", get_default_dtype, METH_NOARGS, "The dtype of floating-point values without one."},
    {"set_default_dtype", set_default_dtype, METH_O, "Sets the dtype of floating-point values without one."},
    {"result_type", with_keywords(result_type), METH_VARARGS | METH_KEYWORDS,
     "result_type(tensor, other)\n\nThe dtype of an operation on both: tensors or numbers."},
    {"promote_types", promote_types, METH_VARARGS, "The dtype that holds the values of both."},
    {}};

}  // namespace

void init_functions(PyObject* module) {
  check_status(PyModule_AddFunctions(module, functions));
  // A static method of the type, where PyTorch has it.
  PyRef function = checked(PyObject_GetAttrString(module, "_make_subclass"));
  PyRef method = checked(PyStaticMethod_New(function.get()));
  check_status(
      PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), "_make_subclass", method.get()));
}

}  // namespace framejit::bindings
