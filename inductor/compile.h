// Contract: from a graph to something that runs.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graph/graph.h"

namespace framejit::inductor {

/// A compiled graph. Immutable after construction, safe to run from many threads.
class FRAMEJIT_API Executable {
 public:
  virtual ~Executable() = default;
  /// `inputs`: one value per placeholder (tensors, or Python scalars as sym_int/real/boolean), `results`: one
  /// empty value per result. Inputs satisfy what the graph was compiled for (the guards have checked it).
  virtual void run(const eager::Value* inputs, eager::Value* results) const = 0;
  /// The loops, buffers and their order as text; deterministic.
  virtual std::string describe() const = 0;
};

/// Lowers, fuses, plans memory. The graph needs no gradients (aot/ has taken them out) and is functional
/// except for in-place copies into inputs at its end. Throws InternalError for our own bugs; never for user
/// code.
FRAMEJIT_API std::unique_ptr<Executable> compile(const graph::Graph& graph);

/// The graph run node by node: backend "eager", and the oracle for `compile`.
FRAMEJIT_API std::unique_ptr<Executable> interpret(std::unique_ptr<graph::Graph> graph);

}  // namespace framejit::inductor
