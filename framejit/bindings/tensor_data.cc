#include "framejit/bindings/tensor_data.h"

#include <cstring>

#include "eager/dispatch.h"
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"

namespace framejit::bindings {
namespace {

using eager::DType;
using eager::Tensor;
using eager::Value;

template <class T>
PyObject* number_object(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return PyBool_FromLong(value);
  else if constexpr (eager::is_complex_type<T>)
    return PyComplex_FromDoubles(value.real(), value.imag());
  else if constexpr (eager::is_floating_type<T>)
    return PyFloat_FromDouble(value);
  else
    return PyLong_FromLongLong(value);
}

PyObject* element_object(const char* data, DType dtype) {
  using namespace eager;  // NOLINT: the element types
  switch (dtype) {
#define X(id, type, text) \
  case DType::id:         \
    return number_object(*reinterpret_cast<const type*>(data));
    FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
  }
  throw InternalError("tolist: a dtype without Python numbers");
}

PyObject* list_of(const Tensor& tensor, int dim, const char* data) {
  if (dim == tensor.dim()) return checked(element_object(data, tensor.dtype())).release();
  int64_t size = tensor.sizes()[dim];
  int64_t step = tensor.strides()[dim] * int64_t(eager::item_size(tensor.dtype()));
  PyRef list = checked(PyList_New(size));
  for (int64_t i = 0; i < size; ++i)
    PyList_SET_ITEM(list.get(), i, list_of(tensor, dim + 1, data + i * step));
  return list.release();
}

bool is_sequence(PyObject* object) {
  return !PyUnicode_Check(object) && !PyBytes_Check(object) && PySequence_Check(object) && !is_tensor(object);
}

/// The dtype that a Python number has as a tensor.
DType number_dtype(const Value& number) {
  DType dtype = number.tag() == Value::Tag::scalar_node ? number.scalar_node().dtype : DType::int64;
  if (number.tag() == Value::Tag::boolean) return DType::bool_;
  if (number.tag() == Value::Tag::complex) return eager::complex_type(eager::default_dtype());
  return number.tag() == Value::Tag::real || eager::is_floating(dtype) ? eager::default_dtype() : dtype;
}

/// Reads nested data twice: once for shape and dtype, once for the elements.
class NestedData {
 public:
  explicit NestedData(PyObject* data) {
    find_shape(data);
    find_dtype(data, 0);
  }

  Tensor to_tensor(PyObject* data, std::optional<DType> dtype) const {
    Tensor result = Tensor::empty(sizes_, dtype.value_or(dtype_.value_or(eager::default_dtype())));
    char* out = static_cast<char*>(result.data());
    store(data, 0, result.dtype(), out);
    return result;
  }

 private:
  void find_shape(PyObject* data) {
    PyRef level = PyRef::borrow(data);
    while (is_sequence(level.get())) {
      Py_ssize_t size = PySequence_Size(level.get());
      check_status(size < 0 ? -1 : 0);
      FRAMEJIT_CHECK(sizes_.size() < eager::Dims::kMax,
                     "tensor(): too many dimensions: the data is nested too deep");
      sizes_.push_back(int64_t(size));
      if (size == 0) return;
      level = checked(PySequence_GetItem(level.get(), 0));
    }
  }

  PyRef items(PyObject* data, int dim) const {
    PyRef list =
        is_sequence(data) ? checked(PySequence_Fast(data, "tensor(): expected a sequence")) : PyRef();
    if (!list)
      eager::fail(eager::ErrorType::type, "tensor(): not a sequence at dim ", dim, ": got ",
                  Py_TYPE(data)->tp_name);
    Py_ssize_t size = PySequence_Fast_GET_SIZE(list.get());
    if (size != sizes_[dim])
      eager::fail(eager::ErrorType::value, "expected sequence of length ", sizes_[dim], " at dim ", dim,
                  " (got ", size, ")");
    return list;
  }

  void find_dtype(PyObject* data, int dim) {
    if (dim == sizes_.size()) {
      DType found = leaf_dtype(data);
      dtype_ = dtype_ ? eager::promote(*dtype_, found) : found;
      return;
    }
    PyRef list = items(data, dim);
    for (Py_ssize_t i = 0; i < sizes_[dim]; ++i) find_dtype(PySequence_Fast_GET_ITEM(list.get(), i), dim + 1);
  }

  static DType leaf_dtype(PyObject* leaf) {
    if (is_tensor(leaf)) return impl_of(leaf)->meta.dtype;
    if (is_numpy_scalar(leaf)) return tensor_from_array(leaf).dtype();
    FRAMEJIT_CHECK_TYPE(!PyUnicode_Check(leaf), type, "tensor(): invalid data type '", Py_TYPE(leaf)->tp_name,
                        "', expected numbers");
    Value number;
    FRAMEJIT_CHECK(read_number(leaf, &number), "Could not infer dtype of ", Py_TYPE(leaf)->tp_name,
                   ": expected numbers, nested sequences of numbers, or an array");
    return number_dtype(number);
  }

  void store(PyObject* data, int dim, DType dtype, char*& out) const {
    if (dim == sizes_.size()) {
      store_number(data, dtype, out);
      out += eager::item_size(dtype);
      return;
    }
    PyRef list = items(data, dim);
    for (Py_ssize_t i = 0; i < sizes_[dim]; ++i)
      store(PySequence_Fast_GET_ITEM(list.get(), i), dim + 1, dtype, out);
  }

  static void store_number(PyObject* leaf, DType dtype, char* out) {
    Value number;
    if (is_tensor(leaf))
      number = one_element(unwrap(leaf));
    else if (!read_number(leaf, &number) || number.tag() == Value::Tag::scalar_node)
      eager::fail(eager::ErrorType::type, "tensor(): got ", Py_TYPE(leaf)->tp_name,
                  " where a number was expected");
    using namespace eager;  // NOLINT: the element types
    switch (dtype) {
#define X(id, type, text) \
  case DType::id:         \
    return put(out, element_of<type>(number));
      FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
    }
  }
  template <class T>
  static T element_of(const Value& number) {
    if constexpr (eager::is_complex_type<T>) {
      return T(number.complex());
    } else if constexpr (eager::is_floating_type<T>) {
      return T(number.real());
    } else if constexpr (std::is_same_v<T, bool>) {
      return number.complex() != 0.0;
    } else {
      int64_t value = to_integer(number);
      // Small negative numbers wrap, as in PyTorch.
      if (std::is_unsigned_v<T> && value < 0 && value >= -255) value += 256;
      return in_range<T>(value);
    }
  }
  static int64_t to_integer(const Value& number) {
    if (number.tag() == Value::Tag::sym_int || number.tag() == Value::Tag::boolean) return number.integer();
    double value = number.real();
    FRAMEJIT_CHECK(value >= -9223372036854775808.0 && value < 9223372036854775808.0,
                   "value cannot be converted to type int64_t without overflow");
    return int64_t(value);
  }
  template <class T>
  static T in_range(int64_t value) {
    FRAMEJIT_CHECK(int64_t(T(value)) == value, "value cannot be converted to type ",
                   eager::dtype_name(eager::dtype_of<T>()), " without overflow");
    return T(value);
  }
  template <class T>
  static void put(char* out, T value) {
    std::memcpy(out, &value, sizeof(T));
  }

  eager::Dims sizes_;
  std::optional<DType> dtype_;  // empty: no element yet
};

/// A copy of `source` that shares nothing with it, of the wanted dtype.
Tensor copy_of(const Tensor& source, std::optional<DType> dtype) {
  eager::GradModeScope no_grad(false);
  Tensor result = Tensor::empty(source.sizes(), dtype.value_or(source.dtype()));
  return eager::ops::copy_(result, source);
}

}  // namespace

Value item(const Tensor& tensor) { return eager::ops::item(tensor); }

Value one_element(const Tensor& tensor) {
  if (!(tensor.numel() == 1))
    eager::fail(eager::ErrorType::value, "only one element tensors can be converted to Python scalars");
  return item(tensor);
}

PyObject* item_object(const Tensor& tensor) { return to_python(item(tensor)); }

bool truth(const Tensor& tensor) {
  eager::SymInt count = tensor.numel();
  FRAMEJIT_CHECK(count != 0, "Boolean value of Tensor with no values is ambiguous");
  FRAMEJIT_CHECK(count == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return item(tensor).complex() != 0.0;
}

PyObject* to_list(const Tensor& tensor) {
  if (tensor.dim() == 0) return item_object(tensor);
  FRAMEJIT_CHECK(!tensor.is_symbolic(),
                 "tolist(): the data of a tensor is not known while a graph is traced");
  return list_of(tensor, 0, static_cast<const char*>(tensor.data()));
}

Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype, eager::Device device) {
  FRAMEJIT_CHECK(device.type == eager::DeviceType::cpu, "tensor(): got device ", eager::device_name(device),
                 ", expected cpu");
  Value number;
  if (eager::Recorder::current() && read_number(data, &number))
    return eager::ops::scalar_tensor(number, dtype.value_or(number_dtype(number)));
  if (is_tensor(data)) return copy_of(unwrap(data), dtype);
  if (is_numpy_array(data)) return copy_of(tensor_from_array(data), dtype);
  Tensor result = NestedData(data).to_tensor(data, dtype);
  // In a graph the data is a constant, and each run makes a new tensor of it.
  return eager::Recorder::current() ? eager::ops::clone(result) : result;
}

}  // namespace framejit::bindings
