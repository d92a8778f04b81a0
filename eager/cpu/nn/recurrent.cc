#include "eager/cpu/nn/recurrent.h"

#include "eager/cpu/float_type.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/lstm.h"
#include "eager/cpu/matmul/packed_matrix.h"
#include "eager/cpu/nn/recurrent_rows.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {

using namespace cpu;

const RecurrentKind& recurrent_kind(const std::string& name) {
  static constexpr RecurrentKind kinds[] = {{RecurrentId::lstm, "lstm", 4, 4, true},
                                            {RecurrentId::gru, "gru", 3, 4, false},
                                            {RecurrentId::tanh, "tanh", 1, 0, false},
                                            {RecurrentId::relu, "relu", 1, 0, false}};
  for (const RecurrentKind& kind : kinds)
    if (name == kind.name) return kind;
  fail(ErrorType::value, "recurrent_layer: got ", name, ", expected lstm, gru, tanh or relu");
}

namespace {

/// A layer in memory: `batch` rows of states of `width` elements, at each time.
template <class T>
struct Memory {
  int64_t times, batch, width, gate_width;
  const T *input, *hidden, *cell, *weight, *bias;
  T *outputs, *cells, *gates;

  explicit Memory(const RecurrentLayer& l)
      : times(l.input.sizes()[0]),
        batch(l.hidden.sizes()[0]),
        width(l.hidden.sizes()[1]),
        gate_width(l.kind.weight_gates * width),
        input(l.input.data_as<T>()),
        hidden(l.hidden.data_as<T>()),
        cell(data_of(l.cell)),
        weight(l.weight.data_as<T>()),
        bias(data_of(l.bias)),
        outputs(l.outputs.data_as<T>()),
        cells(data_of(l.cells)),
        gates(data_of(l.gates)) {}

  static T* data_of(const Tensor& tensor) { return tensor.defined() ? tensor.data_as<T>() : nullptr; }
  /// Row r of the hidden or cell state before time t.
  const T* hidden_before(int64_t t, int64_t r) const {
    return (t == 0 ? hidden : outputs + (t - 1) * batch * width) + r * width;
  }
  const T* cell_before(int64_t t, int64_t r) const {
    return (t == 0 ? cell : cells + (t - 1) * batch * width) + r * width;
  }
  /// Where row r of time t begins, in rows.
  int64_t row(int64_t t, int64_t r) const { return t * batch + r; }
};

/// Contiguous arguments, as the kernels take them.
RecurrentLayer contiguous_layer(const RecurrentLayer& layer) {
  const auto ordered = [](const Tensor& tensor) { return tensor.defined() ? contiguous(tensor) : tensor; };
  return {layer.kind,          ordered(layer.input),  ordered(layer.hidden),
          ordered(layer.cell), ordered(layer.weight), ordered(layer.bias),
          layer.outputs,       layer.cells,           layer.gates};
}

/// `f(first row, past the last row)` for pieces of the batch, whose rows have nothing to do with each other.
template <class F>
void for_rows(int64_t batch, F f) {
  constexpr int64_t kRows = 8;  // of a tile of the product
  const int64_t share = (batch + num_threads() - 1) / num_threads();
  parallel_for(batch, (share + kRows - 1) / kRows * kRows, f);
}

/// A step of one row: `product` is what the hidden state gives to the gates.
template <class T>
using StepFn = void (*)(const Memory<T>& m, int64_t t, int64_t r, const T* product);

template <class T>
void lstm_step(const Memory<T>& m, int64_t t, int64_t r, const T* product) {
  const int64_t row = m.row(t, r);
  T* gates = m.gates + row * 4 * m.width;
  RowOps<T>::get().add(m.input + row * m.gate_width, product, m.gate_width, gates);
  next_lstm_states(m.width, gates, m.cell_before(t, r), m.outputs + row * m.width, m.cells + row * m.width);
}

template <class T>
void gru_step(const Memory<T>& m, int64_t t, int64_t r, const T* product) {
  const RowOps<T>& ops = RowOps<T>::get();
  const int64_t row = m.row(t, r), n = m.width;
  const T *input = m.input + row * m.gate_width, *state = m.hidden_before(t, r);
  T *gates = m.gates + row * 4 * n, *keep = gates + n, *fresh = gates + 2 * n, *from_hidden = gates + 3 * n,
    *next = m.outputs + row * n;
  ops.add(input, product, 2 * n, gates);
  if (m.bias) ops.add(gates, m.bias, 2 * n, gates);
  ops.sigmoid(gates, 2 * n, gates);
  std::copy_n(product + 2 * n, n, from_hidden);
  if (m.bias) ops.add(from_hidden, m.bias + 2 * n, n, from_hidden);
  ops.multiply(gates, from_hidden, n, fresh);
  ops.add(input + 2 * n, fresh, n, fresh);
  ops.tanh(fresh, n, fresh);
  ops.subtract(state, fresh, n, next);
  ops.multiply(keep, next, n, next);
  ops.add(fresh, next, n, next);
}

template <class T>
void tanh_step(const Memory<T>& m, int64_t t, int64_t r, const T* product) {
  T* next = m.outputs + m.row(t, r) * m.width;
  RowOps<T>::get().add(m.input + m.row(t, r) * m.width, product, m.width, next);
  RowOps<T>::get().tanh(next, m.width, next);
}

template <class T>
void relu_step(const Memory<T>& m, int64_t t, int64_t r, const T* product) {
  T* next = m.outputs + m.row(t, r) * m.width;
  RowOps<T>::get().add(m.input + m.row(t, r) * m.width, product, m.width, next);
  for (int64_t i = 0; i < m.width; ++i) next[i] = next[i] < 0 ? T(0) : next[i];  // NaN stays
}

template <class T>
StepFn<T> step_of(const RecurrentKind& kind) {
  switch (kind.id) {
    case RecurrentId::lstm:
      return lstm_step<T>;
    case RecurrentId::gru:
      return gru_step<T>;
    case RecurrentId::tanh:
      return tanh_step<T>;
    case RecurrentId::relu:
      return relu_step<T>;
  }
  __builtin_unreachable();
}

template <class T>
void run_layer(const RecurrentLayer& layer) {
  const Memory<T> m(layer);
  const StepFn<T> step = step_of<T>(layer.kind);
  for_rows(m.batch, [&](int64_t begin, int64_t end) {
    ScratchScope scope;
    const PackedRight<T> weight({m.weight, m.width, true}, m.width, m.gate_width);
    T* product = Scratch::of_thread().take_array<T>((end - begin) * m.gate_width);
    for (int64_t t = 0; t < m.times; ++t) {
      weight.multiply(end - begin, m.hidden_before(t, begin), product);
      for (int64_t r = begin; r < end; ++r) step(m, t, r, product + (r - begin) * m.gate_width);
    }
  });
}

/// What the backward pass of a layer writes; `input` and `product` have a row of gates for each row and time.
template <class T>
struct Gradients {
  T *input, *product, *hidden, *cell;
};

/// The gradients of one row at time t, where `grad` is that of its next hidden state; `direct` is added to
/// the hidden state's before. `spare` has room for a state.
template <class T>
void step_backward(const RecurrentKind& kind, const Memory<T>& m, int64_t t, int64_t r, const T* grad,
                   const Gradients<T>& to, T* direct, T* spare) {
  const RecurrentRows<T>& rows = recurrent_rows<T>();
  const int64_t row = m.row(t, r), n = m.width;
  T *gates = to.input + row * m.gate_width, *next = m.outputs + row * n;
  switch (kind.id) {
    case RecurrentId::lstm:
      RowOps<T>::get().tanh(m.cells + row * n, n, spare);
      return rows.lstm_backward(n, m.gates + row * 4 * n, m.cell_before(t, r), spare, grad, to.cell + r * n,
                                gates);
    case RecurrentId::gru:
      return rows.gru_backward(n, m.gates + row * 4 * n, m.hidden_before(t, r), grad, gates,
                               to.product + row * m.gate_width, direct);
    case RecurrentId::tanh:
      return rows.tanh_backward(n, next, grad, gates);
    case RecurrentId::relu:
      return rows.relu_backward(n, next, grad, gates);
  }
}

template <class T>
void run_backward(const RecurrentLayer& layer, const T* grad_outputs, const T* grad_cells,
                  const Gradients<T>& to) {
  const Memory<T> m(layer);
  const RowOps<T>& ops = RowOps<T>::get();
  for_rows(m.batch, [&](int64_t begin, int64_t end) {
    ScratchScope scope;
    const int64_t states = (end - begin) * m.width;
    const PackedRight<T> weight({m.weight, m.width, false}, m.gate_width, m.width);
    Scratch& scratch = Scratch::of_thread();
    T *grad = scratch.take_array<T>(states), *direct = scratch.take_array<T>(states),
      *spare = scratch.take_array<T>(m.width);
    T* carried = to.hidden + begin * m.width;  // to the state before; at last the initial one
    std::fill_n(carried, states, T(0));
    if (to.cell) std::fill_n(to.cell + begin * m.width, states, T(0));
    for (int64_t t = m.times - 1; t >= 0; --t) {
      const int64_t at = m.row(t, begin) * m.width;
      ops.add(grad_outputs + at, carried, states, grad);
      if (to.cell) ops.add(grad_cells + at, to.cell + begin * m.width, states, to.cell + begin * m.width);
      for (int64_t r = begin; r < end; ++r) {
        const int64_t state = (r - begin) * m.width;
        step_backward(layer.kind, m, t, r, grad + state, to, direct + state, spare);
      }
      weight.multiply(end - begin, to.product + m.row(t, begin) * m.gate_width, carried);
      if (layer.kind.id == RecurrentId::gru) ops.add(carried, direct, states, carried);
    }
  });
}

}  // namespace

/// args: kind, input, hidden, cell, weight, bias.
void meta_recurrent_layer(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const RecurrentKind& kind = recurrent_kind(args[0].string());
  const TensorMeta &input = args[1].impl()->meta, &hidden = args[2].impl()->meta;
  FRAMEJIT_CHECK(input.sizes.size() == 3 && hidden.sizes.size() == 2, op.schema.name,
                 "(): expected input (T, N, gates) and hidden (N, H), got ", sizes_text(input.sizes), " and ",
                 sizes_text(hidden.sizes));
  const SymInt width = hidden.sizes.sym(1);
  const auto push = [&](SymInt last) {
    Dims sizes = input.sizes;
    sizes[2] = last.bits();
    results.push_back(contiguous_meta(std::move(sizes), input.dtype, input.device));
  };
  push(width);
  push(kind.has_cell ? width : SymInt(0));
  push(width * kind.saved_gates);
}

void recurrent_layer_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_recurrent_layer(op, args, metas);
  for (int i = 0; i < 3; ++i) results[i] = Tensor::empty(metas[size_t(i)]);
  const RecurrentLayer layer{recurrent_kind(args[0].string()),
                             args[1].tensor(),
                             args[2].tensor(),
                             args[3].tensor(),
                             args[4].tensor(),
                             args[5].tensor(),
                             results[0].tensor(),
                             results[1].tensor(),
                             results[2].tensor()};
  FRAMEJIT_CHECK(are_recurrent_layer(layer), op.schema.name,
                 "(): expected float32 or float64 arguments whose sizes fit together");
  const RecurrentLayer ordered = contiguous_layer(layer);
  for_float_type(layer.input.dtype(), [&](auto zero) { run_layer<decltype(zero)>(ordered); });
}

namespace cpu {

bool are_recurrent_layer(const RecurrentLayer& l) {
  const DType dtype = l.input.dtype();
  if (!is_float_type(dtype) || l.input.dim() != 3 || l.hidden.dim() != 2 || l.input.numel() == 0)
    return false;
  const int64_t batch = l.input.sizes()[1], width = l.hidden.sizes()[1], gates = l.kind.weight_gates * width;
  const auto fits = [&](const Tensor& tensor, const Dims& sizes) {
    return tensor.dtype() == dtype && tensor.sizes() == sizes;
  };
  return l.input.sizes()[2] == gates && fits(l.hidden, {batch, width}) && fits(l.weight, {gates, width}) &&
         (!l.bias.defined() || fits(l.bias, {gates})) &&
         (l.kind.has_cell ? l.cell.defined() && fits(l.cell, {batch, width}) : !l.cell.defined());
}

RecurrentGradients recurrent_layer_backward(const RecurrentLayer& layer, const Tensor& grad_outputs,
                                            const Tensor& grad_cells) {
  const RecurrentLayer ordered = contiguous_layer(layer);
  const auto like = [](const Tensor& tensor) {
    return tensor.defined() ? Tensor::empty(tensor.sizes(), tensor.dtype()) : tensor;
  };
  RecurrentGradients grads{like(layer.input), {}, like(layer.hidden), like(layer.cell)};
  grads.product = layer.kind.id == RecurrentId::gru ? like(layer.input) : grads.input;
  const Tensor of_outputs = contiguous(grad_outputs), of_cells = contiguous(grad_cells);
  for_float_type(layer.input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    run_backward<T>(ordered, of_outputs.data_as<T>(), of_cells.data_as<T>(),
                    {grads.input.data_as<T>(), grads.product.data_as<T>(), grads.hidden.data_as<T>(),
                     Memory<T>::data_of(grads.cell)});
  });
  return grads;
}

}  // namespace cpu

}  // namespace framejit::eager
