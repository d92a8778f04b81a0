#include "framejit/bindings/results.h"

#include <map>

#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Value;

template <class List, class Convert>
PyObject* to_tuple(const List& list, Convert convert) {
  PyRef tuple = checked(PyTuple_New(Py_ssize_t(list.size())));
  for (size_t i = 0; i < list.size(); ++i) PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i), convert(list[i]));
  return tuple.release();
}

PyObject* not_null(PyObject* object) {
  if (!object) throw PythonError();
  return object;
}

/// The named tuple type of an op with named results, made at its first call. Guarded by the GIL.
PyTypeObject* result_type(const eager::Op& op) {
  static std::map<const eager::Op*, PyTypeObject*> types;
  PyTypeObject*& type = types[&op];
  if (type) return type;
  const auto& names = op.schema.result_names;
  auto* fields = new PyStructSequence_Field[names.size() + 1]();  // the type keeps pointing at these
  for (size_t i = 0; i < names.size(); ++i) fields[i].name = names[i].c_str();
  auto* type_name = new std::string("framejit.return_types." + op.schema.name);
  PyStructSequence_Desc description = {type_name->c_str(), nullptr, fields, int(names.size())};
  type = PyStructSequence_NewType(&description);
  if (!type) throw PythonError();
  return type;
}

PyObject* named_results(const eager::Op& op, const Value* results, int count) {
  PyRef object = checked(PyStructSequence_New(result_type(op)));
  for (int i = 0; i < count; ++i) PyStructSequence_SetItem(object.get(), i, to_python(results[i]));
  return object.release();
}

}  // namespace

PyObject* to_python(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::none:
      Py_RETURN_NONE;
    case Value::Tag::tensor:
      return wrap(value.tensor());
    case Value::Tag::sym_int:
      return new_int(value.sym_int());
    case Value::Tag::real:
      return not_null(PyFloat_FromDouble(value.real()));
    case Value::Tag::boolean:
      return PyBool_FromLong(value.boolean());
    case Value::Tag::complex:
      return not_null(PyComplex_FromDoubles(value.complex().real(), value.complex().imag()));
    case Value::Tag::dtype:
      return Py_NewRef(dtype_object(value.dtype()));
    case Value::Tag::device:
      return new_device(value.device());
    case Value::Tag::string:
      return to_str(value.string()).release();
    case Value::Tag::int_list:
      return to_tuple(value.int_list(), new_int);
    case Value::Tag::real_list:
      return to_tuple(value.real_list(), [](double x) { return not_null(PyFloat_FromDouble(x)); });
    case Value::Tag::bool_list:
      return to_tuple(value.bool_list(), [](bool x) { return PyBool_FromLong(x); });
    case Value::Tag::tensor_list:
      return to_tuple(value.tensor_list(), wrap);
    case Value::Tag::scalar_node:
      return new_sym_number(value);
    case Value::Tag::generator:
      break;
  }
  throw eager::InternalError("a generator as the result of an op");
}

PyObject* results_to_python(const eager::Op& op, const Value* results) {
  int count = op.schema.result_count;
  if (count == 1) return to_python(results[0]);
  if (count == 0) Py_RETURN_NONE;
  if (!op.schema.result_names.empty()) return named_results(op, results, count);
  PyRef tuple = checked(PyTuple_New(count));
  for (int i = 0; i < count; ++i) PyTuple_SET_ITEM(tuple.get(), i, to_python(results[i]));
  return tuple.release();
}

}  // namespace framejit::bindings
