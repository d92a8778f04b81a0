#include "graph/passes/cse.h"

#include <algorithm>
#include <unordered_map>

#include "graph/print.h"

namespace framejit::graph::passes {
namespace {

/// Equal for nodes that compute the same: everything of the node but its name.
std::string key_of(const Node& node) {
  std::string key = node.kind == NodeKind::call_op ? node.op->full_name : "scalar " + node.target;
  for (const Argument& arg : node.args) key += "," + print(arg);
  return key + (node.grad_mode ? "" : " no_grad");
}

bool is_result(const Graph& graph, const Node& node) {
  return std::find(node.users.begin(), node.users.end(), graph.result) != node.users.end();
}

}  // namespace

void cse(Graph& graph) {
  std::unordered_map<std::string, Node*> first;
  for (auto at = graph.nodes.begin(); at != graph.nodes.end();) {
    Node* node = (at++)->get();
    bool computes = node->kind == NodeKind::call_op || node->kind == NodeKind::scalar_op;
    if (!computes || has_effect(*node)) continue;
    auto [found, is_new] = first.emplace(key_of(*node), node);
    Node* kept = found->second;
    if (is_new || (is_result(graph, *node) && is_result(graph, *kept))) continue;
    for (size_t i = 0; i < node->meta.size(); ++i) graph.replace_all_uses({node, int(i)}, {kept, int(i)});
    graph.erase(node);
  }
  graph.renumber();
}

}  // namespace framejit::graph::passes
