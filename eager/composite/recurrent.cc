// LSTM, GRU and Elman networks: one step of each, and layers of them over time.
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/nn/lstm.h"
#include "eager/cpu/nn/recurrent.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
#include "generated/ops/elementary.h"
#include "generated/ops/joining.h"
#include "generated/ops/matmul.h"
#include "generated/ops/random.h"
#include "generated/ops/recurrent.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// Hidden state, and of an LSTM the cell state.
struct State {
  Tensor hidden, cell;
};

/// What the hidden state is multiplied by in one layer and direction; `project` of LSTMs with projections.
struct Weights {
  Tensor input, hidden, input_bias, hidden_bias, project;
  /// `hidden` transposed in memory, where it is used many times.
  Tensor hidden_columns;

  Tensor from_hidden(const Tensor& state) const {
    if (!hidden_columns.defined()) return linear(state, hidden, hidden_bias);
    const Tensor product = matmul(state, hidden_columns);
    return hidden_bias.defined() ? product + hidden_bias : product;
  }
};

/// `from_input`: the input of one time multiplied by its weights already.
using Step = State (*)(const Tensor& from_input, const State& state, const Weights& weights);

/// Part `index` of `count` equal ones of the last dim.
Tensor gate(const Tensor& gates, int index, int count) {
  const SymInt width = floor_div(gates.size(gates.dim() - 1), count);
  return narrow(gates, -1, width * index, width);
}

State lstm_step(const Tensor& from_input, const State& state, const Weights& weights) {
  const Tensor gates = from_input + weights.from_hidden(state.hidden);
  Tensor hidden, cell;
  if (needs_no_graph({gates, state.cell}) && cpu::are_lstm_gates(gates, state.cell)) {
    auto next = cpu::lstm_states(gates, state.cell);
    hidden = std::move(next[0]), cell = std::move(next[1]);
  } else {
    cell = sigmoid(gate(gates, 1, 4)) * state.cell + sigmoid(gate(gates, 0, 4)) * tanh(gate(gates, 2, 4));
    hidden = sigmoid(gate(gates, 3, 4)) * tanh(cell);
  }
  return {weights.project.defined() ? linear(hidden, weights.project, {}) : hidden, cell};
}

State gru_step(const Tensor& from_input, const State& state, const Weights& weights) {
  const Tensor from_hidden = weights.from_hidden(state.hidden);
  const Tensor reset = sigmoid(gate(from_input, 0, 3) + gate(from_hidden, 0, 3)),
               keep = sigmoid(gate(from_input, 1, 3) + gate(from_hidden, 1, 3)),
               fresh = tanh(gate(from_input, 2, 3) + reset * gate(from_hidden, 2, 3));
  return {fresh + keep * (state.hidden - fresh), {}};
}

State tanh_step(const Tensor& from_input, const State& state, const Weights& weights) {
  return {tanh(from_input + weights.from_hidden(state.hidden)), {}};
}
State relu_step(const Tensor& from_input, const State& state, const Weights& weights) {
  return {relu(from_input + weights.from_hidden(state.hidden)), {}};
}

/// args: input, hx, w_ih, w_hh, b_ih, b_hh.
State run_cell(Step step, const Value* args, const State& state) {
  const Tensor input = args[0].tensor();
  const Weights weights{args[2].tensor(), args[3].tensor(), args[4].tensor(), args[5].tensor(), {}, {}};
  return step(linear(input, weights.input, weights.input_bias), state, weights);
}

/// A kind of layer, by its name in `recurrent_layer`.
struct Kind {
  const char* name;
  Step step;
};
constexpr Kind kLstm{"lstm", lstm_step}, kGru{"gru", gru_step}, kTanh{"tanh", tanh_step},
    kRelu{"relu", relu_step};

/// But for a GRU, both biases are added to all inputs at once.
Weights with_one_bias(Weights weights, const Kind& kind) {
  if (kind.step == gru_step || !weights.hidden_bias.defined()) return weights;
  weights.input_bias = weights.input_bias + weights.hidden_bias;
  weights.hidden_bias = {};
  return weights;
}

/// Whether the op `recurrent_layer` takes these. Traces see the steps: they are fused.
bool are_one_op(const Kind& kind, const Tensor& from_input, const Weights& weights, const State& state) {
  for (const Tensor& tensor : {from_input, state.hidden, weights.hidden})
    if (tensor.is_symbolic()) return false;
  return !weights.project.defined() && cpu::are_recurrent_layer({recurrent_kind(kind.name),
                                                                 from_input,
                                                                 state.hidden,
                                                                 state.cell,
                                                                 weights.hidden,
                                                                 weights.hidden_bias,
                                                                 {},
                                                                 {},
                                                                 {}});
}

/// The outputs of all times; `state` is left at the last one.
Tensor run_as_one(const Kind& kind, const Tensor& from_input, Weights weights, bool backwards, State& state) {
  const Tensor in_order = backwards ? flip(from_input, one_dim(0)) : from_input;
  const auto [outputs, cells, gates] =
      recurrent_layer(kind.name, in_order, state.hidden, state.cell, weights.hidden, weights.hidden_bias);
  state.hidden = select(outputs, 0, -1);
  if (state.cell.defined()) state.cell = select(cells, 0, -1);
  return backwards ? flip(outputs, one_dim(0)) : outputs;
}

/// The same by steps.
Tensor run_steps(const Kind& kind, const Tensor& from_input, Weights weights, bool backwards, State& state) {
  const int64_t times = from_input.size(0).expect();
  if (times > 1) weights.hidden_columns = contiguous(transpose(weights.hidden, 0, 1));
  std::vector<Tensor> outputs;
  outputs.resize(size_t(times));
  for (int64_t i = 0; i < times; ++i) {
    const int64_t t = backwards ? times - 1 - i : i;
    state = kind.step(select(from_input, 0, t), state, weights);
    outputs[size_t(t)] = state.hidden;
  }
  return stack(outputs, 0);
}

/// One layer in one direction over input (T, N, C).
Tensor run_direction(const Kind& kind, const Tensor& input, const Weights& given, bool backwards,
                     State& state) {
  const Weights weights = with_one_bias(given, kind);
  const Tensor from_input = linear(input, weights.input, weights.input_bias);
  return (are_one_op(kind, from_input, weights, state) ? run_as_one : run_steps)(kind, from_input, weights,
                                                                                 backwards, state);
}

/// The arguments params, has_biases, num_layers, dropout, train, bidirectional, batch_first.
struct Layers {
  std::vector<Tensor> params;
  bool has_biases, train, bidirectional, batch_first;
  int64_t count;
  double dropout;
  bool projected;

  Layers(const Value* args, bool with_projections)
      : params(args[0].tensor_list()),
        has_biases(args[1].boolean()),
        train(args[4].boolean()),
        bidirectional(args[5].boolean()),
        batch_first(args[6].boolean()),
        count(args[2].integer()),
        dropout(args[3].real()),
        projected(with_projections) {
    const int64_t expected = count * directions() * per_direction();
    FRAMEJIT_CHECK(int64_t(params.size()) == expected, "got an incorrect number of RNN parameters: expected ",
                   expected, ", got ", params.size());
  }
  int64_t directions() const { return bidirectional ? 2 : 1; }
  int64_t per_direction() const { return (has_biases ? 4 : 2) + (projected ? 1 : 0); }

  Weights weights(int64_t index) const {
    const Tensor* from = params.data() + index * per_direction();
    return {from[0],
            from[1],
            has_biases ? from[2] : Tensor(),
            has_biases ? from[3] : Tensor(),
            projected ? from[per_direction() - 1] : Tensor(),
            {}};
  }
};

/// All layers; `hidden` and `cell` (layers x directions, N, width) become the last states.
Tensor run_layers(const Kind& kind, Tensor input, const Layers& layers, Tensor& hidden, Tensor& cell) {
  FRAMEJIT_CHECK(input.dim() == 3, "RNN: Expected input to be 3D, got ", input.dim(), "D instead");
  if (layers.batch_first) input = transpose(input, 0, 1);
  FRAMEJIT_CHECK(input.size(0) > 0, "Expected sequence length to be larger than 0 in RNN");
  std::vector<Tensor> last_hidden, last_cell;
  for (int64_t layer = 0; layer < layers.count; ++layer) {
    std::vector<Tensor> outputs;
    for (int64_t direction = 0; direction < layers.directions(); ++direction) {
      const int64_t index = layer * layers.directions() + direction;
      State state{select(hidden, 0, index), cell.defined() ? select(cell, 0, index) : Tensor()};
      outputs.push_back(run_direction(kind, input, layers.weights(index), direction == 1, state));
      last_hidden.push_back(state.hidden);
      if (cell.defined()) last_cell.push_back(state.cell);
    }
    input = outputs.size() == 1 ? outputs[0] : cat(outputs, -1);
    if (layers.train && layers.dropout > 0 && layer + 1 < layers.count)
      input = dropout(input, layers.dropout, true);
  }
  hidden = stack(last_hidden, 0);
  if (cell.defined()) cell = stack(last_cell, 0);
  return layers.batch_first ? transpose(input, 0, 1) : input;
}

/// args: input, hx, and the layers.
void run_without_cell(const Kind& kind, const Value* args, Value* results) {
  Tensor hidden = args[1].tensor(), none;
  results[0] = run_layers(kind, args[0].tensor(), Layers(args + 2, false), hidden, none);
  results[1] = hidden;
}

const std::vector<Tensor>& lstm_states(const Value& hx) {
  const std::vector<Tensor>& states = hx.tensor_list();
  FRAMEJIT_CHECK(states.size() == 2, "lstm expects two hidden states");
  return states;
}

}  // namespace

void lstm_cell_composite(const Value* args, Value* results) {
  const std::vector<Tensor>& states = lstm_states(args[1]);
  const State next = run_cell(lstm_step, args, {states[0], states[1]});
  results[0] = next.hidden;
  results[1] = next.cell;
}
void gru_cell_composite(const Value* args, Value* results) {
  results[0] = run_cell(gru_step, args, {args[1].tensor(), {}}).hidden;
}
void rnn_tanh_cell_composite(const Value* args, Value* results) {
  results[0] = run_cell(tanh_step, args, {args[1].tensor(), {}}).hidden;
}
void rnn_relu_cell_composite(const Value* args, Value* results) {
  results[0] = run_cell(relu_step, args, {args[1].tensor(), {}}).hidden;
}

/// With projections the hidden state is narrower than the cell state.
void lstm_composite(const Value* args, Value* results) {
  const std::vector<Tensor>& states = lstm_states(args[1]);
  Tensor hidden = states[0], cell = states[1];
  const bool projected = !(hidden.size(hidden.dim() - 1) == cell.size(cell.dim() - 1));
  results[0] = run_layers(kLstm, args[0].tensor(), Layers(args + 2, projected), hidden, cell);
  results[1] = hidden;
  results[2] = cell;
}
void gru_composite(const Value* args, Value* results) { run_without_cell(kGru, args, results); }
void rnn_tanh_composite(const Value* args, Value* results) { run_without_cell(kTanh, args, results); }
void rnn_relu_composite(const Value* args, Value* results) { run_without_cell(kRelu, args, results); }

}  // namespace framejit::eager
