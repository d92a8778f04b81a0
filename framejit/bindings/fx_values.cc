// Arguments of nodes as Python objects, and back.
#include <algorithm>

#include "eager/error.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/fx_graph.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"
#include "graph/print.h"

namespace framejit::bindings {
namespace {

using eager::SymInt;
using eager::Value;
using graph::Argument;
using graph::Node;
using graph::NodeKind;
using graph::NodeOutput;

py::object ref_to_python(FxGraph& graph, NodeOutput ref) {
  std::shared_ptr<FxNode> node = graph.wrap(ref.node);
  if (ref.node->meta.size() == 1) return py::cast(node);
  return py::cast(FxResult{node, ref.index});
}

py::list list_to_python(FxGraph& graph, const Argument::List& list) {
  py::list result;
  for (const Argument& entry : list) result.append(to_python(graph, entry));
  return result;
}

/// How many leading arguments a written call needs: all up to the last positional one that is not its
/// default.
size_t written_positional(const Node& node) {
  const auto& schema = node.op->schema.args;
  size_t count = 0;
  for (size_t i = 0; i < schema.size() && !schema[i].kw_only; ++i)
    if (!schema[i].default_value || !same(node.args[i], graph::to_argument(*schema[i].default_value)))
      count = i + 1;
  return count;
}

py::object attribute(const char* module, const std::string& name) {
  return py::module_::import(module).attr(name.c_str());
}

/// The public function of the op, else its method.
py::object op_target(const eager::Op& op) {
  if (op.is_function) {
    std::string module = op.python_module.empty() ? "ops" : op.python_module;
    std::replace(module.begin(), module.end(), '.', '_');
    return attribute("framejit._C", module).attr(name_in_module(op.schema.name, op.python_module).c_str());
  }
  if (op.is_method) return py::handle(reinterpret_cast<PyObject*>(tensor_type)).attr(op.schema.name.c_str());
  return py::cast(&op, py::return_value_policy::reference);
}

py::object scalar_target(const std::string& name) {
  return name == "float" ? attribute("builtins", name) : attribute("operator", name);
}

}  // namespace

py::object to_python(FxGraph& graph, const Argument& argument) {
  if (const NodeOutput* ref = argument.node_output()) return ref_to_python(graph, *ref);
  if (const auto* list = argument.list()) return list_to_python(graph, *list);
  if (argument.is_none()) return py::none();
  if (const SymInt* size = argument.sym_int()) return py::reinterpret_steal<py::object>(new_int(*size));
  if (const double* real = std::get_if<double>(&argument.value)) return py::float_(*real);
  if (const bool* flag = std::get_if<bool>(&argument.value)) return py::bool_(*flag);
  if (const auto* complex = std::get_if<std::complex<double>>(&argument.value))
    return py::reinterpret_steal<py::object>(PyComplex_FromDoubles(complex->real(), complex->imag()));
  if (const auto* dtype = std::get_if<eager::DType>(&argument.value))
    return py::reinterpret_borrow<py::object>(dtype_object(*dtype));
  if (const auto* device = std::get_if<eager::Device>(&argument.value))
    return py::reinterpret_steal<py::object>(new_device(*device));
  return py::str(std::get<std::string>(argument.value));
}

Argument to_argument(py::handle object) {
  if (py::isinstance<FxNode>(object)) return {NodeOutput{object.cast<FxNode&>().node(), 0}};
  if (py::isinstance<FxResult>(object)) {
    auto& result = object.cast<FxResult&>();
    return {NodeOutput{result.node->node(), result.index}};
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    Argument::List list;
    for (py::handle entry : object) list.push_back(to_argument(entry));
    return {std::move(list)};
  }
  return graph::to_argument(value_of(object));
}

Value value_of(py::handle object) {
  PyObject* raw = object.ptr();
  if (object.is_none()) return {};
  if (is_tensor(raw)) return unwrap(raw);
  if (PyBool_Check(raw)) return object.cast<bool>();
  if (PyLong_Check(raw)) return object.cast<int64_t>();
  if (PyFloat_Check(raw)) return object.cast<double>();
  if (PyComplex_Check(raw))
    return std::complex<double>(PyComplex_RealAsDouble(raw), PyComplex_ImagAsDouble(raw));
  if (is_sym_number(raw)) return sym_number_value(raw);
  throw py::type_error("graph: got an object of type " + std::string(Py_TYPE(raw)->tp_name) +
                       ", expected a Node, a Tensor, a number or None");
}

py::object results_to_python(const std::vector<Value>& results, bool as_tuple) {
  auto convert = [](const Value& value) { return py::reinterpret_steal<py::object>(to_python(value)); };
  if (results.size() == 1 && !as_tuple) return convert(results[0]);
  py::tuple tuple(results.size());
  for (size_t i = 0; i < results.size(); ++i) tuple[i] = convert(results[i]);
  return tuple;
}

py::object target_of(FxGraph&, const Node& node) {
  if (node.kind == NodeKind::call_op) return op_target(*node.op);
  if (node.kind == NodeKind::scalar_op) return scalar_target(node.target);
  return py::str(node.name);
}

py::tuple args_of(FxGraph& graph, const Node& node) {
  if (node.kind == NodeKind::output) {
    if (node.args.size() == 1 && !graph.returns_tuple())
      return py::make_tuple(to_python(graph, node.args[0]));
    return py::make_tuple(py::tuple(list_to_python(graph, node.args)));
  }
  size_t count = node.kind == NodeKind::call_op ? written_positional(node) : node.args.size();
  return py::tuple(list_to_python(graph, {node.args.begin(), node.args.begin() + long(count)}));
}

py::dict kwargs_of(FxGraph& graph, const Node& node) {
  py::dict kwargs;
  if (node.kind != NodeKind::call_op) return kwargs;
  const auto& schema = node.op->schema.args;
  for (size_t i = 0; i < schema.size(); ++i) {
    if (!schema[i].kw_only) continue;
    if (schema[i].default_value && same(node.args[i], graph::to_argument(*schema[i].default_value))) continue;
    kwargs[schema[i].name.c_str()] = to_python(graph, node.args[i]);
  }
  return kwargs;
}

}  // namespace framejit::bindings
