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

/// The forward graph as it was before it was partitioned. For derivatives of derivatives, a call is made
/// again, op by op, under autograd.
struct Forward {
  std::shared_ptr<const Executable> executable;
  size_t input_count = 0;
  size_t result_count = 0;
  std::vector<int> differentiable_results;
  std::vector<int> differentiable_inputs;
};

/// Gives the gradients of the inputs of one call of a compiled forward graph.
class CompiledBackward final : public eager::GradNode {
 public:
  explicit CompiledBackward(std::shared_ptr<const LazyExecutable> backward)
      : backward_(std::move(backward)) {}

  void save(const eager::Value& value);
  /// Keeps the inputs of the call, so that it can be made again.
  void keep_call(std::shared_ptr<const Forward> forward, const eager::Value* inputs);
  /// `symbols`: the values of the size symbols of the graph.
  void set_symbols(std::vector<SymInt> symbols, const std::vector<int>& used);

  std::vector<eager::Tensor> apply(std::vector<eager::Tensor> grads) override;
  std::string name() const override { return "CompiledBackward"; }
  void release_saved() override;

 private:
  /// `input`: which input of the backward graph it becomes.
  eager::Tensor tangent(size_t number, size_t input, const eager::Tensor& grad) const;
  std::vector<eager::Tensor> apply_differentiably(const std::vector<eager::Tensor>& grads);

  struct Saved {
    eager::SavedTensor tensor;
    eager::Value number;  ///< when it is not a tensor
    eager::Value value() const { return number.is_none() ? eager::Value(tensor.unpack()) : number; }
  };
  std::shared_ptr<const LazyExecutable> backward_;
  std::vector<Saved> saved_;
  std::vector<Saved> call_;  ///< the inputs of the call
  std::shared_ptr<const Forward> forward_;
  std::vector<SymInt> symbols_;
  std::vector<int> used_symbols_;
  eager::SpinLock mutex_;  ///< guards saved_, call_ and released_
  bool released_ = false;
};

}  // namespace framejit::graph::aot
