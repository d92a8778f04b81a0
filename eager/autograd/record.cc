#include "eager/autograd/record.h"

#include <bit>

#include "eager/autograd/autograd.h"
#include "eager/autograd/op_node.h"
#include "eager/autograd/view.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/copy.h"

namespace framejit::eager {

namespace {

bool any_requires_grad(const std::vector<Tensor>& list) {
  for (const Tensor& tensor : list)
    if (tensor.defined() && tensor.requires_grad()) return true;
  return false;
}

/// Results that can carry a gradient become outputs of `node`.
void link(const Tensor& result, const Ref<OpNode>& node) {
  int number = node->add_result(result);
  if (is_inexact(result.dtype())) set_history(result, node, number);
}

void link_results(const Op& op, const Value* results, const Ref<OpNode>& node) {
  if (op.schema.returns_list) {
    for (const Tensor& result : results[0].tensor_list()) link(result, node);
    return;
  }
  for (int i = 0; i < op.schema.result_count; ++i)
    if (results[i].is_tensor()) link(results[i].tensor(), node);
}

/// The arguments as the derivative of an in-place op must see them: with what `self` was before, if it reads
/// it.
std::vector<Value> args_before_write(const Op& op, const Value* args, uint64_t needed) {
  std::vector<Value> before(args, args + op.schema.args.size());
  uint64_t saved = 0;
  for (const Formula& formula : op.formulas)
    if (needed >> formula.arg & 1) saved |= formula.saved_args;
  if (saved >> op.mutated & 1) before[size_t(op.mutated)] = copy_with_history(args[op.mutated].tensor());
  return before;
}

void call_mutating(const Op& op, const Value* args, Value* results, uint64_t requiring) {
  Tensor self = args[op.mutated].tensor();
  FRAMEJIT_CHECK(
      !self->is_inference || modes().inference,
      "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get "
      "a normal tensor before doing inplace update.");
  if (!requiring) return call_below_autograd(op, args, results);
  if (op.kind == OpKind::out && !(requiring & op.functional->differentiable))
    return call_below_autograd(op, args, results);
  FRAMEJIT_CHECK(
      op.kind != OpKind::out, op.schema.name,
      "(): functions with out=... arguments don't support automatic differentiation, but one of the "
      "arguments requires grad.");
  check_inplace(op, self);
  uint64_t needed = requiring & op.differentiable;
  std::vector<Value> before = args_before_write(op, args, needed);
  Ref<OpNode> node(new OpNode(op, before.data(), needed));
  call_below_autograd(op, args, results);
  if (!is_inexact(self.dtype())) return;
  rebase_history(self, node);
  node->save_results(results);
}

/// The one view that autograd must not follow.
bool is_detach(const Op& op) {
  static const Op& detach = get_op("detach");
  return &op == &detach;
}

}  // namespace

Tensor copy_with_history(const Tensor& self) {
  GradModeScope no_grad(false);
  Tensor copy = ops::clone(self);
  if (Edge edge = self.requires_grad() ? gradient_edge(self) : Edge(); edge.node)
    set_history(copy, edge.node, edge.input);
  return copy;
}

uint64_t args_requiring_grad(const Op& op, const Value* args) {
  uint64_t result = 0;
  for (uint64_t mask = op.tensor_args; mask; mask &= mask - 1) {
    int arg = std::countr_zero(mask);
    const Value& value = args[arg];
    bool requires_grad = false;
    if (value.is_tensor())
      requires_grad = value.impl()->requires_grad || (value.impl()->view && value.tensor().requires_grad());
    else if (value.tag() == Value::Tag::tensor_list)
      requires_grad = any_requires_grad(value.tensor_list());
    result |= uint64_t(requires_grad) << arg;
  }
  return result;
}

void call_with_autograd(const Op& op, const Value* args, Value* results, uint64_t requiring) {
  if (op.mutated >= 0) return call_mutating(op, args, results, requiring);
  Ref<OpNode> node;
  if (uint64_t needed = requiring & op.differentiable; needed && op.backward)
    node = Ref<OpNode>(new OpNode(op, args, needed));
  call_below_autograd(op, args, results);
  if (node) {
    link_results(op, results, node);
    node->save_results(results);
  }
  if (op.kind == OpKind::view && !is_detach(op)) track_views(op, args, results);
}

}  // namespace framejit::eager
