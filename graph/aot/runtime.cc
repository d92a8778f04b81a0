#include "graph/aot/runtime.h"

#include <algorithm>
#include <functional>

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "generated/ops/copy.h"

namespace framejit::graph::aot {
namespace {

using eager::Tensor;
using eager::Value;
using passes::ResultRecipe;

std::vector<SymInt> read_symbols(const CallPlan& plan, const Value* inputs) {
  std::vector<SymInt> symbols(plan.symbol_sources.size());
  for (size_t i = 0; i < symbols.size(); ++i) {
    auto [input, dim] = plan.symbol_sources[i];
    if (input >= 0) symbols[i] = dim < 0 ? inputs[input].sym_int() : inputs[input].tensor().size(dim);
  }
  return symbols;
}

Value with_numbers(const Value& arg, const std::vector<SymInt>& symbols) {
  if (arg.tag() == Value::Tag::sym_int) return substitute(arg.sym_int(), symbols);
  if (arg.tag() != Value::Tag::int_list) return arg;
  std::vector<SymInt> sizes;
  for (SymInt size : arg.int_list()) sizes.push_back(substitute(size, symbols));
  return sizes;
}

void mutate_inputs(const CallPlan& plan, const Value* inputs, const std::vector<Value>& values) {
  for (const auto& mutation : plan.mutations) {
    eager::GradModeScope scope(mutation.grad_mode && eager::modes().grad_enabled);
    eager::ops::copy_(inputs[mutation.input].tensor(), values[size_t(mutation.value)].tensor());
  }
}

/// The user's results: values of the forward graph, inputs, and views of either made by the ops the user
/// called.
void make_results(const CallPlan& plan, const Value* inputs, const std::vector<Value>& values,
                  Value* results) {
  std::vector<SymInt> symbols;
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const ResultRecipe& recipe = plan.results[i];
    results[i] =
        recipe.source == ResultRecipe::Source::input ? inputs[recipe.index] : values[size_t(recipe.index)];
    if (recipe.views.empty()) continue;
    if (symbols.empty()) symbols = read_symbols(plan, inputs);
    Tensor view = results[i].tensor();
    for (passes::ViewCall step : recipe.views) {
      for (Value& arg : step.args) arg = with_numbers(arg, symbols);
      view = step.apply(view);
    }
    results[i] = view;
  }
}

}  // namespace

void InferenceCall::run(const Value* inputs, Value* results) const {
  std::vector<Value> values(size_t(plan_.forward_results));
  {
    eager::GradModeScope no_grad(false);
    forward_->run(inputs, values.data());
  }
  make_results(plan_, inputs, values, results);
}

void TrainingCall::run(const Value* inputs, Value* results) const {
  std::vector<Value> values(size_t(plan_.forward_results));
  {
    eager::GradModeScope no_grad(false);
    forward_->run(inputs, values.data());
  }
  if (eager::modes().grad_enabled) link(inputs, values);
  mutate_inputs(plan_, inputs, values);
  make_results(plan_, inputs, values, results);
}

/// Makes the autograd node of this call. Inputs that are about to be overwritten are saved as copies.
void TrainingCall::link(const Value* inputs, std::vector<Value>& values) const {
  auto node = eager::make_ref<CompiledBackward>(gradients_.backward);
  for (const SavedValue& saved : gradients_.saved) {
    if (saved.source == SavedValue::Source::result) {
      node->save(values[size_t(saved.index)]);
    } else if (is_mutated(saved.index)) {
      eager::GradModeScope no_grad(false);
      node->save(eager::ops::clone(inputs[saved.index].tensor()));
    } else {
      node->save(inputs[saved.index]);
    }
  }
  if (gradients_.forward) node->keep_call(gradients_.forward, inputs);
  node->set_symbols(read_symbols(plan_, inputs), gradients_.symbols);
  for (int input : gradients_.inputs) {
    Tensor tensor = inputs[input].tensor();
    node->add_edge(tensor.requires_grad() ? eager::gradient_edge(tensor) : eager::Edge());
  }
  for (int result : gradients_.results) {
    Tensor tensor = values[size_t(result)].tensor();
    eager::set_history(tensor, node, node->add_result(tensor));
  }
}

bool TrainingCall::is_mutated(int input) const {
  return std::any_of(plan_.mutations.begin(), plan_.mutations.end(),
                     [&](const auto& mutation) { return mutation.input == input; });
}

std::string TrainingCall::describe() const {
  return "forward:\n" + forward_->describe() + "backward:\n" + gradients_.backward->get().describe();
}

void AliasingCall::run(const Value* inputs, Value* results) const {
  (shares_written_memory(inputs) ? *traced_ : *compiled_).run(inputs, results);
}

bool AliasingCall::shares_written_memory(const Value* inputs) const {
  struct Use {
    const eager::Storage* storage;
    bool is_written;
  };
  std::vector<Use> uses;
  for (size_t i = 0; i < is_written_.size(); ++i)
    if (inputs[i].is_tensor()) uses.push_back({inputs[i].impl()->storage.get(), is_written_[i]});
  std::sort(uses.begin(), uses.end(),
            [](const Use& a, const Use& b) { return std::less<>()(a.storage, b.storage); });
  for (size_t i = 1; i < uses.size(); ++i)
    if (uses[i].storage == uses[i - 1].storage && (uses[i].is_written || uses[i - 1].is_written)) return true;
  return false;
}

}  // namespace framejit::graph::aot
