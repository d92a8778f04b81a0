// Contract: how graphs are made. `Tracer` is the Recorder of the dispatcher: between its construction and
// `finish`, ops called on symbolic tensors append nodes; ops on concrete tensors run, and a concrete tensor
// that meets a symbolic one becomes a constant of the graph.
#pragma once

#include <memory>
#include <string>

#include "eager/dispatch.h"
#include "graph/graph.h"

namespace framejit::graph {

class FRAMEJIT_API Tracer final : public eager::Recorder {
 public:
  /// Becomes current on this thread, with a ShapeEnv of its own, until `finish` or destruction.
  Tracer();
  ~Tracer() override;

  /// A symbolic tensor for an input like `example`. `dynamic_dims` (bit i: dim i) get symbols; the others are
  /// static.
  eager::Tensor tensor_input(const std::string& name, const eager::Tensor& example,
                             uint64_t dynamic_dims = 0);
  /// A Python scalar input of type int64, float64 or bool; an int also gets a size symbol so that it can be a
  /// size.
  eager::Value scalar_input(const std::string& name, DType type, double hint);
  /// Arithmetic between Python scalars of which one is symbolic: "add", "sub", "mul", "truediv", "floordiv",
  /// "mod", "pow", "neg", "abs"; comparisons are decided by guards, not here.
  eager::Value scalar_op(const std::string& target, const eager::Value& left, const eager::Value& right);

  void record(const eager::Op& op, const eager::Value* args, eager::Value* results) override;

  /// For rolling back (an inlined callee that broke): nodes made after the mark are erased; symbolic tensors
  /// made after it must be forgotten by the caller.
  size_t mark() const;
  void rollback(size_t mark);

  Graph& graph();
  eager::ShapeEnv& shapes();
  /// Ends the trace; `results` are symbolic tensors, scalars or concrete tensors.
  std::unique_ptr<Graph> finish(const std::vector<eager::Value>& results);
  /// Attached to nodes recorded from now on: the user's line.
  void set_location(std::string stack_trace);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The argument form of a boxed value, and back given the values of nodes.
FRAMEJIT_API Argument to_argument(const eager::Value& value);

}  // namespace framejit::graph
