// Attention whose scores are never stored as a whole: for what needs no gradient.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// Whether the loops here take these: of one float type and with the same batch dims, rows of unit stride,
/// and some keys; a mask, unless undefined, whose sizes broadcast to those of the scores.
bool attends_by_blocks(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask);
/// softmax(scale * query @ key.T + mask) @ value; where `causal`, row i sees keys up to i. `mask` may be undefined, else it
/// has the scores' dtype; a query that it hides all keys from gets zeros.
Tensor attend_by_blocks(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                        double scale, bool causal);

}  // namespace framejit::eager::cpu
