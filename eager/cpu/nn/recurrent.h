// One layer of a recurrent network in one direction: all times in one call, and the gradients of that.
#pragma once

#include <string>

#include "eager/tensor.h"

namespace framejit::eager {

enum class RecurrentId : uint8_t { lstm, gru, tanh, relu };

/// The layers that there are, and their shares of a hidden state's width H.
struct RecurrentKind {
  RecurrentId id;
  const char* name;
  int weight_gates;  ///< the weight has weight_gates * H rows
  int saved_gates;   ///< values kept for the gradient
  bool has_cell;
};
/// By the names of RecurrentId.
const RecurrentKind& recurrent_kind(const std::string& name);

namespace cpu {

/// Arguments and results of the op `recurrent_layer`. `cell` is undefined but for LSTMs, as `bias` may be.
struct RecurrentLayer {
  const RecurrentKind& kind;
  Tensor input, hidden, cell, weight, bias;
  Tensor outputs, cells, gates;
};

/// Whether the kernel takes these arguments: all of float32 or of float64, with sizes that fit.
bool are_recurrent_layer(const RecurrentLayer& layer);

/// `product`: the gradient of what the hidden states give to the gates, weight and bias applied; but for a
/// GRU it is that of the input.
struct RecurrentGradients {
  Tensor input, product, hidden, cell;
};
RecurrentGradients recurrent_layer_backward(const RecurrentLayer& layer, const Tensor& grad_outputs,
                                            const Tensor& grad_cells);

}  // namespace cpu

}  // namespace framejit::eager
