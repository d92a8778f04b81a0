// Attention whose scores are never stored as a whole: for what needs no gradient.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Whether the loops here take these: of one float type and with the same batch dims, rows of unit stride,
/// and some keys.
bool attends_by_blocks(const Tensor& query, const Tensor& key, const Tensor& value);
/// softmax(scale * query @ key.T) @ value; where `causal`, row i sees keys up to i.
Tensor attend_by_blocks(const Tensor& query, const Tensor& key, const Tensor& value, double scale,
                        bool causal);

}  // namespace framejit::eager::cpu
