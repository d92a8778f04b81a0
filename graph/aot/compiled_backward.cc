#include "graph/aot/compiled_backward.h"

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/view.h"

namespace framejit::graph::aot {

using eager::Tensor;
using eager::Value;

LazyExecutable::LazyExecutable(std::unique_ptr<Graph> graph, Compiler compiler)
    : graph_(std::move(graph)), compiler_(std::move(compiler)), result_count_(graph_->result->args.size()) {
  for (const Node* input : graph_->inputs) input_metas_.push_back(input->meta[0]);
}

void LazyExecutable::compile() const {
  std::call_once(once_, [&] {
    auto shapes = graph_->shapes;
    eager::ShapeEnvScope scope(shapes.get());
    eager::WithoutAutocast as_traced;
    executable_ = compiler_(std::move(graph_));
  });
}

const Executable& LazyExecutable::get() const {
  compile();
  return *executable_;
}

void CompiledBackward::save(const Value& value) {
  if (value.is_tensor())
    saved_.push_back({eager::SavedTensor(value.tensor(), {}), {}});
  else
    saved_.push_back({{}, value});
}

void CompiledBackward::set_symbols(std::vector<SymInt> symbols, const std::vector<int>& used) {
  symbols_ = std::move(symbols);
  used_symbols_ = used;
}

/// The gradient as the backward graph was compiled for: zeros when there is none, with the strides traced.
Tensor CompiledBackward::tangent(size_t number, size_t input, const Tensor& grad) const {
  const eager::GradientMeta& like = results[number];
  if (!grad.defined()) return eager::ops::zeros(like.sizes, like.dtype, like.device);
  TensorMeta meta = backward_->input_meta(input).tensor;
  for (int i = 0; i < meta.sizes.size(); ++i) {
    meta.sizes[i] = substitute(meta.sizes.sym(i), symbols_).bits();
    meta.strides[i] = substitute(meta.strides.sym(i), symbols_).bits();
  }
  if (grad.strides() == meta.strides) return grad;
  Tensor copy = Tensor::empty(meta);
  return eager::ops::copy_(copy, grad);
}

void CompiledBackward::keep_call(std::shared_ptr<const Forward> forward, const Value* inputs) {
  if (eager::modes().saved_tensor_hooks) return;  // whoever sets these decides what stays in memory
  for (size_t i = 0; i < forward->input_count; ++i) {
    if (!inputs[i].is_tensor()) {
      call_.push_back({{}, inputs[i]});
      continue;
    }
    Tensor tensor = inputs[i].tensor();
    if (tensor->is_inference) return;
    const bool inner = tensor.requires_grad() && !eager::is_leaf(tensor);
    call_.push_back({eager::SavedTensor(tensor, inner ? eager::gradient_edge(tensor) : eager::Edge()), {}});
  }
  forward_ = std::move(forward);
}

/// The gradients with a history: those of the call made again under autograd.
std::vector<Tensor> CompiledBackward::apply_differentiably(const std::vector<Tensor>& grads) {
  std::vector<Saved> call;
  {
    std::lock_guard lock(mutex_);
    FRAMEJIT_CHECK(!released_, eager::kUsedTwice);
    call = call_;
  }
  FRAMEJIT_CHECK(forward_,
                 "a compiled function is differentiated twice (create_graph=True) that draws random numbers, "
                 "writes into its inputs, or was called under saved-tensor hooks: such a call cannot be made "
                 "again. Take the first derivative inside the compiled function, or compile with "
                 "backend=\"eager\".");
  std::vector<Value> inputs, results(forward_->result_count);
  for (const Saved& each : call) inputs.push_back(each.value());
  std::vector<Tensor> wanted, outputs, seeds;
  for (int i : forward_->differentiable_inputs) {
    Value& input = inputs[size_t(i)];
    // A tensor of its own: what one input owes to another is not a matter of this call.
    if (input.tensor().requires_grad()) input = eager::ops::view_as(input.tensor(), input.tensor());
    wanted.push_back(input.tensor());
  }
  forward_->executable->run(inputs.data(), results.data());
  for (size_t i = 0; i < grads.size(); ++i) {
    Tensor output = results[size_t(forward_->differentiable_results[i])].tensor();
    if (!grads[i].defined() || !output.requires_grad()) continue;
    outputs.push_back(output);
    seeds.push_back(grads[i]);
  }
  std::vector<Tensor> gradients(wanted.size()), requiring;
  for (const Tensor& tensor : wanted)
    if (tensor.requires_grad()) requiring.push_back(tensor);
  if (outputs.empty() || requiring.empty()) return gradients;
  std::vector<Tensor> found = eager::grad(outputs, requiring, seeds, {true, true}, true);
  for (size_t i = 0, next = 0; i < wanted.size(); ++i)
    if (wanted[i].requires_grad()) gradients[i] = std::move(found[next++]);
  return gradients;
}

std::vector<Tensor> CompiledBackward::apply(std::vector<Tensor> grads) {
  if (eager::modes().grad_enabled) return apply_differentiably(grads);
  std::vector<Saved> saved;
  {
    std::lock_guard lock(mutex_);
    FRAMEJIT_CHECK(!released_, eager::kUsedTwice);
    saved = saved_;
  }
  std::vector<Value> inputs;
  for (const Saved& each : saved) inputs.push_back(each.value());
  for (int symbol : used_symbols_) inputs.push_back(symbols_[size_t(symbol)]);
  size_t first_tangent = inputs.size();
  for (size_t i = 0; i < grads.size(); ++i) inputs.push_back(tangent(i, first_tangent + i, grads[i]));

  std::vector<Value> gradients(backward_->result_count());
  backward_->get().run(inputs.data(), gradients.data());
  std::vector<Tensor> result;
  for (Value& gradient : gradients) result.push_back(gradient.take_tensor());
  return result;
}

void CompiledBackward::release_saved() {
  std::vector<Saved> saved, call;  // die after the lock has been given back
  std::lock_guard lock(mutex_);
  saved.swap(saved_);
  call.swap(call_);
  released_ = true;
}

}  // namespace framejit::graph::aot
