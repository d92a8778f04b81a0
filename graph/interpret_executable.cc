#include "graph/executable.h"
#include "graph/interpret.h"
#include "graph/print.h"

namespace framejit::graph {
namespace {

class InterpretedGraph final : public Executable {
 public:
  explicit InterpretedGraph(std::unique_ptr<Graph> graph) : graph_(std::move(graph)), interpreter_(*graph_) {}
  void run(const eager::Value* inputs, eager::Value* results) const override {
    interpreter_.run(inputs, results);
  }
  std::string describe() const override { return print(*graph_); }

 private:
  std::unique_ptr<Graph> graph_;
  Interpreter interpreter_;
};

}  // namespace

std::shared_ptr<const Executable> interpret(std::unique_ptr<Graph> graph) {
  return std::make_shared<InterpretedGraph>(std::move(graph));
}

}  // namespace framejit::graph
