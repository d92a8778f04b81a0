// The derivative of `recurrent_layer`: step by step back through time, by one kernel where the gradient will
// not be differentiated in turn. The gradient of the weight is one product over all steps.
#include "eager/autograd/recurrent_formulas.h"

#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/nn/recurrent.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager::ops {

namespace {

/// Part `index` of the equal parts of the last dim that are `width` wide.
Tensor part(const Tensor& gates, int index, SymInt width) { return narrow(gates, -1, width * index, width); }

/// The states before each time: the initial one, then all but the last of `next`.
Tensor states_before(const Tensor& initial, const Tensor& next) {
  return cat({unsqueeze(initial, 0), narrow(next, 0, SymInt(0), next.size(0) - 1)}, 0);
}

/// Gradients of one step: of what the input and the hidden state give to the gates, and of the states before.
struct StepGradients {
  Tensor input, product, direct, cell;
};

/// `grad` is the gradient of the next hidden state, `grad_cell` that of the next cell state.
StepGradients lstm_step_backward(const Tensor& gates, const Tensor& cell, const Tensor& next_cell,
                                 const Tensor& grad, const Tensor& grad_cell) {
  const SymInt width = grad.size(1);
  const Tensor in = sigmoid(part(gates, 0, width)), forget = sigmoid(part(gates, 1, width)),
               fresh = tanh(part(gates, 2, width)), out = sigmoid(part(gates, 3, width));
  const Tensor activated = tanh(next_cell);
  const Tensor of_cell = grad_cell + grad * out * (1 - square(activated));
  const Tensor of_gates = cat({of_cell * fresh * in * (1 - in), of_cell * cell * forget * (1 - forget),
                               of_cell * in * (1 - square(fresh)), grad * activated * out * (1 - out)},
                              -1);
  return {of_gates, of_gates, {}, of_cell * forget};
}

StepGradients gru_step_backward(const Tensor& input, const Tensor& product, const Tensor& state,
                                const Tensor& grad) {
  const SymInt width = grad.size(1);
  const auto both = [&](int index) { return part(input, index, width) + part(product, index, width); };
  const Tensor reset = sigmoid(both(0)), keep = sigmoid(both(1)), from_hidden = part(product, 2, width),
               fresh = tanh(part(input, 2, width) + reset * from_hidden);
  const Tensor of_fresh = grad * (1 - keep) * (1 - square(fresh)),
               of_keep = grad * (state - fresh) * keep * (1 - keep),
               of_reset = of_fresh * from_hidden * reset * (1 - reset);
  return {cat({of_reset, of_keep, of_fresh}, -1),
          cat({of_reset, of_keep, of_fresh * reset}, -1),
          grad * keep,
          {}};
}

StepGradients elman_step_backward(RecurrentId id, const Tensor& next, const Tensor& grad) {
  const Tensor of_gate =
      id == RecurrentId::tanh ? grad * (1 - square(next)) : where(gt(next, 0), grad, zeros_like(grad));
  return {of_gate, of_gate, {}, {}};
}

/// In ops, which can be traced and differentiated.
cpu::RecurrentGradients backward_by_steps(const cpu::RecurrentLayer& layer, const Tensor& grad_outputs,
                                          const Tensor& grad_cells) {
  const int64_t times = layer.input.size(0).expect();
  const Tensor states = states_before(layer.hidden, layer.outputs),
               products = linear(states, layer.weight, layer.bias),
               cells = layer.kind.has_cell ? states_before(layer.cell, layer.cells) : Tensor();
  std::vector<Tensor> of_input, of_product;
  of_input.resize(size_t(times)), of_product.resize(size_t(times));
  Tensor of_hidden = zeros_like(layer.hidden), of_cell = zeros_like(layer.hidden);
  for (int64_t t = times - 1; t >= 0; --t) {
    const auto at = [&](const Tensor& all) { return select(all, 0, t); };
    const Tensor grad = at(grad_outputs) + of_hidden;
    StepGradients step;
    switch (layer.kind.id) {
      case RecurrentId::lstm:
        step = lstm_step_backward(at(layer.input) + at(products), at(cells), at(layer.cells), grad,
                                  at(grad_cells) + of_cell);
        break;
      case RecurrentId::gru:
        step = gru_step_backward(at(layer.input), at(products), at(states), grad);
        break;
      case RecurrentId::tanh:
      case RecurrentId::relu:
        step = elman_step_backward(layer.kind.id, at(layer.outputs), grad);
    }
    of_input[size_t(t)] = step.input, of_product[size_t(t)] = step.product;
    of_hidden = mm(step.product, layer.weight);
    if (step.direct.defined()) of_hidden = of_hidden + step.direct;
    of_cell = step.cell;
  }
  return {stack(of_input, 0), stack(of_product, 0), of_hidden, of_cell};
}

/// (T, N, C) as (T * N, C).
Tensor as_rows(const Tensor& self) {
  return reshape(self, {(self.size(0) * self.size(1)).bits(), self.sizes()[2]});
}

}  // namespace

std::array<Tensor, 5> recurrent_layer_backward(const std::string& kind, const std::vector<Tensor>& grads,
                                               const Tensor& input, const Tensor& hidden, const Tensor& cell,
                                               const Tensor& weight, const Tensor& bias,
                                               const Tensor& outputs, const Tensor& cells,
                                               const Tensor& gates, const std::array<bool, 5>& needed) {
  const cpu::RecurrentLayer layer{
      recurrent_kind(kind), input, hidden, cell, weight, bias, outputs, cells, gates};
  const bool by_kernel = !modes().grad_enabled && needs_no_graph({input, hidden, weight, grads[0]});
  const cpu::RecurrentGradients back = by_kernel ? cpu::recurrent_layer_backward(layer, grads[0], grads[1])
                                                 : backward_by_steps(layer, grads[0], grads[1]);
  std::array<Tensor, 5> gradients{back.input, back.hidden, back.cell};
  if (needed[3])
    gradients[3] = mm(transpose(as_rows(back.product), 0, 1), as_rows(states_before(hidden, outputs)));
  if (needed[4]) gradients[4] = sum(as_rows(back.product), one_dim(0));
  return gradients;
}

}  // namespace framejit::eager::ops
