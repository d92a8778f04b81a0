#include "graph/passes/drop_aliases.h"

#include <algorithm>

namespace framejit::graph::passes {
namespace {

/// By expression: a pass does not guard.
bool same_layout(const TensorMeta& a, const TensorMeta& b) {
  return std::ranges::equal(a.sizes.span(), b.sizes.span()) &&
         std::ranges::equal(a.strides.span(), b.strides.span());
}

/// Of views that show all of their argument, in its layout, there is one: itself.
bool is_alias(const Node& node) {
  if (!node.is_call(eager::OpKind::view) || node.op->schema.returns_list) return false;
  NodeOutput viewed = *node.args[0].node_output();
  return same_layout(node.meta[0].tensor, viewed.node->meta[size_t(viewed.index)].tensor);
}

}  // namespace

void drop_aliases(Graph& graph) {
  for (auto at = graph.nodes.begin(); at != graph.nodes.end();) {
    Node* node = (at++)->get();
    if (!is_alias(*node)) continue;
    graph.replace_all_uses({node, 0}, *node->args[0].node_output());
    graph.erase(node);
  }
  graph.renumber();
}

}  // namespace framejit::graph::passes
