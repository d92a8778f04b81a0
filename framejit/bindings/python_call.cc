// Calls of Python functions with the boxed arguments of an op.
#include "eager/dispatch.h"
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/python_op.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {

using eager::Op;
using eager::Tensor;
using eager::Value;

namespace {

/// Lists arrive as lists, as they do in PyTorch.
PyRef to_argument(const Value& value) {
  PyRef object = PyRef::steal(to_python(value));
  return PyTuple_CheckExact(object.get()) ? checked(PySequence_List(object.get())) : std::move(object);
}

[[noreturn]] void fail_result(const Op& op, const std::string& wanted, PyObject* got) {
  eager::fail(eager::ErrorType::type, op.full_name, ": the implementation returned ", Py_TYPE(got)->tp_name,
              ", its schema says ", wanted);
}

void check_is_new(const Op& op, const Value* args, const Tensor& result) {
  if (!result->storage) return;  // symbolic
  auto check = [&](const Tensor& argument) {
    FRAMEJIT_CHECK(!argument.defined() || argument->storage != result->storage, op.full_name,
                   ": the implementation returned a tensor that is one of its inputs or shares memory with "
                   "one; the outputs of a custom op must be new. Return a clone().");
  };
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (op.schema.args[i].mutated) continue;
    if (args[i].is_tensor()) check(args[i].tensor());
    if (args[i].tag() == Value::Tag::tensor_list)
      for (const Tensor& tensor : args[i].tensor_list()) check(tensor);
  }
}

Tensor read_result(const Op& op, const Value* args, PyObject* object) {
  if (!is_tensor(object)) fail_result(op, "Tensor", object);
  Tensor result = unwrap(object);
  if (op.extension) check_is_new(op, args, result);
  return result;
}

void read_results(const Op& op, const Value* args, PyObject* returned, Value* results) {
  const eager::Schema& schema = op.schema;
  if (schema.returns_number) {
    if (!read_number(returned, results)) fail_result(op, "a number", returned);
    return;
  }
  if (schema.returns_list) {
    if (!PyTuple_Check(returned) && !PyList_Check(returned)) fail_result(op, "Tensor[]", returned);
    std::vector<Tensor> list;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(returned); ++i)
      list.push_back(read_result(op, args, PySequence_Fast_GET_ITEM(returned, i)));
    results[0] = std::move(list);
    return;
  }
  if (schema.result_count == 0) {
    if (returned != Py_None && !(PyTuple_Check(returned) && PyTuple_GET_SIZE(returned) == 0))
      fail_result(op, "()", returned);
    return;
  }
  const bool is_sequence = PyTuple_Check(returned) || PyList_Check(returned);
  if (schema.result_count == 1 && !is_sequence) {
    results[0] = read_result(op, args, returned);
    return;
  }
  const std::string wanted = eager::concat(schema.result_count, " tensors");
  if (!is_sequence) fail_result(op, wanted, returned);
  FRAMEJIT_CHECK(PySequence_Fast_GET_SIZE(returned) == schema.result_count, op.full_name,
                 ": the implementation returned ", PySequence_Fast_GET_SIZE(returned),
                 " values, its schema says ", wanted);
  for (int i = 0; i < schema.result_count; ++i)
    results[i] = read_result(op, args, PySequence_Fast_GET_ITEM(returned, i));
}

}  // namespace

PythonArgs python_args(const Op& op, const Value* args) {
  PythonArgs result;
  Py_ssize_t count = 0;
  for (const eager::SchemaArg& arg : op.schema.args) count += !arg.kw_only;
  result.positional = checked(PyTuple_New(count));
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    PyRef value = to_argument(args[i]);
    if (Py_ssize_t(i) < count) {
      PyTuple_SET_ITEM(result.positional.get(), Py_ssize_t(i), value.release());
      continue;
    }
    if (!result.keywords) result.keywords = checked(PyDict_New());
    check_status(PyDict_SetItemString(result.keywords.get(), op.schema.args[i].name.c_str(), value.get()));
  }
  return result;
}

void call_python(PyObject* function, const Op& op, const Value* args, Value* results) {
  PyRef alive = PyRef::borrow(function);
  as_eager_errors([&] {
    PythonArgs arguments = python_args(op, args);
    PyRef returned = checked(PyObject_Call(function, arguments.positional.get(), arguments.keywords.get()));
    read_results(op, args, returned.get(), results);
  });
}

}  // namespace framejit::bindings
