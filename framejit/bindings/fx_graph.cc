#include "framejit/bindings/fx_graph.h"

#include <pybind11/stl.h>

#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/fx.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"
#include "graph/passes/dce.h"
#include "graph/passes/infer_meta.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "symbolic/backends.h"

namespace framejit::bindings {

using graph::Argument;
using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::NodeOutput;

// --- identity and lifetime ---------------------------------------------------------------------------------

std::shared_ptr<FxNode> FxGraph::wrap(Node* node) {
  std::shared_ptr<FxNode> wrapped = nodes_[node].lock();
  if (!wrapped) nodes_[node] = wrapped = std::make_shared<FxNode>(shared_from_this(), node);
  return wrapped;
}

py::dict FxGraph::meta(Node* node) {
  auto found = metas_.find(node);
  if (found == metas_.end()) found = metas_.emplace(node, py::dict()).first;
  return found->second;
}

void FxGraph::erase(FxNode& handle) {
  Node* node = handle.node();
  if (!node->users.empty())
    throw std::runtime_error("Tried to erase Node " + node->name + " but it still had " +
                             std::to_string(node->users.size()) + " users in the graph.");
  graph_->erase(node);
  nodes_.erase(node);
  metas_.erase(node);
  handle.forget();
  changed();
}

const graph::Interpreter& FxGraph::interpreter() {
  if (!interpreter_) interpreter_ = std::make_unique<graph::Interpreter>(*graph_);
  return *interpreter_;
}

std::shared_ptr<FxGraph> FxGraph::clone() {
  return std::make_shared<FxGraph>(graph_->clone(), returns_tuple_);
}

Node* FxNode::node() const {
  if (!node_) throw std::runtime_error("this Node has been erased from its graph");
  return node_;
}

namespace {

// --- nodes -------------------------------------------------------------------------------------------------

const char* op_name(const Node& node) {
  switch (node.kind) {
    case NodeKind::placeholder:
      return "placeholder";
    case NodeKind::constant:
      return "get_attr";
    case NodeKind::output:
      return "output";
    default:
      return "call_function";
  }
}

/// Shape, dtype and stride of the results, under the key that PyTorch's passes use.
py::dict meta_of(FxNode& handle) {
  py::dict meta = handle.graph().meta(handle.node());
  py::object simple = py::module_::import("types").attr("SimpleNamespace");
  py::list entries;
  for (const graph::ValueMeta& value : handle.node()->meta) {
    if (value.is_scalar) {
      entries.append(py::none());
      continue;
    }
    entries.append(
        simple(py::arg("shape") = py::reinterpret_steal<py::object>(new_size(value.tensor.sizes)),
               py::arg("stride") = py::reinterpret_steal<py::object>(new_size(value.tensor.strides)),
               py::arg("dtype") = py::reinterpret_borrow<py::object>(dtype_object(value.tensor.dtype)),
               py::arg("requires_grad") = value.requires_grad));
  }
  if (entries.size() == 1)
    meta["tensor_meta"] = entries[0];
  else if (entries.size() > 1)
    meta["tensor_meta"] = py::tuple(entries);
  if (!handle.node()->stack_trace.empty()) meta["stack_trace"] = handle.node()->stack_trace;
  return meta;
}

py::dict users_of(FxNode& handle) {
  py::dict users;
  for (Node* user : handle.node()->users) users[py::cast(handle.graph().wrap(user))] = py::none();
  return users;
}

py::list input_nodes_of(FxNode& handle) {
  py::list nodes;
  for_each_node_output(handle.node()->args, [&](const NodeOutput& ref) {
    py::object node = py::cast(handle.graph().wrap(ref.node));
    if (!nodes.contains(node)) nodes.append(node);
  });
  return nodes;
}

void replace_uses(FxNode& handle, py::handle with) {
  const Argument replacement = to_argument(with);
  const NodeOutput* to = replacement.node_output();
  if (!to) throw py::type_error("replace_all_uses_with: expected a Node");
  NodeOutput target = *to;
  Node* node = handle.node();
  // A node that is computed from this one keeps its argument: `n.replace_all_uses_with(relu(n))`.
  std::vector<Argument> own = target.node->args;
  if (target.node->meta.size() != node->meta.size())
    handle.graph().graph().replace_all_uses({node, 0}, target);
  else
    for (size_t i = 0; i < node->meta.size(); ++i)
      handle.graph().graph().replace_all_uses({node, int(i)}, {target.node, target.index + int(i)});
  if (target.node != node) handle.graph().graph().set_args(target.node, std::move(own));
  handle.graph().changed();
}

py::object neighbour(FxNode& handle, bool next) {
  auto at = handle.node()->position;
  auto& nodes = handle.graph().graph().nodes;
  if (next ? std::next(at) == nodes.end() : at == nodes.begin()) return py::none();
  return py::cast(handle.graph().wrap((next ? std::next(at) : std::prev(at))->get()));
}

void bind_node(py::module_& module) {
  py::class_<FxResult>(module, "Result", "One result of a node that has several.")
      .def_readonly("node", &FxResult::node)
      .def_readonly("index", &FxResult::index)
      .def("__repr__",
           [](const FxResult& r) { return r.node->node()->name + "[" + std::to_string(r.index) + "]"; })
      .def("__eq__",
           [](const FxResult& a, const FxResult& b) { return a.node == b.node && a.index == b.index; })
      .def("__hash__", [](const FxResult& r) { return py::hash(py::make_tuple(r.node, r.index)); });

  py::class_<FxNode, std::shared_ptr<FxNode>>(module, "Node", "A step of a graph.")
      .def_property_readonly("graph", [](FxNode& n) { return n.shared_graph(); })
      .def_property_readonly("op", [](FxNode& n) { return op_name(*n.node()); })
      .def_property(
          "name", [](FxNode& n) { return n.node()->name; },
          [](FxNode& n, const std::string& name) { n.node()->name = n.graph().graph().unique_name(name); })
      .def_property(
          "target", [](FxNode& n) { return target_of(n.graph(), *n.node()); },
          [](FxNode& n, py::handle target) {
            change_call(n, target, args_of(n.graph(), *n.node()), kwargs_of(n.graph(), *n.node()));
          })
      .def_property(
          "args", [](FxNode& n) { return args_of(n.graph(), *n.node()); },
          [](FxNode& n, py::tuple args) {
            if (n.node()->kind == NodeKind::output) {
              Argument value = to_argument(args[0]);
              n.graph().set_returns_tuple(value.list());
              n.graph().graph().output(value.list() ? *value.list() : std::vector<Argument>{value});
              n.graph().changed();
              return;
            }
            change_call(n, target_of(n.graph(), *n.node()), args, kwargs_of(n.graph(), *n.node()));
          })
      .def_property(
          "kwargs", [](FxNode& n) { return kwargs_of(n.graph(), *n.node()); },
          [](FxNode& n, py::dict kwargs) {
            change_call(n, target_of(n.graph(), *n.node()), args_of(n.graph(), *n.node()), kwargs);
          })
      .def_property_readonly("users", users_of)
      .def_property_readonly("all_input_nodes", input_nodes_of)
      .def_property_readonly("meta", meta_of)
      .def_property_readonly("result_count", [](FxNode& n) { return n.node()->meta.size(); })
      .def_property_readonly("grad_mode", [](FxNode& n) { return n.node()->grad_mode; })
      .def_property_readonly(
          "constant",
          [](FxNode& n) { return py::reinterpret_steal<py::object>(bindings::wrap(n.node()->constant)); },
          "The tensor of a get_attr node, else None.")
      .def_property_readonly("stack_trace",
                             [](FxNode& n) -> py::object {
                               if (n.node()->stack_trace.empty()) return py::none();
                               return py::str(n.node()->stack_trace);
                             })
      .def_property_readonly("next", [](FxNode& n) { return neighbour(n, true); })
      .def_property_readonly("prev", [](FxNode& n) { return neighbour(n, false); })
      .def("replace_all_uses_with", replace_uses, py::arg("replace_with"))
      .def("format_node", [](FxNode& n) { return print(*n.node()); })
      .def("__getitem__",
           [](const std::shared_ptr<FxNode>& n, int index) {
             if (index < 0 || size_t(index) >= n->node()->meta.size())
               throw py::index_error("Node " + n->node()->name + " has " +
                                     std::to_string(n->node()->meta.size()) + " results");
             return FxResult{n, index};
           })
      .def("__repr__", [](FxNode& n) { return n.node()->name; });
}

// --- graphs ------------------------------------------------------------------------------------------------

std::shared_ptr<FxNode> add_placeholder(FxGraph& graph, const std::string& name, py::handle example) {
  graph::ValueMeta meta;
  if (is_tensor(example.ptr())) {
    eager::Tensor tensor = unwrap(example.ptr());
    meta.tensor = tensor.meta();
    meta.requires_grad = tensor.requires_grad();
  } else if (PyFloat_Check(example.ptr())) {
    meta.is_scalar = true;
    meta.tensor.dtype = eager::DType::float64;
  } else {
    throw py::type_error("placeholder: got an example of type " +
                         std::string(Py_TYPE(example.ptr())->tp_name) +
                         ", expected a Tensor or a float; shapes and dtypes of the graph follow from it");
  }
  graph.changed();
  return graph.wrap(graph.graph().placeholder(name, std::move(meta)));
}

std::shared_ptr<FxNode> set_output(FxGraph& graph, py::handle value) {
  Argument argument = to_argument(value);
  graph.set_returns_tuple(argument.list());
  graph.changed();
  return graph.wrap(
      graph.graph().output(argument.list() ? *argument.list() : std::vector<Argument>{argument}));
}

py::object run(FxGraph& graph, const py::args& args) {
  Graph& ir = graph.graph();
  if (!ir.result) throw std::runtime_error("graph: it has no output node");
  if (args.size() != ir.inputs.size())
    throw py::type_error("forward() takes " + std::to_string(ir.inputs.size()) + " inputs, got " +
                         std::to_string(args.size()));
  std::vector<eager::Value> inputs, results(ir.result->args.size());
  for (py::handle arg : args) inputs.push_back(value_of(arg));
  graph.interpreter().run(inputs.data(), results.data());
  return results_to_python(results, graph.returns_tuple());
}

/// `with graph.inserting_before(node):` new nodes go there.
class InsertionScope {
 public:
  InsertionScope(std::shared_ptr<FxGraph> graph, std::shared_ptr<FxNode> place, bool after)
      : graph_(std::move(graph)), place_(std::move(place)), after_(after) {}
  void enter() {
    Graph& graph = graph_->graph();
    auto position = place_->node()->position;
    // After an input means after all of them: they come first.
    if (after_ && (*position)->kind == NodeKind::placeholder) position = graph.inputs.back()->position;
    saved_ = std::exchange(graph.insertion_point, after_ ? std::next(position) : position);
  }
  void exit() { graph_->graph().insertion_point = saved_; }

 private:
  std::shared_ptr<FxGraph> graph_;
  std::shared_ptr<FxNode> place_;
  bool after_;
  std::list<std::unique_ptr<Node>>::iterator saved_;
};

void bind_graph(py::module_& module) {
  py::class_<InsertionScope>(module, "InsertionScope")
      .def("__enter__", &InsertionScope::enter)
      .def("__exit__", [](InsertionScope& scope, const py::args&) { scope.exit(); });
  py::class_<FxGraph, std::shared_ptr<FxGraph>>(module, "Graph",
                                                "A list of nodes in the order in which they run.")
      .def(py::init([] { return std::make_shared<FxGraph>(std::make_unique<Graph>(), false); }))
      .def_property_readonly("nodes",
                             [](FxGraph& g) {
                               py::list nodes;
                               for (auto& node : g.graph().nodes) nodes.append(g.wrap(node.get()));
                               return nodes;
                             })
      .def("placeholder", add_placeholder, py::arg("name"), py::arg("example"))
      .def("get_attr",
           [](FxGraph& g, py::handle tensor) {
             g.changed();
             return g.wrap(g.graph().constant(unwrap_checked(tensor.ptr(), "get_attr")));
           })
      .def(
          "call_function",
          [](FxGraph& g, py::handle target, py::tuple args, py::dict kwargs) {
            return call_into(g, target, args, kwargs);
          },
          py::arg("the_function"), py::arg("args") = py::tuple(), py::arg("kwargs") = py::dict())
      .def("output", set_output, py::arg("result"))
      .def("erase_node", &FxGraph::erase, py::arg("to_erase"))
      .def("eliminate_dead_code",
           [](FxGraph& g) {
             size_t before = g.graph().nodes.size();
             for (auto at = g.graph().nodes.end(); at != g.graph().nodes.begin();) {
               Node* node = std::prev(at)->get();
               if (node->users.empty() && !has_effect(*node))
                 g.erase(*g.wrap(node));
               else
                 --at;
             }
             return g.graph().nodes.size() != before;
           })
      .def("lint", [](FxGraph& g) { verify(g.graph()); })
      .def("infer_meta",
           [](FxGraph& g) {
             graph::passes::infer_meta(g.graph());
             g.changed();
           })
      .def("clone", &FxGraph::clone)
      .def("run", run)
      .def(
          "inserting_before",
          [](std::shared_ptr<FxGraph> g, std::shared_ptr<FxNode> n) { return InsertionScope(g, n, false); },
          py::arg("n"))
      .def(
          "inserting_after",
          [](std::shared_ptr<FxGraph> g, std::shared_ptr<FxNode> n) { return InsertionScope(g, n, true); },
          py::arg("n"))
      .def("__str__", [](FxGraph& g) { return print(g.graph()); });
}

/// The arguments of a call of one row, bound by position and name.
std::vector<eager::Value> op_arguments(const eager::Op& op, const py::args& args, const py::kwargs& kwargs) {
  std::vector<eager::Value> values;
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    const eager::SchemaArg& arg = op.schema.args[i];
    bool wraps_number = op.wraps_numbers && arg.type == eager::ArgType::tensor;
    Param param{&arg, interned(arg.name.c_str()), {}, wraps_number};
    bool named = kwargs.contains(arg.name.c_str());
    if (i >= args.size() && !named) {
      if (!arg.default_value && !arg.optional)
        throw py::type_error(op.full_name + "(): missing argument " + arg.name);
      values.push_back(arg.default_value.value_or(eager::Value()));
      continue;
    }
    py::object given = named ? kwargs[arg.name.c_str()].cast<py::object>() : args[i].cast<py::object>();
    if (!read_argument(param, given.ptr(), &values.emplace_back()))
      throw py::type_error(op.full_name + "(): argument " + arg.name + " cannot be " +
                           std::string(py::repr(given)));
  }
  return values;
}

void bind_op(py::module_& module) {
  py::class_<eager::Op, std::unique_ptr<eager::Op, py::nodelete>>(
      module, "OpOverload", "A row of the op table that has no public name.")
      .def_property_readonly("name", [](const eager::Op& op) { return op.full_name; })
      .def("__call__",
           [](const eager::Op& op, const py::args& args, const py::kwargs& kwargs) {
             std::vector<eager::Value> values = op_arguments(op, args, kwargs);
             return py::reinterpret_steal<py::object>(run_op(op, values.data()));
           })
      .def("__repr__", [](const eager::Op& op) { return "<op " + op.full_name + ">"; });
}

}  // namespace

void init_fx(PyObject* module) {
  auto parent = py::reinterpret_borrow<py::module_>(module);
  py::module_ fx = parent.def_submodule("fx", "Graphs, their nodes, and how to run them.");
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      std::rethrow_exception(pointer);
    } catch (const PythonError&) {
    } catch (const eager::Error&) {
      set_python_error();
    } catch (const eager::InternalError&) {
      set_python_error();
    }
  });
  bind_op(fx);
  bind_node(fx);
  bind_graph(fx);
  symbolic::set_callable_compiler(compile_with_callable);
  fx.def("symbolic_trace", symbolic_trace, py::arg("function"), py::arg("example_inputs"));
}

}  // namespace framejit::bindings
