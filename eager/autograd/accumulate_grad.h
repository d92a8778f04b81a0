// The node of a leaf: adds gradients into `.grad`.
#pragma once

#include "eager/autograd/grad_node.h"

namespace framejit::eager {

/// Adds to `.grad` of `variable` and runs its post hooks; its tensor hooks have run. In grad mode the sum is
/// differentiable.
void accumulate_grad(const Tensor& variable, Tensor grad);

class AccumulateGrad final : public GradNode {
 public:
  /// The one node of this leaf, made when there is none.
  static Ref<GradNode> of(const Tensor& leaf);

  std::vector<Tensor> apply(std::vector<Tensor> grads) override;
  std::string name() const override { return "AccumulateGrad"; }
  const Tensor* leaf() const override { return &variable_; }

 private:
  explicit AccumulateGrad(const Tensor& leaf);
  void unlink() override;

  Tensor variable_;
};

}  // namespace framejit::eager
