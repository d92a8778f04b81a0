// Calling compiled graphs so that the caller sees what eager would have done.
#pragma once

#include <memory>
#include <vector>

#include "graph/aot/compiled_backward.h"
#include "graph/aot/partition.h"
#include "graph/passes/functionalize.h"

namespace framejit::graph::aot {

/// What the pieces have in common: how the user's results are made from what the forward graph gives.
struct CallPlan {
  std::vector<passes::ResultRecipe> results;
  /// Writes that the runtime makes; those that no gradient flows through are in the forward graph already.
  std::vector<passes::Functional::Mutation> mutations;
  std::vector<Graph::SymbolSource> symbol_sources;
  int forward_results = 0;
};

/// The forward graph, and what restores aliasing around it. Needed only where there is any.
class InferenceCall final : public Executable {
 public:
  InferenceCall(CallPlan plan, std::shared_ptr<const Executable> forward)
      : plan_(std::move(plan)), forward_(std::move(forward)) {}
  void run(const eager::Value* inputs, eager::Value* results) const override;
  bool runs_user_code() const override { return forward_->runs_user_code(); }
  std::string describe() const override { return forward_->describe(); }

 private:
  CallPlan plan_;
  std::shared_ptr<const Executable> forward_;
};

/// As above, for inputs that require grad: results get a CompiledBackward as grad_fn.
class TrainingCall final : public Executable {
 public:
  struct Gradients {
    std::vector<int> results;  ///< of the forward graph: those that gradients come in for
    std::vector<int> inputs;   ///< those that gradients go out to
    std::vector<SavedValue> saved;
    std::vector<int> symbols;
    std::shared_ptr<const LazyExecutable> backward;
    std::shared_ptr<const Forward> forward;  ///< null: a call cannot be made again
  };
  TrainingCall(CallPlan plan, std::shared_ptr<const Executable> forward, Gradients gradients)
      : plan_(std::move(plan)), forward_(std::move(forward)), gradients_(std::move(gradients)) {}
  void run(const eager::Value* inputs, eager::Value* results) const override;
  bool runs_user_code() const override { return forward_->runs_user_code(); }
  std::string describe() const override;

 private:
  void link(const eager::Value* inputs, std::vector<eager::Value>& values) const;
  bool is_mutated(int input) const;

  CallPlan plan_;
  std::shared_ptr<const Executable> forward_;
  Gradients gradients_;
};

/// Around a call that writes into inputs: where another input shares the memory of one that is written (`f(x,
/// x[0])`), the pure graph would not see the write, and the traced graph is run op by op instead.
class AliasingCall final : public Executable {
 public:
  AliasingCall(std::shared_ptr<const Executable> compiled, std::shared_ptr<const Executable> traced,
               std::vector<bool> is_written)
      : compiled_(std::move(compiled)), traced_(std::move(traced)), is_written_(std::move(is_written)) {}
  void run(const eager::Value* inputs, eager::Value* results) const override;
  bool runs_user_code() const override { return compiled_->runs_user_code(); }
  std::string describe() const override { return compiled_->describe(); }

 private:
  bool shares_written_memory(const eager::Value* inputs) const;

  std::shared_ptr<const Executable> compiled_, traced_;
  std::vector<bool> is_written_;  ///< by input
};

}  // namespace framejit::graph::aot
