#include "eager/autograd/op_node.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "eager/autograd/autograd.h"
#include "eager/autograd/backward_context.h"
#include "eager/autograd/engine.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/complex.h"
#include "generated/ops/creation.h"

namespace framejit::eager {

namespace {

template <class F>
void for_each_bit(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1) f(std::countr_zero(mask));
}

/// For a derivative that asks for sizes or dtype only.
Tensor without_data(const TensorImpl* impl) {
  return impl ? Tensor::from_storage(nullptr, 0, impl->meta) : Tensor();
}
Value without_data(const Value& value) {
  if (value.is_tensor()) return without_data(value.impl());
  if (value.tag() != Value::Tag::tensor_list) return value;
  std::vector<Tensor> list;
  for (const Tensor& tensor : value.tensor_list()) list.push_back(without_data(tensor.impl()));
  return list;
}

}  // namespace

OpNode::OpNode(const Op& op, const Value* args, uint64_t needed) : op_(op), needed_(needed) {
  add_edges(args);
  uint64_t saved = 0, saved_meta = 0;
  for (const Formula& formula : op.formulas) {
    if (!needs(formula.arg)) continue;
    saved |= formula.saved_args;
    saved_meta |= formula.saved_meta;
  }
  args_.reserve(size_t(std::popcount(saved | saved_meta)));
  for_each_bit(saved, [&](int arg) { save_arg(arg, args[arg]); });
  for_each_bit(saved_meta & ~saved,
               [&](int arg) { args_.push_back({.arg = arg, .value = without_data(args[arg])}); });
}

void OpNode::add_edges(const Value* args) {
  edges.reserve(size_t(std::popcount(op_.differentiable)));
  for_each_bit(op_.differentiable, [&](int arg) {
    if (args[arg].tag() == Value::Tag::tensor_list) {
      const std::vector<Tensor>& list = args[arg].tensor_list();
      for (const Tensor& tensor : list) add_edge(tensor.defined() ? gradient_edge(tensor) : Edge());
      lists_.push_back({arg, int(list.size())});
    } else {
      add_edge(args[arg].is_tensor() ? gradient_edge(args[arg].tensor()) : Edge());
    }
  });
}

size_t OpNode::edge_of(int arg) const {
  uint64_t before = op_.differentiable & ((uint64_t(1) << arg) - 1);
  size_t edge = size_t(std::popcount(before));
  for (const ListLength& list : lists_)
    if (list.arg < arg) edge += size_t(list.count) - 1;
  return edge;
}

bool OpNode::wants(int arg) const {
  if (!needs(arg)) return false;
  size_t count = 1;
  for (const ListLength& list : lists_)
    if (list.arg == arg) count = size_t(list.count);
  const auto first = edges.begin() + int64_t(edge_of(arg));
  return std::any_of(first, first + int64_t(count), [&](const Edge& edge) { return is_wanted(*this, edge); });
}

void OpNode::save_arg(int arg, const Value& value) {
  SavedArg saved{.arg = arg};
  auto save = [&](const Tensor& tensor) {
    if (!tensor.defined())
      tensors_.emplace_back();
    else
      tensors_.emplace_back(tensor,
                            tensor.requires_grad() && !is_leaf(tensor) ? gradient_edge(tensor) : Edge());
  };
  saved.first = int(tensors_.size());
  saved.is_list = value.tag() == Value::Tag::tensor_list;
  if (saved.is_list) {
    for (const Tensor& tensor : value.tensor_list()) save(tensor);
  } else if (value.is_tensor()) {
    save(value.tensor());
  } else {
    saved.first = -1;
    saved.value = value;
  }
  saved.count = int(tensors_.size()) - saved.first;
  args_.push_back(std::move(saved));
}

void OpNode::save_results(const Value* results) {
  uint32_t saved = 0;
  for (const Formula& formula : op_.formulas)
    if (needs(formula.arg)) saved |= formula.saved_results;
  if (!saved) return;
  results_saved_.resize(this->results.size());
  // The history of a result is this node: linked when unpacked.
  for_each_bit(saved, [&](int i) {
    results_saved_[size_t(i)] = SavedTensor(without_history(results[i].tensor()), {});
  });
}

std::vector<SavedTensor> OpNode::kept(const std::vector<SavedTensor>& of, size_t first, size_t count) const {
  std::lock_guard lock(mutex_);
  FRAMEJIT_CHECK(!released_, kUsedTwice);
  return {of.begin() + int64_t(first), of.begin() + int64_t(first + count)};
}

/// A saved tensor as formulas take it: see Op::analytic.
Tensor OpNode::for_formula(Tensor saved) const {
  const bool conjugate = op_.analytic && saved.defined() && is_complex(saved.dtype());
  return conjugate ? ops::conj_physical(saved) : saved;
}

Value OpNode::saved_arg(int arg) const {
  for (const SavedArg& saved : args_) {
    if (saved.arg != arg) continue;
    if (saved.first < 0) {
      const bool conjugate = op_.analytic && saved.value.tag() == Value::Tag::complex;
      return conjugate ? Value(std::conj(saved.value.complex())) : saved.value;
    }
    std::vector<SavedTensor> tensors = kept(tensors_, size_t(saved.first), size_t(saved.count));
    if (!saved.is_list) return for_formula(tensors[0].unpack());
    std::vector<Tensor> list;
    for (const SavedTensor& tensor : tensors) list.push_back(for_formula(tensor.unpack()));
    return list;
  }
  throw InternalError(concat("internal error: the derivative of ", op_.full_name, " reads argument ", arg,
                             ", which was not saved. Please report this."));
}

bool OpNode::has_saved(int arg) const {
  for (const SavedArg& saved : args_)
    if (saved.arg == arg) return true;
  return false;
}

bool OpNode::has_saved_result(int index) const {
  std::lock_guard lock(mutex_);
  return size_t(index) < results_saved_.size() && results_saved_[size_t(index)].defined();
}

Tensor OpNode::saved_result(int index) const {
  return for_formula(kept(results_saved_, size_t(index), 1)[0].unpack(this, index));
}

std::vector<Tensor> OpNode::apply(std::vector<Tensor> grads) {
  BackwardContext context(*this, std::move(grads));
  if (op_.backward)
    op_.backward(context);  // without one, an in-place op has cut the history of what it wrote
  return context.take_gradients();
}

std::string OpNode::name() const {
  std::string text;
  bool upper = true;
  for (char c : op_.schema.name) {
    if (c != '_') text += upper ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return text + "Backward0";
}

void OpNode::release_saved() {
  std::vector<SavedTensor> tensors, results;  // die after the lock has been given back
  std::lock_guard lock(mutex_);
  // Sizes and numbers stay: a derivative that reads nothing else can run again.
  released_ = released_ || !tensors_.empty() || !results_saved_.empty();
  tensors.swap(tensors_);
  results.swap(results_saved_);
}

BackwardContext::BackwardContext(const OpNode& node, std::vector<Tensor> grads)
    : node_(node), grads_(std::move(grads)), gradients_(node.edges.size()) {
  for (size_t i = 0; i < grads_.size(); ++i) {
    const GradientMeta& meta = node.results[i];
    if (!grads_[i].defined() && is_inexact(meta.dtype))
      grads_[i] = ops::zeros(meta.sizes, meta.dtype, meta.device);
  }
}

void BackwardContext::set(int arg, std::vector<Tensor> grads) {
  size_t first = node_.edge_of(arg);
  for (size_t i = 0; i < grads.size(); ++i) gradients_[first + i] = std::move(grads[i]);
}

}  // namespace framejit::eager
