#include "graph/passes/infer_meta.h"

#include <unordered_map>

#include "graph/interpret.h"

namespace framejit::graph::passes {
namespace {

std::vector<ValueMeta> metas_of(const eager::Op& op, const eager::Value* results) {
  std::vector<ValueMeta> metas;
  if (op.schema.returns_list) {
    for (const eager::Tensor& tensor : results[0].tensor_list()) metas.push_back({tensor.meta()});
    return metas;
  }
  for (int i = 0; i < op.schema.result_count; ++i) metas.push_back({results[i].tensor().meta()});
  return metas;
}

}  // namespace

void infer_meta(Graph& graph) {
  std::unordered_map<const Node*, std::vector<ValueMeta>> inferred;
  Retrace retrace(graph);
  auto call = [&](const Node& node, const eager::Value* args, eager::Value* results) {
    eager::call(*node.op, args, results);
    inferred[&node] = metas_of(*node.op, results);
  };
  std::vector<eager::Value> results(graph.result->args.size());
  Interpreter(graph, call).run(retrace.inputs().data(), results.data());
  for (auto& node : graph.nodes)
    if (auto found = inferred.find(node.get()); found != inferred.end())
      node->meta = std::move(found->second);
}

}  // namespace framejit::graph::passes
