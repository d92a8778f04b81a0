// The submodule framejit._C._library: what framejit/library/ stands on.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "eager/dispatch.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python_op.h"

namespace framejit::bindings {
namespace {

namespace py = pybind11;
using eager::DeviceType;
using eager::Op;

Layer layer_of(const std::string& name) {
  constexpr const char* kNames[kLayerCount] = {"composite",  "autograd", "link", "fake",
                                               "any_device", "cpu",      "cuda"};
  for (int i = 0; i < kLayerCount; ++i)
    if (name == kNames[i]) return Layer(i);
  throw eager::InternalError("no layer is called " + name);
}

/// An op that define made.
const Op& own_op(const std::string& full_name) {
  const Op* op = eager::find_op(full_name);
  FRAMEJIT_CHECK(op && op->extension, "framejit.library: no op is called '", full_name, "'");
  return *op;
}

/// framejit's errors as they come to Python from C functions.
template <class Body>
auto translated(Body body) {
  try {
    return body();
  } catch (const py::error_already_set&) {
    throw;
  } catch (...) {
    set_python_error();
    throw py::error_already_set();
  }
}

py::object callable_for(const Op& op) {
  const Op* const one[] = {&op};
  return py::reinterpret_steal<py::object>(
      new_op_function(*make_overloads(op.full_name, one, false), "framejit.ops"));
}

py::object define(const std::string& schema, bool draws) {
  return translated([&] { return callable_for(define_python_op(schema, draws)); });
}

/// All overloads of a name as one function.
py::object function(const std::string& name) {
  return translated([&] {
    const Overloads* overloads = make_overloads(name, false);
    FRAMEJIT_CHECK(overloads, "framejit.library: no op is called '", name, "'");
    return py::reinterpret_steal<py::object>(new_op_function(*overloads, "framejit.ops"));
  });
}

/// (shape, strides, dtype) of each result, as the fake implementation has it.
py::list infer(const py::object& function, const py::args& args) {
  return translated([&] {
    BoundCall bound;
    bind(overloads_of(function.ptr()), {PySequence_Fast_ITEMS(args.ptr()), Py_ssize_t(args.size()), nullptr},
         &bound);
    std::vector<eager::TensorMeta> metas;
    bound.signature->op->meta(*bound.signature->op, bound.values.data(), metas);
    py::list rows;
    for (const eager::TensorMeta& meta : metas)
      rows.append(py::make_tuple(py::reinterpret_steal<py::object>(new_size(meta.sizes)),
                                 py::reinterpret_steal<py::object>(new_size(meta.strides)),
                                 py::reinterpret_borrow<py::object>(dtype_object(meta.dtype))));
    return rows;
  });
}

void remove(const std::string& full_name) {
  translated([&] {
    const Op& op = own_op(full_name);
    PythonOp& layers = *python_op(op);
    if (layers.twin) eager::unregister_op(*layers.twin);
    for (int layer = 0; layer < kLayerCount; ++layer) layers.set(Layer(layer), nullptr);
    eager::unregister_op(op);
  });
}

void set_function(const std::string& full_name, const std::string& layer, const py::object& function) {
  translated([&] {
    python_op(own_op(full_name))->set(layer_of(layer), function.is_none() ? nullptr : function.ptr());
  });
}

bool has_function(const std::string& full_name, const std::string& layer) {
  return translated([&] { return python_op(own_op(full_name))->get(layer_of(layer)) != nullptr; });
}

eager::DType dtype_of(const py::handle& object) {
  eager::DType dtype;
  FRAMEJIT_CHECK_TYPE(read_dtype(object.ptr(), &dtype), type, "expected a framejit.dtype");
  return dtype;
}

void set_autocast(const std::string& full_name, const std::string& device, const py::object& dtype) {
  translated([&] {
    std::optional<eager::DType> to;
    if (!dtype.is_none()) to = dtype_of(dtype);
    python_op(own_op(full_name))->set_autocast(parse_device(device).type, to);
  });
}

void set_table_kernel(const std::string& full_name, const std::string& device, const py::object& function,
                      const std::vector<py::object>& dtypes) {
  translated([&] {
    const Op* op = eager::find_op(full_name);
    FRAMEJIT_CHECK(op && !op->extension, "framejit.library: no op is called '", full_name, "'");
    std::vector<eager::DType> only;
    for (const py::object& dtype : dtypes) only.push_back(dtype_of(dtype));
    replace_kernel(*op, parse_device(device).type, function.is_none() ? nullptr : function.ptr(), only);
  });
}

py::dict describe(const eager::SchemaArg& arg) {
  py::dict row;
  row["name"] = arg.name;
  row["is_tensor"] = arg.type == eager::ArgType::tensor || arg.type == eager::ArgType::optional_tensor;
  row["is_tensor_list"] =
      arg.type == eager::ArgType::tensor_list || arg.type == eager::ArgType::optional_tensor_list;
  row["kw_only"] = arg.kw_only;
  row["mutated"] = arg.mutated;
  return row;
}

/// What Python needs to know of a schema; RuntimeError for a malformed one.
py::dict parse(const std::string& text) {
  return translated([&] {
    eager::Schema schema;
    try {
      schema = eager::Schema::parse(text);
    } catch (const eager::Error& error) {
      eager::fail(eager::ErrorType::runtime, error.what());
    }
    py::dict result;
    py::list args;
    for (const eager::SchemaArg& arg : schema.args) args.append(describe(arg));
    result["name"] = schema.name;
    result["overload"] = schema.overload;
    result["args"] = args;
    result["result_count"] = schema.result_count;
    result["text"] = schema.str();
    return result;
  });
}

}  // namespace

void init_library(PyObject* module) {
  auto submodule = py::reinterpret_borrow<py::module_>(add_submodule(module, "_library"));
  submodule.def("parse", parse);
  submodule.def("define", define);
  submodule.def("function", function);
  submodule.def("infer", infer);
  submodule.def("remove", remove);
  submodule.def("set_function", set_function);
  submodule.def("has_function", has_function);
  submodule.def("set_autocast", set_autocast);
  submodule.def("set_table_kernel", set_table_kernel);
  submodule.def("is_table_op", [](const std::string& full_name) {
    const Op* op = eager::find_op(full_name);
    return op && !op->extension;
  });
}

}  // namespace framejit::bindings
