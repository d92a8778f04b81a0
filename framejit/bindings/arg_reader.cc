#include "framejit/bindings/arg_reader.h"

#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::ArgType;
using eager::SymInt;
using eager::Tensor;
using eager::Value;

int64_t to_int64(PyObject* number) {
  int overflow;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  FRAMEJIT_CHECK(!overflow, "Overflow when unpacking long: got an int beyond 64 bits, expected an int64");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

/// numpy.<name>, null as long as nobody has imported NumPy.
PyTypeObject* numpy_type(const char* name) {
  PyObject* modules = PyImport_GetModuleDict();  // borrowed
  PyObject* numpy = PyDict_GetItemString(modules, "numpy");
  if (!numpy) return nullptr;
  PyObject* type =
      PyObject_GetAttrString(numpy, name);  // lives as long as the process: NumPy is never unloaded
  if (!type) PyErr_Clear();
  return reinterpret_cast<PyTypeObject*>(type);
}

bool is_instance_of_numpy(PyObject* object, const char* name, PyTypeObject*& cached) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyFloat_Type || type == &PyLong_Type || type == tensor_type) return false;
  if (!cached) cached = numpy_type(name);
  return cached && PyType_IsSubtype(type, cached);
}

/// The one element of a 0-dim tensor that needs no gradient, where a number is expected.
bool read_number_of_tensor(PyObject* object, Value* value) {
  const eager::TensorImpl* impl = impl_of(object);
  if (impl->meta.sizes.size() != 0 || impl->requires_grad) return false;
  *value = item(unwrap(object));
  return true;
}

bool read_numpy_scalar(PyObject* object, Value* value) {
  PyRef number = checked(PyObject_CallMethod(object, "item", nullptr));
  return (PyLong_Check(number.get()) || PyFloat_Check(number.get()) || PyComplex_Check(number.get())) &&
         read_number(number.get(), value);
}

bool read_real(PyObject* object, Value* value) {
  if (PyFloat_Check(object)) {
    *value = PyFloat_AS_DOUBLE(object);
    return true;
  }
  Value number;
  bool is_real =
      read_number(object, &number) || (is_tensor(object) && read_number_of_tensor(object, &number));
  if (!is_real || number.tag() == Value::Tag::complex) return false;
  if (number.tag() == Value::Tag::scalar_node)
    *value = number;
  else
    *value = number.real();
  return true;
}

bool read_tensor_list(PyObject* object, bool allow_none, Value* value) {
  bool is_tuple = PyTuple_Check(object);
  if (!is_tuple && !PyList_Check(object)) return false;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  std::vector<Tensor> tensors(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(object, i);
    if (is_tensor(entry))
      tensors[size_t(i)] = unwrap(entry);
    else if (!(allow_none && entry == Py_None))
      return false;
  }
  *value = std::move(tensors);
  return true;
}

bool read_ints(const eager::SchemaArg& arg, PyObject* object, Value* value) {
  std::vector<SymInt> values;
  if (!read_int_list(object, &values)) {
    SymInt one;
    if (arg.list_size == 0 || !read_int(object, &one)) return false;
    values.assign(size_t(arg.list_size), one);
  }
  *value = std::move(values);
  return true;
}

bool read_real_list(PyObject* object, Value* value) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  std::vector<double> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    Value entry;
    if (!read_real(PySequence_Fast_GET_ITEM(object, i), &entry) || entry.tag() != Value::Tag::real)
      return false;
    values.push_back(entry.real());
  }
  *value = std::move(values);
  return true;
}

bool read_bool_list(PyObject* object, Value* value) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  std::vector<bool> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(object, i);
    if (!PyBool_Check(entry)) return false;
    values.push_back(entry == Py_True);
  }
  *value = std::move(values);
  return true;
}

bool read_bool(PyObject* object, Value* value) {
  Value number;
  if (PyBool_Check(object))
    number = object == Py_True;
  else if (!read_number(object, &number))
    return false;
  if (number.tag() != Value::Tag::boolean) return false;
  *value = number;
  return true;
}

template <class T, bool (*read)(PyObject*, T*)>
bool read_as(PyObject* object, Value* value) {
  T result;
  if (!read(object, &result)) return false;
  *value = result;
  return true;
}

bool read_scalar(PyObject* object, Value* value) {
  return read_number(object, value) || (is_tensor(object) && read_number_of_tensor(object, value));
}

}  // namespace

bool read_argument(const Param& param, PyObject* object, Value* value) {
  const eager::SchemaArg& arg = *param.arg;
  if (is_plain_tensor(object) && (arg.type == ArgType::tensor || arg.type == ArgType::optional_tensor)) {
    *value = unwrap(object);
    return true;
  }
  if (object == Py_None && (arg.optional || arg.type == ArgType::optional_tensor)) {
    *value = Value();
    return true;
  }
  switch (arg.type) {
    case ArgType::tensor:
    case ArgType::optional_tensor:
      if (is_tensor(object)) {
        *value = unwrap(object);
        return true;
      }
      return param.wraps_number && read_number(object, value);
    case ArgType::tensor_list:
      return read_tensor_list(object, false, value);
    case ArgType::optional_tensor_list:
      return read_tensor_list(object, true, value);
    case ArgType::integer:
      return read_as<SymInt, read_int>(object, value);
    case ArgType::integer_list:
      return read_ints(arg, object, value);
    case ArgType::real:
      return read_real(object, value);
    case ArgType::boolean:
      return read_bool(object, value);
    case ArgType::scalar:
      return read_scalar(object, value);
    case ArgType::string:
      if (!PyUnicode_Check(object)) return false;
      *value = text_of(object);
      return true;
    case ArgType::dtype:
      return read_as<eager::DType, read_dtype>(object, value);
    case ArgType::device:
      return read_as<eager::Device, read_device>(object, value);
    case ArgType::generator:
      if (!is_generator(object)) return false;
      *value = generator_value(object);
      return true;
    case ArgType::real_list:
      return read_real_list(object, value);
    case ArgType::bool_list:
      return read_bool_list(object, value);
  }
  return false;
}

bool read_number(PyObject* object, Value* value) {
  if (PyFloat_Check(object))
    *value = PyFloat_AS_DOUBLE(object);
  else if (PyBool_Check(object))
    *value = object == Py_True;
  else if (PyLong_Check(object))
    *value = to_int64(object);
  else if (PyComplex_Check(object))
    *value = std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  else if (is_sym_number(object))
    *value = sym_number_value(object);
  else
    return is_numpy_scalar(object) && read_numpy_scalar(object, value);
  return true;
}

bool read_int(PyObject* object, SymInt* value) {
  if (PyLong_CheckExact(object)) {
    *value = to_int64(object);
    return true;
  }
  Value number;
  if (!read_scalar(object, &number) || number.tag() != Value::Tag::sym_int) return false;
  *value = number.sym_int();
  return true;
}

bool read_size(PyObject* object, SymInt* value) {
  if (read_int(object, value)) return true;
  if (!is_tensor(object)) return false;
  const eager::TensorMeta& meta = impl_of(object)->meta;
  if (!eager::is_integral(meta.dtype, false) || !(eager::numel(meta.sizes) == 1)) return false;
  Value number = item(unwrap(object));
  if (number.tag() != Value::Tag::sym_int) return false;
  *value = number.sym_int();
  return true;
}

bool read_int_list(PyObject* object, std::vector<SymInt>* values) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  values->resize(size_t(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!read_size(PySequence_Fast_GET_ITEM(object, i), &(*values)[size_t(i)])) return false;
  return true;
}

bool is_numpy_scalar(PyObject* object) {
  static PyTypeObject* generic = nullptr;
  return is_instance_of_numpy(object, "generic", generic);
}

bool is_numpy_array(PyObject* object) {
  static PyTypeObject* ndarray = nullptr;
  return is_instance_of_numpy(object, "ndarray", ndarray);
}

}  // namespace framejit::bindings
