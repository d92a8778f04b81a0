// Entry points of the backward pass: what is to be differentiated, checked, becomes edges.
#include "eager/autograd/accumulate_grad.h"
#include "eager/autograd/engine.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"

namespace framejit::eager {
namespace {

std::vector<Edge> edges_of(const std::vector<Tensor>& outputs) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < outputs.size(); ++i) {
    FRAMEJIT_CHECK(outputs[i].requires_grad(), "element ", i,
                   " of tensors does not require grad and does not have a grad_fn");
    edges.push_back(gradient_edge(outputs[i]));
  }
  return edges;
}

std::vector<Edge> edges_of_inputs(const std::vector<Tensor>& inputs) {
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) {
    FRAMEJIT_CHECK(input.requires_grad(), "One of the differentiated Tensors does not require grad");
    edges.push_back(gradient_edge(input));
  }
  return edges;
}

/// The gradient that a pass begins with.
Tensor first_gradient(const GradientMeta& output, Tensor grad, size_t index) {
  if (!grad.defined()) {
    FRAMEJIT_CHECK(numel(output.sizes) == 1, "grad can be implicitly created only for scalar outputs");
    FRAMEJIT_CHECK(!is_complex(output.dtype),
                   "grad can be implicitly created only for real scalar outputs but got ",
                   dtype_name(output.dtype));
    return ops::ones(output.sizes, output.dtype, output.device);
  }
  FRAMEJIT_CHECK(grad.sizes() == output.sizes, "Mismatch in shape: grad_output[", index, "] has a shape of ",
                 sizes_text(grad.sizes()), " and output[", index, "] has a shape of ",
                 sizes_text(output.sizes), ".");
  return grad.dtype() == output.dtype ? grad : ops::cast(grad, output.dtype);
}

BackwardPass make_pass(const std::vector<Edge>& outputs, const std::vector<Tensor>& grads,
                       BackwardOptions options) {
  FRAMEJIT_CHECK(grads.empty() || grads.size() == outputs.size(), "got ", outputs.size(), " tensors and ",
                 grads.size(), " gradients");
  BackwardPass pass;
  pass.options = options;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const GradientMeta& meta = outputs[i].node->results[size_t(outputs[i].input)];
    pass.grads.push_back(first_gradient(meta, grads.empty() ? Tensor() : grads[i], i));
  }
  pass.roots = outputs;
  return pass;
}

}  // namespace

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grads, BackwardOptions options,
              const std::vector<Tensor>& inputs) {
  backward(edges_of(outputs), grads, options, inputs);
}

void backward(const std::vector<Edge>& outputs, const std::vector<Tensor>& grads, BackwardOptions options,
              const std::vector<Tensor>& inputs) {
  BackwardPass pass = make_pass(outputs, grads, options);
  std::vector<Tensor> captured;  // inputs that are no leaves
  std::vector<Edge> edges = edges_of_inputs(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (edges[i].node->leaf()) {
      pass.targets.push_back(edges[i]);
    } else {
      pass.captures.push_back(edges[i]);
      captured.push_back(inputs[i]);
    }
  }
  std::vector<Tensor> gradients = run_backward(std::move(pass));
  GradModeScope grad_mode(options.create_graph);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined()) accumulate_grad(captured[i], std::move(gradients[i]));
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grads, BackwardOptions options, bool allow_unused) {
  return grad(edges_of(outputs), edges_of_inputs(inputs), grads, options, allow_unused);
}

std::vector<Tensor> grad(const std::vector<Edge>& outputs, const std::vector<Edge>& inputs,
                         const std::vector<Tensor>& grads, BackwardOptions options, bool allow_unused) {
  FRAMEJIT_CHECK_TYPE(!inputs.empty(), value, "`inputs` argument to `grad()` cannot be empty.");
  BackwardPass pass = make_pass(outputs, grads, options);
  pass.captures = inputs;
  std::vector<Tensor> gradients = run_backward(std::move(pass));
  for (size_t i = 0; i < gradients.size(); ++i)
    FRAMEJIT_CHECK(
        gradients[i].defined() || allow_unused, "The differentiated Tensor at index ", i,
        " appears to not have been used in the graph. Set allow_unused=True if this is the desired "
        "behavior.");
  return gradients;
}

}  // namespace framejit::eager
