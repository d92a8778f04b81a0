// What an LSTM does with its gates, in one pass: for what needs no gradient.
#pragma once

#include <array>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Whether gates (..., 4 H) and cell (..., H) fit and are of float32 or float64.
bool are_lstm_gates(const Tensor& gates, const Tensor& cell);
/// The next hidden and cell states. Gates are not activated yet: input, forget, cell, output. The bits of the
/// ops.
std::array<Tensor, 2> lstm_states(const Tensor& gates, const Tensor& cell);

}  // namespace framejit::eager::cpu
