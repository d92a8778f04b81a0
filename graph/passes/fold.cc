#include "graph/passes/fold.h"

#include "eager/dispatch.h"
#include "graph/interpret.h"

namespace framejit::graph::passes {
namespace {

bool is_static(const std::vector<Argument>& args) {
  for (const Argument& arg : args) {
    if (arg.list() && !is_static(*arg.list())) return false;
    if (arg.sym_int() && arg.sym_int()->is_symbolic()) return false;
  }
  return true;
}

bool can_fold(const Node& node, int64_t max_elements) {
  if (node.kind != NodeKind::call_op || has_effect(node) || node.op->schema.returns_list ||
      !is_static(node.args))
    return false;
  int tensors = 0;
  bool constant = true;
  for_each_node_output(node.args, [&](const NodeOutput& ref) {
    ++tensors;
    constant = constant && ref.node->kind == NodeKind::constant;
  });
  if (!tensors || !constant) return false;  // `zeros(...)` is cheaper to run than to hold
  for (const ValueMeta& meta : node.meta) {
    SymInt elements = eager::numel(meta.tensor.sizes);
    if (elements.is_symbolic() || elements.expect() > max_elements) return false;
  }
  return true;
}

std::vector<eager::Value> run(const Node& node) {
  auto constant = [](NodeOutput ref) -> eager::Value { return ref.node->constant; };
  std::vector<eager::Value> args, results(size_t(node.op->schema.result_count));
  for (size_t i = 0; i < node.args.size(); ++i)
    args.push_back(to_value(node.args[i], node.op->schema.args[i].type, constant, {}));
  eager::call_kernel(*node.op, args.data(), results.data());
  return results;
}

}  // namespace

void fold(Graph& graph, int64_t max_elements) {
  auto saved = graph.insertion_point;
  for (auto at = graph.nodes.begin(); at != graph.nodes.end();) {
    Node* node = (at++)->get();
    if (!can_fold(*node, max_elements)) continue;
    std::vector<eager::Value> results = run(*node);
    graph.insertion_point = node->position;
    for (size_t i = 0; i < results.size(); ++i)
      graph.replace_all_uses({node, int(i)}, {graph.constant(results[i].tensor()), 0});
    graph.insertion_point = saved;
    graph.erase(node);
  }
  graph.renumber();
}

}  // namespace framejit::graph::passes
