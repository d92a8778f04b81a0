#include "graph/passes/dce.h"

namespace framejit::graph::passes {

void dce(Graph& graph) {
  for (auto at = graph.nodes.end(); at != graph.nodes.begin();) {
    Node* node = std::prev(at)->get();
    if (node->users.empty() && !has_effect(*node))
      graph.erase(node);
    else
      --at;
  }
  graph.renumber();
}

}  // namespace framejit::graph::passes
