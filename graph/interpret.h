// Running a graph node by node through the dispatcher: the oracle of every other way to run it. Over symbolic
// inputs (and under a Tracer) it traces the graph again, which is how it is differentiated and decomposed.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "graph/trace.h"

namespace framejit::graph {

/// Holds `graph` by reference; safe to run from many threads.
class FRAMEJIT_API Interpreter {
 public:
  /// How a node of kind call_op is run; the default is the dispatcher.
  using Call = std::function<void(const Node& node, const eager::Value* args, eager::Value* results)>;
  explicit Interpreter(const Graph& graph, Call call = {});
  /// As inductor::Executable::run. Grad mode is the thread's, but off for nodes that were recorded under
  /// no_grad.
  void run(const eager::Value* inputs, eager::Value* results) const;

 private:
  struct Frame;  // the values of one run
  void run_node(const Node& node, Frame& frame) const;
  void call_op(const Node& node, Frame& frame) const;
  size_t slot(NodeOutput ref) const { return first_slot_.at(ref.node) + size_t(ref.index); }

  const Graph& graph_;
  Call call_;
  std::unordered_map<const Node*, size_t> first_slot_;
  std::unordered_map<const Node*, std::vector<size_t>> dead_after_;  ///< slots whose last reader a node is
  size_t slot_count_ = 0;
};

/// The value of an argument: `lookup` gives those of nodes, `symbols` those of size symbols. `type` tells
/// lists apart.
FRAMEJIT_API eager::Value to_value(const Argument& argument, eager::ArgType type,
                                   const std::function<eager::Value(NodeOutput)>& lookup,
                                   const std::vector<SymInt>& symbols);

/// A tracer that has been given inputs like those of a graph, over the same size symbols.
class FRAMEJIT_API Retrace {
 public:
  /// The inputs require grad as the graph's do only where `differentiate` is set; else tracing again builds
  /// no autograd graph.
  explicit Retrace(const Graph& graph, bool differentiate = false);
  Tracer& tracer() { return tracer_; }
  const std::vector<eager::Value>& inputs() const { return inputs_; }

 private:
  Tracer tracer_;
  std::vector<eager::Value> inputs_;
};

}  // namespace framejit::graph
