#include <algorithm>

#include "eager/dispatch.h"
#include "graph/executable.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/rehearsal.h"

namespace framejit::graph {
namespace {

class InterpretedGraph final : public Executable {
 public:
  InterpretedGraph(std::unique_ptr<Graph> graph, bool pure)
      : graph_(std::move(graph)), interpreter_(*graph_), rehearsal_(*graph_), pure_(pure) {}
  void run(const eager::Value* inputs, eager::Value* results) const override {
    eager::WithoutAutocast as_traced;  // its casts are in the graph
    if (rehearsal_.needed()) rehearsal_.run(interpreter_, inputs);
    eager::GradModeScope scope(eager::modes().grad_enabled && !pure_);
    interpreter_.run(inputs, results);
  }
  bool runs_user_code() const override { return calls_user_code(*graph_); }
  std::string describe() const override { return print(*graph_); }

 private:
  std::unique_ptr<Graph> graph_;
  Interpreter interpreter_;
  Rehearsal rehearsal_;
  bool pure_;
};

}  // namespace

bool calls_user_code(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    const bool opaque = node->kind == NodeKind::call_opaque && !node->opaque->is_traceable();
    return opaque || (node->op && node->op->extension);
  });
}

std::shared_ptr<const Executable> interpret(std::unique_ptr<Graph> graph) {
  return std::make_shared<InterpretedGraph>(std::move(graph), false);
}
std::shared_ptr<const Executable> interpret_pure(std::unique_ptr<Graph> graph) {
  return std::make_shared<InterpretedGraph>(std::move(graph), true);
}

}  // namespace framejit::graph
