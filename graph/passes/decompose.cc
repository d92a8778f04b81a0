#include "graph/passes/decompose.h"

#include <algorithm>

#include "graph/interpret.h"

namespace framejit::graph::passes {

std::unique_ptr<Graph> decompose(const Graph& graph, const std::function<bool(const eager::Op&)>& select) {
  Retrace retrace(graph);
  auto call = [&](const Node& node, const eager::Value* args, eager::Value* results) {
    const eager::Op& op = *node.op;
    if (op.decompose && select(op))
      op.decompose(args, results);
    else
      eager::call(op, args, results);
  };
  std::vector<eager::Value> results(graph.result->args.size());
  Interpreter(graph, call).run(retrace.inputs().data(), results.data());
  return retrace.tracer().finish(results);
}

}  // namespace framejit::graph::passes
