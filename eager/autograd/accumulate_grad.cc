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
/// Guards every leaf's pointer to its node, which does not own it.
std::mutex accumulator_mutex;
/// Guards `.grad` of leaves that several threads add to.
std::mutex accumulate_mutex;
}  // namespace

AccumulateGrad::AccumulateGrad(const Tensor& leaf)
    : GradNode(std::numeric_limits<uint64_t>::max()), variable_(leaf) {  // runs as soon as it can
  add_result(leaf);
}

Ref<GradNode> AccumulateGrad::of(const Tensor& leaf) {
  std::lock_guard lock(accumulator_mutex);
  AutogradMeta& meta = autograd_meta(leaf);
  // A node whose count is zero is about to be destroyed by another thread.
  if (meta.accumulator && meta.accumulator->use_count() > 0) return Ref<GradNode>(meta.accumulator);
  Ref<AccumulateGrad> made(new AccumulateGrad(leaf));
  meta.accumulator = made.get();
  return made;
}

void AccumulateGrad::unlink() {
  std::lock_guard lock(accumulator_mutex);
  AutogradMeta& meta = autograd_meta(variable_);
  if (meta.accumulator == this) meta.accumulator = nullptr;
}

std::vector<Tensor> AccumulateGrad::apply(std::vector<Tensor> grads) {
  accumulate_grad(variable_, std::move(grads[0]));
  return {};
}

namespace {

/// `.grad` must not change when a tensor that somebody else holds does.
Tensor first_grad(Tensor grad) {
  if (grad.is_symbolic()) return grad;
  bool ours_alone = grad->use_count() == 1 && grad->storage->use_count() == 1 && grad.is_contiguous();
  return ours_alone ? std::move(grad) : ops::clone(grad);
}

}  // namespace

void accumulate_grad(const Tensor& variable, Tensor grad) {
  AutogradMeta& meta = autograd_meta(variable);
  {
    std::lock_guard lock(accumulate_mutex);
    if (!meta.grad.defined()) {
      meta.grad = first_grad(std::move(grad));
    } else {
      // Out of place when the sum is to be differentiable, and in a trace, where values are immutable.
      bool in_place = !modes().grad_enabled && !meta.grad.is_symbolic() && !grad.is_symbolic();
      meta.grad = in_place ? ops::add_(meta.grad, grad) : ops::add(meta.grad, grad);
    }
  }
  for (size_t i = 0; i < meta.post_hooks.size(); ++i) meta.post_hooks[i].function(variable);
}

}  // namespace framejit::eager
