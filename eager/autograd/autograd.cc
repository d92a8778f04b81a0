#include "eager/autograd/autograd.h"

#include "eager/autograd/accumulate_grad.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/view.h"
#include "eager/dispatch.h"
#include "eager/error.h"

namespace framejit::eager {

AutogradMeta::~AutogradMeta() {
  // The hook refers to this object.
  if (retain_hook >= 0 && grad_fn) grad_fn->extras().retain_hooks->remove(retain_hook);
}

bool view_requires_grad(const TensorImpl& impl) { return impl.view->base.requires_grad(); }

Tensor detach(const Tensor& self) {
  if (!self.is_symbolic()) return without_history(self);
  static const Op& op = get_op("detach");
  Value arg = self, result;
  call_below_autograd(op, &arg, &result);
  return result.take_tensor();
}

Tensor without_history(const Tensor& self) {
  auto impl = make_ref<TensorImpl>();
  impl->storage = self->storage;
  impl->offset = self->offset;
  impl->meta = self->meta;
  impl->is_inference = self->is_inference;
  impl->node = self->node;
  impl->node_output = self->node_output;
  return Tensor(std::move(impl));
}

Ref<GradNode> grad_fn(const Tensor& self) {
  if (self->view) refresh_view_history(self);
  return self->autograd ? self->autograd->grad_fn : nullptr;
}

int output_number(const Tensor& self) { return self->autograd ? self->autograd->output_number : 0; }

bool is_leaf(const Tensor& self) { return !grad_fn(self); }

Edge gradient_edge(const Tensor& self) {
  if (Ref<GradNode> node = grad_fn(self)) return {std::move(node), self->autograd->output_number};
  if (!self.requires_grad()) return {};
  return {AccumulateGrad::of(self), 0};
}

void set_requires_grad(const Tensor& self, bool requires_grad) {
  FRAMEJIT_CHECK(!requires_grad || is_inexact(self.dtype()),
                 "only Tensors of floating point and complex dtype can require gradients");
  FRAMEJIT_CHECK(!requires_grad || !self->is_inference || modes().inference,
                 "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  FRAMEJIT_CHECK(
      requires_grad || is_leaf(self),
      "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
      "a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  if (requires_grad) autograd_meta(self);  // now: later several threads may meet this leaf for the first time
  if (requires_grad || is_leaf(self)) self->requires_grad = requires_grad;
}

Tensor get_grad(const Tensor& self) { return self->autograd ? self->autograd->grad : Tensor(); }

void set_grad(const Tensor& self, const Tensor& grad) {
  if (grad.defined()) {
    FRAMEJIT_CHECK(grad.sizes() == self.sizes(), "attempting to assign a gradient of size '",
                   sizes_text(grad.sizes()), "' to a tensor of size '", sizes_text(self.sizes()),
                   "'. Please ensure that the gradient and the tensor are the same size");
    FRAMEJIT_CHECK(grad.dtype() == self.dtype(), "attempting to assign a gradient with dtype '",
                   dtype_name(grad.dtype()), "' to a tensor with dtype '", dtype_name(self.dtype()),
                   "'. The gradient must match the tensor's dtype.");
    FRAMEJIT_CHECK(grad.device() == self.device(), "attempting to assign a gradient located on device ",
                   device_name(grad.device()), " to a tensor located on device ", device_name(self.device()));
    FRAMEJIT_CHECK(!(grad == self), "can't assign a tensor as its own gradient");
  }
  autograd_meta(self).grad = grad;
}

namespace {

int64_t add_retain_hook(AutogradMeta& meta) {
  auto keep = [&meta](const Tensor& grad) {
    meta.grad = modes().grad_enabled ? grad : without_history(grad);
    return Tensor();
  };
  return meta.grad_fn->extras().retain_hooks->add(keep, meta.output_number);
}

void check_hookable(const Tensor& self) {
  FRAMEJIT_CHECK(self.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
}

}  // namespace

void set_history(const Tensor& result, const Ref<GradNode>& node, int number) {
  AutogradMeta& meta = autograd_meta(result);
  bool retain = meta.retain_hook >= 0;
  if (retain) meta.grad_fn->extras().retain_hooks->remove(meta.retain_hook);
  meta.grad_fn = node;
  meta.output_number = number;
  result->requires_grad = true;
  meta.retain_hook = retain && node ? add_retain_hook(meta) : -1;
  if (result->view) result->view->grad_fn_version = result.version();
}

void retain_grad(const Tensor& self) {
  FRAMEJIT_CHECK(self.requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf(self)) return;
  AutogradMeta& meta = autograd_meta(self);
  if (meta.retain_hook < 0) meta.retain_hook = add_retain_hook(meta);
}

bool retains_grad(const Tensor& self) { return self->autograd && self->autograd->retain_hook >= 0; }

Tensor view_base(const Tensor& self) { return self->view ? self->view->base : Tensor(); }

HookHandle register_hook(const Tensor& self, TensorHook hook, std::shared_ptr<void> python) {
  check_hookable(self);
  std::shared_ptr<HookList<TensorHook>> list;
  if (Ref<GradNode> node = grad_fn(self)) {
    list = node->extras().tensor_hooks;
  } else {
    auto& of_leaf = autograd_meta(self).hooks;
    if (!of_leaf) of_leaf = std::make_shared<HookList<TensorHook>>();
    list = of_leaf;
  }
  int64_t id = list->add(std::move(hook), output_number(self), std::move(python));
  return {list, id};
}

HookHandle register_post_accumulate_hook(const Tensor& self, PostAccumulateHook hook,
                                         std::shared_ptr<void> python) {
  check_hookable(self);
  FRAMEJIT_CHECK(is_leaf(self), "post accumulate grad hooks cannot be registered on non-leaf tensors");
  auto& list = autograd_meta(self).post_hooks;
  if (!list) list = std::make_shared<HookList<PostAccumulateHook>>();
  int64_t id = list->add(std::move(hook), 0, std::move(python));
  return {list, id};
}

void visit_python(const TensorImpl& impl, const PythonVisitor& visit) {
  const AutogradMeta* meta = impl.autograd.get();
  if (!meta) return;
  if (meta->hooks) meta->hooks->visit_python(visit);
  if (meta->post_hooks) meta->post_hooks->visit_python(visit);
  if (meta->grad_fn && meta->grad_fn->use_count() == 1) meta->grad_fn->visit_python(visit);
}

void clear_python(TensorImpl& impl) {
  AutogradMeta* meta = impl.autograd.get();
  if (!meta) return;
  if (meta->hooks) meta->hooks->clear();
  if (meta->post_hooks) meta->post_hooks->clear();
  if (meta->grad_fn && meta->grad_fn->use_count() == 1) meta->grad_fn->clear_python();
}

}  // namespace framejit::eager
