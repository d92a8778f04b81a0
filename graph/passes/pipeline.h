// What all pure graphs go through. Each stage is timed, can be dumped, and is verified in debug builds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "graph/graph.h"

namespace framejit::graph::passes {

struct StageReport {
  std::string stage;  ///< "traced", "cse", ...
  double microseconds;
  std::string text;  ///< the printed graph; empty when the stage changed nothing
};
using StageObserver = std::function<void(const StageReport&)>;

/// Told of every stage on this thread for a scope (the log, `explain`, tests).
class FRAMEJIT_API ObserveStages {
 public:
  explicit ObserveStages(StageObserver observer);
  ~ObserveStages();

 private:
  StageObserver observer_;
  StageObserver* previous_;
};

/// Runs one stage on `graph`, which it changes, replaces, or (when null) makes.
FRAMEJIT_API void run_stage(const std::string& name, std::unique_ptr<Graph>& graph,
                            const std::function<void(std::unique_ptr<Graph>&)>& stage);

/// Simplifies a pure graph that is not to be differentiated any more.
FRAMEJIT_API void simplify(std::unique_ptr<Graph>& graph);

}  // namespace framejit::graph::passes
