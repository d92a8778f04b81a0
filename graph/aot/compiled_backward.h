// The autograd node of a compiled graph.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "eager/autograd/op_node.h"
#include "graph/aot/compile.h"

namespace framejit::graph::aot {

/// A backward graph that is compiled when it is first needed: many calls under grad mode never run backward.
class LazyExecutable {
 public:
  LazyExecutable(std::unique_ptr<Graph> graph, Compiler compiler);
  /// Compiles now. For graphs with size symbols: compiling may add guards, which are only read after tracing.
  void compile() const;
  const Executable& get() const;
  size_t result_count() const { return result_count_; }
  /// Of input `index`, as when traced.
  const ValueMeta& input_meta(size_t index) const { return input_metas_[index]; }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<Graph> graph_;
  mutable std::shared_ptr<const Executable> executable_;
  Compiler compiler_;
  size_t result_count_;
  std::vector<ValueMeta> input_metas_;
};

/// Gives the gradients of the inputs of one call of a compiled forward graph.
class CompiledBackward final : public eager::GradNode {
 public:
  explicit CompiledBackward(std::shared_ptr<const LazyExecutable> backward)
      : backward_(std::move(backward)) {}

  void save(const eager::Value& value);
  /// `symbols`: the values of the size symbols of the graph.
  void set_symbols(std::vector<SymInt> symbols, const std::vector<int>& used);

  std::vector<eager::Tensor> apply(std::vector<eager::Tensor> grads) override;
  std::string name() const override { return "CompiledBackward"; }
  void release_saved() override;

 private:
  /// `input`: which input of the backward graph it becomes.
  eager::Tensor tangent(size_t number, size_t input, const eager::Tensor& grad) const;

  struct Saved {
    eager::SavedTensor tensor;
    eager::Value number;  ///< when it is not a tensor
  };
  std::shared_ptr<const LazyExecutable> backward_;
  std::vector<Saved> saved_;
  std::vector<SymInt> symbols_;
  std::vector<int> used_symbols_;
  eager::SpinLock mutex_;  ///< guards saved_ and released_
  bool released_ = false;
};

}  // namespace framejit::graph::aot
