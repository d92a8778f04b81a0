// Contract: vertices of the backward graph. Bindings and the AOT runtime derive their own (autograd.Function,
// CompiledBackward).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eager/pool.h"
#include "eager/tensor.h"

namespace framejit::eager {

class GradNode;

/// Where a gradient flows to: input `input` of `node` (the gradient of the node's forward result of that
/// number).
struct Edge {
  Ref<GradNode> node;  ///< null: the gradient is not needed
  int input = 0;
};

/// What a gradient must look like: one forward result of a node.
struct GradientMeta {
  Dims sizes;
  DType dtype = DType::float32;
  Device device;
};

/// Takes the gradients of the results of a forward operation and gives those of its inputs, in order of
/// `edges`.
class FRAMEJIT_API GradNode : public RefCounted, public Pooled {
 public:
  using TensorHook = std::function<Tensor(const Tensor&)>;
  struct Hook {
    int64_t id;
    int input;
    TensorHook function;
  };

  /// Undefined entries of `grads` are zero. The engine calls it with grad mode set by create_graph.
  virtual std::vector<Tensor> apply(std::vector<Tensor> grads) = 0;
  virtual std::string name() const = 0;  ///< "MulBackward"
  /// Frees what is kept for `apply`, which raises from then on.
  virtual void release_saved() {}

  /// Adds a result of the forward operation; returns its number.
  int add_result(const Tensor& result);
  void add_edge(Edge edge) { edges.push_back(std::move(edge)); }
  bool needs_grad(size_t edge) const { return bool(edges[edge].node); }

  std::vector<Edge> edges;                   ///< to the nodes of the forward inputs
  std::vector<GradientMeta> results;         ///< of the forward operation
  std::unique_ptr<std::vector<Hook>> hooks;  ///< of the tensors that are its results; run before `apply`
  /// Later operations have greater numbers: the engine runs those first.
  const uint64_t sequence;

 protected:
  GradNode();
  explicit GradNode(uint64_t sequence) : sequence(sequence) {}
  ~GradNode() override;
  /// Chains of nodes die one after the other, not inside one another.
  void destroy() final;
  /// Called by destroy when the last reference has gone.
  virtual void unlink() {}
};

/// A fresh number for tensor hooks.
int64_t next_hook_id();

}  // namespace framejit::eager
