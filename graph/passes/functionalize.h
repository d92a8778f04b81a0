// Functionalisation: a traced graph, with in-place and view ops as the user called them, becomes a graph of
// pure ops, and a description of the mutation and aliasing that its caller has to restore.
//
// Each tensor of the old graph is a *base* (what an input, a constant or a computing op made) and a chain of
// view steps. Reading it replays the chain on the base's current value; writing it gives the base a new
// value, with the written part put back through the inverses of the steps. So all aliases see a write, in
// order.
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"

namespace framejit::graph::passes {

/// One step from a tensor to a view of it.
struct ViewCall {
  const eager::Op* op;
  std::vector<eager::Value> args;  ///< without the first; sizes may use the graph's symbols
  int result;                      ///< which one, of an op that returns a list

  FRAMEJIT_API eager::Tensor apply(const eager::Tensor& tensor) const;
};

/// How one result of the user's graph is made from what the pure graph gives.
struct ResultRecipe {
  enum class Source : uint8_t {
    value,  ///< result number `index` of the pure graph; the same number twice is the same tensor
    input,  ///< input number `index` itself, after the mutations
  };
  Source source = Source::value;
  int index = 0;
  std::vector<ViewCall> views;  ///< then these are applied
};

struct Functional {
  std::unique_ptr<Graph> graph;
  std::vector<ResultRecipe> results;  ///< one per result of the original graph
  struct Mutation {
    int input;
    int value;       ///< result number of the pure graph that is copied into it
    bool grad_mode;  ///< whether the last write was one that autograd looks at
  };
  std::vector<Mutation> mutations;  ///< in order of input
  /// False: an input that requires grad was written where autograd does not look (under no_grad, or through
  /// detach) and read again where it does. The pure graph has the right values but not the right derivative.
  bool differentiable = true;
};

FRAMEJIT_API Functional functionalize(const Graph& graph);

}  // namespace framejit::graph::passes
