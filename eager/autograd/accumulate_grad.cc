#include "eager/autograd/accumulate_grad.h"

#include <limits>
#include <mutex>

#include "eager/autograd/autograd.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/dispatch.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"

namespace framejit::eager {

namespace {

/// Guards, of each leaf: the pointer to its node, which does not own it, and `.grad`. Leaves share a few.
struct LeafMutexes {
  std::mutex accumulator, grad;
};
LeafMutexes& mutexes_of(const Tensor& leaf) {
  static LeafMutexes shards[64];
  return shards[reinterpret_cast<uintptr_t>(leaf.impl()) / sizeof(TensorImpl) % 64];
}

}  // namespace

AccumulateGrad::AccumulateGrad(const Tensor& leaf)
    : GradNode(std::numeric_limits<uint64_t>::max()), variable_(leaf) {  // runs as soon as it can
  add_result(leaf);
}

Ref<GradNode> AccumulateGrad::of(const Tensor& leaf) {
  std::lock_guard lock(mutexes_of(leaf).accumulator);
  AutogradMeta& meta = autograd_meta(leaf);
  // A node whose last reference has gone is about to be destroyed by another thread.
  if (meta.accumulator && meta.accumulator->try_retain()) return Ref<GradNode>::steal(meta.accumulator);
  Ref<AccumulateGrad> made(new AccumulateGrad(leaf));
  meta.accumulator = made.get();
  return made;
}

void AccumulateGrad::unlink() {
  std::lock_guard lock(mutexes_of(variable_).accumulator);
  AutogradMeta& meta = autograd_meta(variable_);
  if (meta.accumulator == this) meta.accumulator = nullptr;
}

std::vector<Tensor> AccumulateGrad::apply(std::vector<Tensor> grads) {
  accumulate_grad(variable_, std::move(grads[0]));
  return {};
}

namespace {

/// `.grad` must not change when a tensor that somebody else holds does, and has a history only in grad mode.
Tensor first_grad(Tensor grad) {
  if (grad.is_symbolic()) return grad;
  bool ours_alone = grad->use_count() == 1 && grad->storage->use_count() == 1 && grad.is_contiguous() &&
                    (modes().grad_enabled || !grad.requires_grad());
  return ours_alone ? std::move(grad) : ops::clone(grad);
}

}  // namespace

void accumulate_grad(const Tensor& variable, Tensor grad) {
  AutogradMeta& meta = autograd_meta(variable);
  {
    std::lock_guard lock(mutexes_of(variable).grad);
    if (!meta.grad.defined()) {
      meta.grad = first_grad(std::move(grad));
    } else {
      // Out of place when the sum is to be differentiable, and in a trace, where values are immutable.
      bool in_place = !modes().grad_enabled && !meta.grad.is_symbolic() && !grad.is_symbolic();
      meta.grad = in_place ? ops::add_(meta.grad, grad) : ops::add(meta.grad, grad);
    }
  }
  auto hooks = meta.post_hooks ? meta.post_hooks->snapshot() : nullptr;
  if (!hooks) return;
  for (const auto& hook : *hooks) hook.function(variable);
}

}  // namespace framejit::eager
