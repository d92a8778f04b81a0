#include "inductor/compile.h"

#include <algorithm>
#include <chrono>

#include "graph/aot/compile.h"
#include "graph/log.h"
#include "graph/passes/cse.h"
#include "graph/passes/dce.h"
#include "graph/passes/decompose.h"
#include "graph/print.h"
#include "inductor/cpu/executable.h"
#include "inductor/fuse.h"
#include "inductor/lower.h"

namespace framejit::inductor {
namespace {

/// Prints what each stage made and how long it took, where that is asked for.
class StageLog {
 public:
  template <class Text>
  void stage(graph::Log log, const char* name, const Text& text) {
    std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - last_;
    if (graph::is_logged(log)) graph::print_stage(name, taken.count(), text());
    last_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

const bool registered = [] {
  graph::aot::register_compiler("inductor", [](std::unique_ptr<graph::Graph> graph) {
    return std::shared_ptr<const Executable>(compile(*graph));
  });
  return true;
}();

}  // namespace

std::unique_ptr<Executable> compile(const graph::Graph& graph) {
  using graph::Log;
  StageLog log;
  eager::ShapeEnvScope shapes(graph.shapes.get());
  // Tracing the graph again costs more than copying it, so only where something is to be taken apart.
  bool composed = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                              [](const auto& node) { return node->op && node->op->decompose; });
  std::unique_ptr<graph::Graph> pure = composed ? graph::passes::decompose(graph) : graph.clone();
  graph::passes::cse(*pure);
  graph::passes::dce(*pure);
  log.stage(Log::loops, "decomposed graph", [&] { return graph::print(*pure); });
  LoopProgram program = lower(std::move(pure));
  log.stage(Log::loops, "loops", [&] { return program.str(); });
  fuse(program);
  log.stage(Log::loops, "fused loops", [&] { return program.str(); });
  auto executable = std::make_unique<cpu::CpuExecutable>(std::move(program));
  log.stage(Log::kernels, "tile programs", [&] { return executable->tiles_text(); });
  return executable;
}

}  // namespace framejit::inductor
