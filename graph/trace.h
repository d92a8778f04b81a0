// Contract: how graphs are made. `Tracer` is the Recorder of the dispatcher: between its construction and
// `finish`, ops called on symbolic tensors append nodes; ops on concrete tensors run, and a concrete tensor
// that meets a symbolic one becomes a constant of the graph.
#pragma once

#include <memory>
#include <string>

#include "eager/dispatch.h"
#include "graph/graph.h"

namespace framejit::graph {

/// Raised by an op that a graph cannot hold (its result depends on data, or it writes into a constant). The
/// trace has to end before it; the op then runs as the interpreter would run it.
class FRAMEJIT_API Untraceable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class FRAMEJIT_API Tracer final : public eager::Recorder {
 public:
  /// Becomes current on this thread, with its ShapeEnv, until `finish` or destruction. Passes that trace a
  /// graph again hand in the graph's own environment, so that its symbols keep their meaning.
  explicit Tracer(std::shared_ptr<eager::ShapeEnv> shapes = std::make_shared<eager::ShapeEnv>());
  ~Tracer() override;

  /// A symbolic tensor for an input like `example`. `dynamic_dims` (bit i: dim i) get symbols, unless the
  /// size is 0 or 1; the others are static. Strides that follow from the symbolic sizes are expressions: the
  /// caller guards that the real strides are what they say.
  eager::Tensor tensor_input(const std::string& name, const eager::Tensor& example,
                             uint64_t dynamic_dims = 0);
  /// An input of which everything is known but the data. Its sizes may use the symbols of `shapes()`.
  eager::Tensor tensor_input(const std::string& name, ValueMeta meta);
  /// A Python number that is an input. An int becomes a symbol of `shapes()` (a SymInt: it can be a size, and
  /// comparing it guards); a float a scalar node. Bools have two values: specialise them.
  eager::Value scalar_input(const std::string& name, DType type, double hint);
  /// An int input whose symbol is already known.
  void integer_input(const std::string& name, SymInt symbol);
  /// Arithmetic between Python numbers of which one is symbolic; see scalar_op.h for the targets. Ints that
  /// give ints make a size expression, everything else a scalar node. `right` is none for unary targets.
  /// Comparisons are decided by guards, not here.
  eager::Value scalar_op(const std::string& target, const eager::Value& left, const eager::Value& right);
  /// A new tensor with the data of `data` at each run of the graph (`tensor([1., 2.])` in user code), which
  /// the graph may write into.
  eager::Tensor fresh_copy(const eager::Tensor& data);
  /// Records a call of something the graph does not look into.
  std::vector<eager::Value> call_opaque(std::shared_ptr<const OpaqueCall> callee, const std::string& name,
                                        const std::vector<eager::Value>& args, std::vector<ValueMeta> meta);

  void record(const eager::Op& op, const eager::Value* args, eager::Value* results) override;

  /// For rolling back (an inlined callee that broke): what was made after the mark is erased, inputs too;
  /// symbolic values made after it must be forgotten by the caller.
  struct Mark {
    int node;
    size_t guard;
  };
  Mark mark() const;
  void rollback(Mark mark);

  /// Whether `record` has refused an op, since this was last asked, because its result depends on data.
  bool take_refused_data();

  Graph& graph();
  /// Also after `finish`: compiling the graph may have added guards.
  eager::ShapeEnv& shapes();
  /// Ends the trace; `results` are symbolic tensors, numbers, concrete tensors or none.
  std::unique_ptr<Graph> finish(const std::vector<eager::Value>& results);
  /// Attached to nodes recorded from now on: the user's line.
  void set_location(std::string stack_trace);

 private:
  struct State;
  void write_mutated_results(const eager::Op& op, const eager::Value* args, eager::Value* results);
  void write_new_results(const eager::Op& op, Node* node, eager::Value* results);
  std::unique_ptr<State> state_;
};

/// The argument form of a boxed value. Tensors are symbolic.
FRAMEJIT_API Argument to_argument(const eager::Value& value);

}  // namespace framejit::graph
