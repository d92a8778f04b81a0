#include "graph/passes/pipeline.h"

#include <algorithm>
#include <chrono>

#include "graph/log.h"
#include "graph/passes/cse.h"
#include "graph/passes/dce.h"
#include "graph/passes/decompose.h"
#include "graph/passes/drop_aliases.h"
#include "graph/passes/fold.h"
#include "graph/print.h"
#include "graph/verify.h"

namespace framejit::graph::passes {
namespace {

thread_local StageObserver* current_observer = nullptr;

/// That of the scope, else the log where it is asked for.
const StageObserver* observer() {
  if (current_observer) return current_observer;
  static const StageObserver log = [](const StageReport& report) {
    print_stage(report.stage, report.microseconds, report.text);
  };
  return is_logged(Log::aot) ? &log : nullptr;
}

}  // namespace

ObserveStages::ObserveStages(StageObserver observer)
    : observer_(std::move(observer)), previous_(std::exchange(current_observer, &observer_)) {}
ObserveStages::~ObserveStages() { current_observer = previous_; }

void run_stage(const std::string& name, std::unique_ptr<Graph>& graph,
               const std::function<void(std::unique_ptr<Graph>&)>& stage) {
  const StageObserver* told = observer();
  std::string before = told && graph ? print(*graph) : "";
  auto start = std::chrono::steady_clock::now();
  stage(graph);
  std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
#ifndef NDEBUG
  verify(*graph);
#endif
  if (!told) return;
  std::string after = print(*graph);
  (*told)({name, elapsed.count(), after == before ? "" : after});
}

namespace {

/// Tracing a graph again costs more than all other passes together.
void decompose_if_needed(std::unique_ptr<Graph>& graph) {
  bool needed = std::any_of(graph->nodes.begin(), graph->nodes.end(),
                            [](const auto& node) { return node->op && node->op->decompose; });
  if (needed) graph = decompose(*graph);
}

}  // namespace

void simplify(std::unique_ptr<Graph>& graph) {
  eager::ShapeEnvScope scope(graph->shapes.get());
  run_stage("decompose", graph, decompose_if_needed);
  run_stage("drop_aliases", graph, [](auto& g) { drop_aliases(*g); });
  run_stage("fold", graph, [](auto& g) { fold(*g); });
  run_stage("cse", graph, [](auto& g) { cse(*g); });
  run_stage("dce", graph, [](auto& g) { dce(*g); });
}

}  // namespace framejit::graph::passes
