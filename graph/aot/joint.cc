#include "graph/aot/joint.h"

#include <algorithm>

#include "eager/autograd/autograd.h"
#include "eager/error.h"
#include "graph/interpret.h"
#include "graph/passes/functionalize.h"

namespace framejit::graph::aot {

using eager::Tensor;
using eager::Value;

namespace {

/// Backward functions of the user's (framejit.library) may write in place, into a gradient or a copy of one.
/// What they write into saved values and inputs would have to be seen by the caller.
std::unique_ptr<Graph> without_writes(std::unique_ptr<Graph> joint, int input_count) {
  const auto& nodes = joint->nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return is_mutating(*node); }))
    return joint;
  passes::Functional functional = passes::functionalize(*joint);
  Retrace retrace(*functional.graph);
  std::vector<Value> inputs = retrace.inputs(), values(functional.graph->result->args.size()), results;
  Interpreter(*functional.graph).run(inputs.data(), values.data());
  for (const auto& mutation : functional.mutations) {
    FRAMEJIT_CHECK(mutation.input >= input_count,
                   "a backward function writes into an input of the forward function in place; it may write "
                   "into copies and into gradients");
    inputs[size_t(mutation.input)] = values[size_t(mutation.value)];
  }
  for (const passes::ResultRecipe& recipe : functional.results) {
    const bool is_input = recipe.source == passes::ResultRecipe::Source::input;
    Value result = is_input ? inputs[size_t(recipe.index)] : values[size_t(recipe.index)];
    for (const passes::ViewCall& step : recipe.views) result = step.apply(result.tensor());
    results.push_back(std::move(result));
  }
  return retrace.tracer().finish(results);
}

}  // namespace

Joint make_joint(const Graph& graph) {
  Joint joint;
  joint.input_count = int(graph.inputs.size());
  joint.result_count = int(graph.result->args.size());
  Retrace retrace(graph, /*differentiate=*/true);
  eager::GradModeScope grad_mode(true);
  std::vector<Value> results(size_t(joint.result_count));
  Interpreter(graph).run(retrace.inputs().data(), results.data());

  std::vector<Tensor> outputs, inputs, tangents;
  for (int i = 0; i < joint.result_count; ++i) {
    const Value& result = results[size_t(i)];
    if (!result.is_tensor() || !result.tensor().requires_grad()) continue;
    joint.differentiable_results.push_back(i);
    outputs.push_back(result.tensor());
    tangents.push_back(
        retrace.tracer().tensor_input("tangent_" + std::to_string(i), ValueMeta{result.tensor().meta()}));
  }
  for (int i = 0; i < joint.input_count; ++i) {
    const Value& input = retrace.inputs()[size_t(i)];
    if (!input.is_tensor() || !input.tensor().requires_grad()) continue;
    joint.differentiable_inputs.push_back(i);
    inputs.push_back(input.tensor());
  }
  if (!outputs.empty()) {
    for (const Tensor& gradient : eager::grad(outputs, inputs, tangents, {}, /*allow_unused=*/true))
      results.push_back(gradient);
  }
  joint.graph = without_writes(retrace.tracer().finish(results), joint.input_count);
  for (auto& node : joint.graph->nodes) node->grad_mode = true;  // all differentiation has been done
  return joint;
}

}  // namespace framejit::graph::aot
