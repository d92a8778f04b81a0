#include "eager/autograd/view.h"

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"

namespace framejit::eager {

namespace {

Tensor replay(const Ref<ViewStep>& step, const Tensor& base) {
  // Chains are short: one step per view op that the user wrote.
  Tensor from = step->previous ? replay(step->previous, base) : base;
  std::vector<Value> args = step->args;
  args[0] = std::move(from);
  Value result;
  call(*step->op, args.data(), &result);
  return step->result < 0 ? result.take_tensor() : result.tensor_list()[size_t(step->result)];
}

void track_view(const Op& op, const Value* args, int number, const Tensor& view) {
  Tensor parent = args[0].tensor();
  auto step = make_ref<ViewStep>();
  step->op = &op;
  step->args.assign(args, args + op.schema.args.size());
  step->args[0] = Value();
  step->result = number;
  auto meta = std::make_unique<ViewMeta>();
  meta->base = parent->view ? parent->view->base : parent;
  if (parent->view) step->previous = parent->view->steps;
  meta->steps = std::move(step);
  meta->grad_fn_version = view.version();
  if (!modes().grad_enabled)
    meta->origin = ViewMeta::Origin::no_grad_mode;
  else if (number >= 0)
    meta->origin = ViewMeta::Origin::one_of_several;
  else if (parent->view)
    meta->origin = parent->view->origin;
  view->view = std::move(meta);
}

/// Backward of an in-place write to a part of the base: outside of the part, gradients pass unchanged;
/// inside, they go through the op.
class CopySlices final : public GradNode {
 public:
  CopySlices(const Tensor& base, Ref<ViewStep> steps, Ref<OpNode> op_node)
      : steps_(std::move(steps)), op_node_(std::move(op_node)), strides_(base.strides()) {
    self_is_differentiable_ = op_node_->op().differentiable & 1;
    add_edge(base.requires_grad() ? gradient_edge(base) : Edge());
    for (size_t i = first_other(); i < op_node_->edges.size(); ++i) add_edge(op_node_->edges[i]);
    add_result(base);
  }

  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    // The steps are replayed on a tensor that lies in memory as the base does, as `as_strided` needs.
    TensorMeta like{results[0].sizes, strides_, results[0].dtype, results[0].device};
    Tensor of_base = ops::empty_strided(like.sizes, like.strides, like.dtype, like.device);
    ops::copy_(of_base, grads[0]);
    Tensor of_slice = replay(steps_, of_base);
    std::vector<Tensor> from_op = op_node_->apply({ops::clone(of_slice)});

    Tensor inside = self_is_differentiable_ ? from_op[0] : Tensor();
    if (inside.defined())
      ops::copy_(of_slice, inside);
    else
      ops::copy_(of_slice, ops::zeros(of_slice.sizes(), of_slice.dtype(), of_slice.device()));
    std::vector<Tensor> gradients = {of_base};
    for (size_t i = first_other(); i < from_op.size(); ++i) gradients.push_back(std::move(from_op[i]));
    return gradients;
  }
  std::string name() const override { return "CopySlices"; }
  void release_saved() override { op_node_->release_saved(); }

 private:
  /// The op's first edge that is not that of `self`.
  size_t first_other() const { return self_is_differentiable_ ? 1 : 0; }

  Ref<ViewStep> steps_;
  Ref<OpNode> op_node_;
  Dims strides_;
  bool self_is_differentiable_;
};

}  // namespace

void track_views(const Op& op, const Value* args, const Value* results) {
  if (modes().inference || args[0].impl()->is_inference) return;
  if (!op.schema.returns_list) {
    for (int i = 0; i < op.schema.result_count; ++i) track_view(op, args, -1, results[i].tensor());
    return;
  }
  int number = 0;
  for (const Tensor& view : results[0].tensor_list()) track_view(op, args, number++, view);
}

void refresh_view_history(const Tensor& view) {
  ViewMeta& meta = *view->view;
  if (meta.grad_fn_version == view.version() || !meta.base.requires_grad()) return;
  GradModeScope scope(true);
  Tensor again = replay(meta.steps, meta.base);
  AutogradMeta& own = autograd_meta(view);
  own.grad_fn = again->autograd ? again->autograd->grad_fn : nullptr;
  own.output_number = again->autograd ? again->autograd->output_number : 0;
  view->requires_grad = bool(own.grad_fn);
  meta.grad_fn_version = view.version();
}

void check_inplace(const Op& op, const Tensor& self) {
  if (const ViewMeta* view = self->view.get()) {
    FRAMEJIT_CHECK(
        view->origin != ViewMeta::Origin::no_grad_mode,
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that "
        "this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the no_grad block (if you don't want the inplace "
        "to be tracked) or both outside (if you want the inplace to be tracked).");
    FRAMEJIT_CHECK(
        view->origin != ViewMeta::Origin::one_of_several, op.schema.name,
        "(): this tensor is one of several views that a function returned and is being modified inplace. "
        "Such functions do not allow the output views to be modified inplace. You should replace the "
        "inplace operation by an out-of-place one.");
    FRAMEJIT_CHECK(view->origin != ViewMeta::Origin::custom_function, "Output ", output_number(self), " of ",
                   grad_fn(self) ? grad_fn(self)->name() : "a Function",
                   " is a view and is being modified inplace. This view was created inside a custom Function "
                   "(or because an "
                   "input was returned as-is) and the autograd logic to handle view+inplace would override "
                   "the custom backward "
                   "associated with the custom Function, leading to incorrect gradients. This behavior is "
                   "forbidden. You can "
                   "fix this by cloning the output of the custom Function.");
    FRAMEJIT_CHECK(!(view->base.requires_grad() && is_leaf(view->base)),
                   "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  FRAMEJIT_CHECK(!(self->requires_grad && is_leaf(self)),
                 "a leaf Variable that requires grad is being used in an in-place operation.");
}

void rebase_history(const Tensor& self, const Ref<OpNode>& node) {
  node->add_result(self);
  if (!self->view) {
    set_history(self, node, 0);
    return;
  }
  ViewMeta& view = *self->view;
  Ref<GradNode> slices(new CopySlices(view.base, view.steps, node));
  set_history(view.base, slices, 0);
  AutogradMeta& own = autograd_meta(self);
  own.grad_fn = nullptr;
  view.grad_fn_version = self.version() - 1;  // stale: made anew from the base's new history
  refresh_view_history(self);
}

}  // namespace framejit::eager
