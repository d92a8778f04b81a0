#include "graph/aot/compiled_backward.h"

#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"

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

std::vector<Tensor> CompiledBackward::apply(std::vector<Tensor> grads) {
  std::vector<Saved> saved;
  {
    std::lock_guard lock(mutex_);
    FRAMEJIT_CHECK(!released_, eager::kUsedTwice);
    saved = saved_;
  }
  FRAMEJIT_CHECK(
      !eager::modes().grad_enabled,
      "a compiled function cannot be differentiated twice from outside: create_graph=True reached its "
      "backward graph, which is not differentiable. Take the first derivative inside the compiled "
      "function, or compile with backend=\"eager\".");
  std::vector<Value> inputs;
  for (const Saved& each : saved)
    inputs.push_back(each.number.is_none() ? Value(each.tensor.unpack()) : each.number);
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
  std::vector<Saved> saved;  // dies after the lock has been given back
  std::lock_guard lock(mutex_);
  saved.swap(saved_);
  released_ = true;
}

}  // namespace framejit::graph::aot
