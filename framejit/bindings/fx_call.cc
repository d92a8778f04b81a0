// Calls put into a graph by tracing them: the argument binder, overloads and shape rules are those of eager
// code.
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/fx_graph.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"
#include "graph/trace.h"

namespace framejit::bindings {
namespace {

using eager::Tensor;
using eager::Value;
using graph::Argument;
using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::NodeOutput;
using graph::Tracer;

/// The SymInt that an int input binds.
eager::SymInt symbol_of(const Graph& graph, const Node* input) {
  for (size_t i = 0; i < graph.symbol_sources.size(); ++i) {
    auto [number, dim] = graph.symbol_sources[i];
    if (dim < 0 && number >= 0 && graph.inputs[size_t(number)] == input)
      return eager::SymInt(eager::SizeExpr::symbol(int64_t(i)));
  }
  throw py::type_error("graph: the int input " + input->name + " has no symbol");
}

/// A trace in which nodes of another graph are inputs.
class CallTracer {
 public:
  explicit CallTracer(FxGraph& graph) : graph_(graph), tracer_(graph.graph().shapes) {}

  /// `object` with stand-ins for the nodes in it.
  py::object stand_in(py::handle object) {
    if (py::isinstance<FxNode>(object)) return input({object.cast<FxNode&>().node(), 0});
    if (py::isinstance<FxResult>(object)) {
      auto& result = object.cast<FxResult&>();
      return input({result.node->node(), result.index});
    }
    if (py::isinstance<py::list>(object)) {
      py::list list;
      for (py::handle entry : object) list.append(stand_in(entry));
      return list;
    }
    if (py::isinstance<py::tuple>(object))
      return py::tuple(stand_in(py::list(py::reinterpret_borrow<py::object>(object))));
    if (py::isinstance<py::dict>(object)) {
      py::dict dict;
      for (auto [key, value] : object.cast<py::dict>()) dict[key] = stand_in(value);
      return dict;
    }
    return py::reinterpret_borrow<py::object>(object);
  }

  std::unique_ptr<Graph> finish(const std::vector<Value>& results) { return tracer_.finish(results); }
  NodeOutput original(const Node* input) const { return originals_.at(input); }
  bool is_input(const Node* node) const { return originals_.count(node); }

 private:
  py::object input(NodeOutput ref) {
    const graph::ValueMeta& meta = ref.node->meta[size_t(ref.index)];
    if (meta.is_scalar && meta.tensor.dtype == eager::DType::int64)
      return py::reinterpret_steal<py::object>(new_sym_number(Value(symbol_of(graph_.graph(), ref.node))));
    py::object object;
    if (meta.is_scalar) {
      Value number = tracer_.scalar_input(ref.node->name, meta.tensor.dtype, 0);
      object = py::reinterpret_steal<py::object>(new_sym_number(number));
    } else {
      graph::ValueMeta plain{meta.tensor};
      object = py::reinterpret_steal<py::object>(bindings::wrap(tracer_.tensor_input(ref.node->name, plain)));
    }
    originals_[tracer_.graph().inputs.back()] = ref;
    return object;
  }

  FxGraph& graph_;
  Tracer tracer_;
  std::unordered_map<const Node*, NodeOutput> originals_;
};

/// The values in what a call returned: a tensor or number, or a tuple or list of them.
std::vector<Value> flatten(py::handle object) {
  std::vector<Value> values;
  if (!py::isinstance<py::tuple>(object) && !py::isinstance<py::list>(object)) return {value_of(object)};
  for (py::handle entry : object) values.push_back(value_of(entry));
  return values;
}

struct TracedCall {
  std::unique_ptr<Graph> graph;
  bool returns_tuple;
};

TracedCall trace_call(CallTracer& tracer, py::handle target, py::handle args, py::handle kwargs) {
  py::object call_args = tracer.stand_in(args), call_kwargs = tracer.stand_in(kwargs);
  py::object result = target(*call_args.cast<py::tuple>(), **call_kwargs.cast<py::dict>());
  bool returns_tuple = py::isinstance<py::tuple>(result) || py::isinstance<py::list>(result);
  return {tracer.finish(flatten(result)), returns_tuple};
}

/// Puts the nodes of `traced` into the graph; `map` translates references afterwards.
class Splice {
 public:
  Splice(FxGraph& graph, const CallTracer& tracer) : graph_(graph.graph()), tracer_(tracer) {}

  std::vector<Argument> map(std::vector<Argument> args) const {
    for_each_node_output(args, [&](NodeOutput& ref) {
      if (tracer_.is_input(ref.node))
        ref = tracer_.original(ref.node);
      else
        ref.node = copies_.at(ref.node);
    });
    return args;
  }
  void add(const Node& node) {
    if (node.kind != NodeKind::placeholder && node.kind != NodeKind::output)
      copies_[&node] = graph_.copy(node, map(node.args));
  }

 private:
  Graph& graph_;
  const CallTracer& tracer_;
  std::unordered_map<const Node*, Node*> copies_;
};

}  // namespace

py::object call_into(FxGraph& graph, py::handle target, py::tuple args, py::dict kwargs) {
  CallTracer tracer(graph);
  TracedCall call = trace_call(tracer, target, args, kwargs);
  Splice splice(graph, tracer);
  for (const auto& node : call.graph->nodes) splice.add(*node);
  graph.changed();
  std::vector<Argument> results = splice.map(call.graph->result->args);
  if (results.size() == 1 && !call.returns_tuple) return to_python(graph, results[0]);
  py::tuple tuple(results.size());
  for (size_t i = 0; i < results.size(); ++i) tuple[i] = to_python(graph, results[i]);
  return tuple;
}

void change_call(FxNode& handle, py::handle target, py::tuple args, py::dict kwargs) {
  Node* node = handle.node();
  if (node->kind != NodeKind::call_op)
    throw py::type_error("Node " + node->name +
                         ": only calls of ops have a target and arguments that can be set");
  CallTracer tracer(handle.graph());
  TracedCall call = trace_call(tracer, target, args, kwargs);
  const Node* made = nullptr;
  for (const auto& traced : call.graph->nodes) {
    if (traced->kind == NodeKind::placeholder || traced->kind == NodeKind::output) continue;
    if (made || traced->kind != NodeKind::call_op)
      throw py::value_error("Node " + node->name +
                            ": got a call of several ops, expected one. Use call_function.");
    made = traced.get();
  }
  if (!made) throw py::value_error("Node " + node->name + ": got a call that runs no op, expected one");
  Graph& graph = handle.graph().graph();
  node->op = made->op;
  node->meta = made->meta;
  graph.set_args(node, Splice(handle.graph(), tracer).map(made->args));
  handle.graph().changed();
}

std::shared_ptr<FxGraph> symbolic_trace(py::handle function, py::sequence example_inputs) {
  Tracer tracer;
  py::tuple inputs(example_inputs.size());
  for (size_t i = 0; i < example_inputs.size(); ++i) {
    py::object example = example_inputs[i];
    if (!is_tensor(example.ptr())) throw py::type_error("symbolic_trace: example inputs are tensors");
    Tensor input = tracer.tensor_input("arg" + std::to_string(i), unwrap(example.ptr()));
    inputs[i] = py::reinterpret_steal<py::object>(bindings::wrap(input));
  }
  py::object result = function(*inputs);
  bool returns_tuple = py::isinstance<py::tuple>(result) || py::isinstance<py::list>(result);
  return std::make_shared<FxGraph>(tracer.finish(flatten(result)), returns_tuple);
}

}  // namespace framejit::bindings
