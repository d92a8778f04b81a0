// Contract: vertices of the backward graph. Bindings and the AOT runtime derive their own (autograd.Function,
// CompiledBackward).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "eager/autograd/hooks.h"
#include "eager/pool.h"
#include "eager/tensor.h"

namespace framejit::eager {

class GradNode;
class ForwardPlace;

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

/// What few nodes have.
struct NodeExtras {
  // In the order in which they run. All are made together with this object.
  std::shared_ptr<HookList<TensorHook>> tensor_hooks = std::make_shared<HookList<TensorHook>>();
  std::shared_ptr<HookList<TensorHook>> retain_hooks = std::make_shared<HookList<TensorHook>>();
  std::shared_ptr<HookList<NodePreHook>> pre_hooks = std::make_shared<HookList<NodePreHook>>();
  std::shared_ptr<HookList<NodePostHook>> post_hooks = std::make_shared<HookList<NodePostHook>>();
  std::shared_ptr<const ForwardPlace> place;  ///< in anomaly mode
  void* py_object = nullptr;                  ///< the Python object of the node, borrowed
  std::shared_ptr<void> metadata;             ///< a Python dict
};

/// Takes the gradients of the results of a forward operation and gives those of its inputs, in order of
/// `edges`.
///
/// Threads: several may run one node at once (two backward passes over a shared part of a graph). `edges` and
/// `results` do not change after the forward call; what `release_saved` frees is the class's own to lock.
class FRAMEJIT_API GradNode : public RefCounted, public Pooled {
 public:
  /// Undefined entries of `grads` are zero. The engine calls it with grad mode set by create_graph.
  virtual std::vector<Tensor> apply(std::vector<Tensor> grads) = 0;
  virtual std::string name() const = 0;  ///< "MulBackward"
  /// Frees what is kept for `apply`, which raises from then on.
  virtual void release_saved() {}
  /// The leaf, of a node that adds into its `.grad`; else null.
  virtual const Tensor* leaf() const { return nullptr; }
  /// Python objects that this node alone owns, hooks included.
  virtual void visit_python(const PythonVisitor& visit) const;
  /// Drops them: the garbage collector has found that only they refer to this node.
  virtual void clear_python();

  /// Adds a result of the forward operation; returns its number.
  int add_result(const Tensor& result);
  void add_edge(Edge edge) { edges.push_back(std::move(edge)); }
  bool needs_grad(size_t edge) const { return bool(edges[edge].node); }

  NodeExtras& extras();  ///< made when first asked for
  NodeExtras* find_extras() const { return extras_.load(std::memory_order_acquire); }

  std::vector<Edge> edges;            ///< to the nodes of the forward inputs
  std::vector<GradientMeta> results;  ///< of the forward operation
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

 private:
  std::atomic<NodeExtras*> extras_{nullptr};
};

}  // namespace framejit::eager
