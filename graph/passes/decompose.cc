#include "graph/passes/decompose.h"

#include <algorithm>

#include "graph/interpret.h"

namespace framejit::graph::passes {
namespace {

bool same_layout(const eager::TensorMeta& a, const eager::TensorMeta& b) {
  for (int d = 0; d < a.sizes.size(); ++d)
    if (a.sizes[d] != 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

/// A decomposition gives the op's values, but its last step may lay them out as its own inputs lie. What
/// follows was traced with the op's layout (a `view` may need it): where that is contiguous, the result is
/// copied.
void keep_layout(const Node& node, eager::Value* results) {
  static const eager::Op& copy = eager::get_op("contiguous_copy");
  for (size_t i = 0; i < node.meta.size(); ++i) {
    if (!results[i].is_tensor() || same_layout(node.meta[i].tensor, results[i].impl()->meta)) continue;
    eager::Value contiguous;
    eager::call(copy, &results[i], &contiguous);
    if (same_layout(node.meta[i].tensor, contiguous.impl()->meta)) results[i] = contiguous;
  }
}

}  // namespace

std::unique_ptr<Graph> decompose(const Graph& graph, const std::function<bool(const eager::Op&)>& select) {
  Retrace retrace(graph);
  auto call = [&](const Node& node, const eager::Value* args, eager::Value* results) {
    const eager::Op& op = *node.op;
    if (op.decompose && select(op)) {
      op.decompose(args, results);
      keep_layout(node, results);
    } else {
      eager::call(op, args, results);
    }
  };
  std::vector<eager::Value> results(graph.result->args.size());
  Interpreter(graph, call).run(retrace.inputs().data(), results.data());
  return retrace.tracer().finish(results);
}

}  // namespace framejit::graph::passes
