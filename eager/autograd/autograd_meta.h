// What a tensor carries when it takes part in autograd, or is a view.
#pragma once

#include <functional>
#include <vector>

#include "eager/autograd/grad_node.h"
#include "eager/op.h"
#include "eager/pool.h"

namespace framejit::eager {

class AccumulateGrad;

class AutogradMeta : public Pooled {
 public:
  Tensor grad;
  Ref<GradNode> grad_fn;  ///< null for a leaf
  int output_number = 0;
  /// The node of a leaf, made when first needed. Not owned: the node owns the tensor, and clears this when it
  /// dies.
  AccumulateGrad* accumulator = nullptr;

  /// Of a leaf; those of others are with their grad_fn. Null when there are none.
  std::shared_ptr<HookList<TensorHook>> hooks;
  std::shared_ptr<HookList<PostAccumulateHook>> post_hooks;
  int64_t retain_hook = -1;  ///< on grad_fn: stores the gradient of a non-leaf in `grad`
  /// What `tensor.data` gives: writes through it, or through views of it, are not counted as new versions.
  /// That is what programs use it for: to change a value that has been saved for backward.
  bool hides_writes = false;

  AutogradMeta() = default;
  FRAMEJIT_API ~AutogradMeta();
};

/// A chain of views: how to get from the base to a view, last step first.
class ViewStep final : public RefCounted, public Pooled {
 public:
  Ref<ViewStep> previous;  ///< null: this step starts at the base
  const Op* op = nullptr;
  std::vector<Value> args;  ///< as called; the first is left empty
  int result = -1;          ///< which entry, of an op that returns a list
};

/// Of a view: what it is a view of, and how to make it again.
class ViewMeta : public Pooled {
 public:
  Tensor base;  ///< never a view itself
  Ref<ViewStep> steps;
  /// The version of the storage for which grad_fn was made; a write through another view makes it stale.
  uint32_t grad_fn_version = 0;
  /// In-place writes that need a history are ambiguous for these.
  enum class Origin : uint8_t {
    ordinary,
    no_grad_mode,
    one_of_several,
    custom_function
  } origin = Origin::ordinary;
};

inline bool hides_writes(const TensorImpl& self) {
  const TensorImpl& base = self.view ? *self.view->base.impl() : self;
  return base.autograd && base.autograd->hides_writes;
}

inline AutogradMeta& autograd_meta(const Tensor& self) {
  if (!self->autograd) self->autograd = std::make_unique<AutogradMeta>();
  return *self->autograd;
}

}  // namespace framejit::eager
