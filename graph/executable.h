// Contract: something that runs in place of a graph.
#pragma once

#include <memory>
#include <string>

#include "graph/graph.h"

namespace framejit::graph {

/// A compiled graph. Immutable after construction, safe to run from many threads.
class FRAMEJIT_API Executable {
 public:
  virtual ~Executable() = default;
  /// `inputs`: one value per placeholder (tensors, or Python numbers as sym_int/real), `results`: one empty
  /// value per result. Inputs satisfy what the graph was compiled for (the guards have checked it). Raises
  /// before it has written into an input, or not at all.
  virtual void run(const eager::Value* inputs, eager::Value* results) const = 0;
  /// It calls code of the user's, which must not be called again after it has raised: what it raises is
  /// final.
  virtual bool runs_user_code() const { return false; }
  /// What it does, as text; deterministic.
  virtual std::string describe() const = 0;
};

/// Whether a node calls Python code of the user's: an op of framejit.library, a callable that is not looked
/// into.
FRAMEJIT_API bool calls_user_code(const Graph& graph);

/// The graph run node by node through the dispatcher, in the caller's grad mode: backend "eager".
FRAMEJIT_API std::shared_ptr<const Executable> interpret(std::unique_ptr<Graph> graph);
/// The same for a graph that has no gradients, as compilers of pure graphs are given: the oracle of the
/// others.
FRAMEJIT_API std::shared_ptr<const Executable> interpret_pure(std::unique_ptr<Graph> graph);

}  // namespace framejit::graph
