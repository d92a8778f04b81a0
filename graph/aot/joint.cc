#include "graph/aot/joint.h"

#include "eager/autograd/autograd.h"
#include "graph/interpret.h"

namespace framejit::graph::aot {

using eager::Tensor;
using eager::Value;

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
  joint.graph = retrace.tracer().finish(results);
  for (auto& node : joint.graph->nodes) node->grad_mode = true;  // all differentiation has been done
  return joint;
}

}  // namespace framejit::graph::aot
