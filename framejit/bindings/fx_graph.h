// A graph that Python holds, and its nodes. Python objects of one node are one object while any lives; a node
// that has been erased stays a valid Python object that refuses every use.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/interpret.h"

namespace framejit::bindings {

namespace py = pybind11;

class FxNode;

class FxGraph : public std::enable_shared_from_this<FxGraph> {
 public:
  FxGraph(std::unique_ptr<graph::Graph> graph, bool returns_tuple)
      : graph_(std::move(graph)), returns_tuple_(returns_tuple) {}

  graph::Graph& graph() { return *graph_; }
  /// Whether running it gives a tuple also when there is one result.
  bool returns_tuple() const { return returns_tuple_; }
  void set_returns_tuple(bool value) { returns_tuple_ = value; }

  std::shared_ptr<FxNode> wrap(graph::Node* node);
  /// The node's `meta` dictionary, which is Python's own.
  py::dict meta(graph::Node* node);
  void erase(FxNode& node);

  /// Call after every change; drops what was made from the old graph.
  void changed() { interpreter_.reset(); }
  const graph::Interpreter& interpreter();
  std::shared_ptr<FxGraph> clone();

 private:
  std::unique_ptr<graph::Graph> graph_;
  bool returns_tuple_;
  std::unordered_map<graph::Node*, std::weak_ptr<FxNode>> nodes_;
  std::unordered_map<graph::Node*, py::dict> metas_;
  std::unique_ptr<graph::Interpreter> interpreter_;
};

class FxNode {
 public:
  FxNode(std::shared_ptr<FxGraph> graph, graph::Node* node) : graph_(std::move(graph)), node_(node) {}

  FxGraph& graph() { return *graph_; }
  const std::shared_ptr<FxGraph>& shared_graph() const { return graph_; }
  graph::Node* node() const;  ///< RuntimeError once it has been erased
  void forget() { node_ = nullptr; }

 private:
  std::shared_ptr<FxGraph> graph_;
  graph::Node* node_;
};

/// One result of a node that has several. Node 0 of `a, b = f(x)` is `f[0]`.
struct FxResult {
  std::shared_ptr<FxNode> node;
  int index;
};

// fx_values.cc
py::object to_python(FxGraph& graph, const graph::Argument& argument);
/// What can stand in a node's arguments; throws TypeError for others.
graph::Argument to_argument(py::handle object);
/// The function, method or operator that a node calls; a name for inputs, constants and results.
py::object target_of(FxGraph& graph, const graph::Node& node);
/// The arguments of a node as they would be written in a call.
py::tuple args_of(FxGraph& graph, const graph::Node& node);
py::dict kwargs_of(FxGraph& graph, const graph::Node& node);
py::object results_to_python(const std::vector<eager::Value>& results, bool as_tuple);
eager::Value value_of(py::handle object);  ///< a tensor, a number or None

// fx_call.cc
/// Calls `target` on stand-ins for the nodes among the arguments and puts the ops that it calls into the
/// graph, at its insertion point. Gives what the call returned, in terms of the new nodes.
py::object call_into(FxGraph& graph, py::handle target, py::tuple args, py::dict kwargs);
/// Makes `node` that call instead, which has to be one op.
void change_call(FxNode& node, py::handle target, py::tuple args, py::dict kwargs);
std::shared_ptr<FxGraph> symbolic_trace(py::handle function, py::sequence example_inputs);

}  // namespace framejit::bindings
