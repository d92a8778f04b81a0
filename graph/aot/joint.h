// The joint graph: forward and backward in one, made by running the graph and then the autograd engine over
// symbolic tensors.
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"

namespace framejit::graph::aot {

struct Joint {
  /// Inputs: those of the forward graph, then one tangent for each of `differentiable_results`. Results:
  /// those of the forward graph, then one gradient for each of `differentiable_inputs` (none where the
  /// results do not depend on it).
  std::unique_ptr<Graph> graph;
  std::vector<int> differentiable_results;
  std::vector<int> differentiable_inputs;
  std::vector<int> mutated_inputs;  ///< the caller writes into these after the forward
  int input_count = 0;              ///< of the forward graph
  int result_count = 0;             ///< of the forward graph
};

/// `graph` is pure. Inputs that require grad are those whose meta says so.
FRAMEJIT_API Joint make_joint(const Graph& graph);

}  // namespace framejit::graph::aot
