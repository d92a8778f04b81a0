// A graph with in-place ops that fails half-way would leave its inputs half-written, and the frame that is
// then run again by the interpreter would write a second time. Where that can be, such a graph is run on
// copies first.
#pragma once

#include <vector>

#include "graph/interpret.h"

namespace framejit::graph {

/// Of a graph that is run op by op as it was traced.
class Rehearsal {
 public:
  explicit Rehearsal(const Graph& graph);
  /// Whether an op that can fail for some data follows one that writes into memory of an input.
  bool needed() const { return needed_; }
  /// Runs the graph on copies of what it writes to, without gradients; raises what the graph would raise.
  void run(const Interpreter& interpreter, const eager::Value* inputs) const;

 private:
  bool needed_ = false;
  size_t input_count_, result_count_;
  std::vector<size_t> written_;  ///< inputs that are written, directly or through views
};

}  // namespace framejit::graph
