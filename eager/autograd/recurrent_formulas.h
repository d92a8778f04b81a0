// The derivative of a layer of a recurrent network; defined in eager/composite/recurrent_formulas.cc.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "eager/tensor.h"

namespace framejit::eager::ops {

/// The gradients of input, hidden, cell, weight and bias; `outputs`, `cells` and `gates` are the results.
std::array<Tensor, 5> recurrent_layer_backward(const std::string& kind, const std::vector<Tensor>& grads,
                                               const Tensor& input, const Tensor& hidden, const Tensor& cell,
                                               const Tensor& weight, const Tensor& bias,
                                               const Tensor& outputs, const Tensor& cells,
                                               const Tensor& gates, const std::array<bool, 5>& needed);

}  // namespace framejit::eager::ops
