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

#include "eager/autograd/autograd_meta.h"
#include "graph/graph.h"

namespace framejit::graph::passes {

/// How one result of the user's graph is made from what the pure graph gives.
struct ResultRecipe {
  enum class Source : uint8_t {
    value,  ///< result number `index` of the pure graph; the same number twice is the same tensor
    input,  ///< input number `index` itself, after the mutations
  };
  Source source = Source::value;
  int index = 0;
  std::vector<eager::ViewStep> views;  ///< then these are applied; sizes may use the graph's symbols
};

struct Functional {
  std::unique_ptr<Graph> graph;
  std::vector<ResultRecipe> results;  ///< one per result of the original graph
  struct Mutation {
    int input;
    int value;  ///< result number of the pure graph that is copied into it
  };
  std::vector<Mutation> mutations;  ///< in order of input
  /// False: an input that requires grad was written where autograd does not look (under no_grad, or through
  /// detach) and read again where it does. The pure graph has the right values but not the right derivative.
  bool differentiable = true;
};

FRAMEJIT_API Functional functionalize(const Graph& graph);

}  // namespace framejit::graph::passes
