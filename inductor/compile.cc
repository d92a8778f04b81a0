#include "inductor/compile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "graph/aot/compile.h"
#include "graph/passes/cse.h"
#include "graph/passes/dce.h"
#include "graph/passes/decompose.h"
#include "graph/print.h"
#include "inductor/cpu/executable.h"
#include "inductor/fuse.h"
#include "inductor/lower.h"

namespace framejit::inductor {
namespace {

/// Prints what each stage made and how long it took, where FRAMEJIT_LOGS asks for "loops".
class StageLog {
 public:
  StageLog() {
    const char* logs = std::getenv("FRAMEJIT_LOGS");
    on_ = logs && std::string_view(logs).find("loops") != std::string_view::npos;
  }
  template <class Text>
  void stage(const char* name, const Text& text) {
    if (!on_) return;
    auto now = std::chrono::steady_clock::now();
    double microseconds = std::chrono::duration<double, std::micro>(now - last_).count();
    std::fprintf(stderr, "--- %s (%.0f us)\n%s", name, microseconds, text().c_str());
    last_ = std::chrono::steady_clock::now();
  }

 private:
  bool on_;
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
  StageLog log;
  eager::ShapeEnvScope shapes(graph.shapes.get());
  // Tracing the graph again costs more than copying it, so only where something is to be taken apart.
  bool composed = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                              [](const auto& node) { return node->op && node->op->decompose; });
  std::unique_ptr<graph::Graph> pure = composed ? graph::passes::decompose(graph) : graph.clone();
  graph::passes::cse(*pure);
  graph::passes::dce(*pure);
  log.stage("decomposed graph", [&] { return graph::print(*pure); });
  LoopProgram program = lower(std::move(pure));
  log.stage("loops", [&] { return program.str(); });
  fuse(program);
  log.stage("fused loops", [&] { return program.str(); });
  auto executable = std::make_unique<cpu::CpuExecutable>(std::move(program));
  log.stage("tile programs", [&] { return executable->tiles_text(); });
  return executable;
}

}  // namespace framejit::inductor
