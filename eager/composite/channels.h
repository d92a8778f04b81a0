// What the normalisations over channels (dim 1) share.
#pragma once

#include "eager/composite/support.h"
#include "eager/cpu/nn/norm_rows.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/view.h"

namespace framejit::eager {

/// A vector over channels, in the shape that broadcasts against (N, C, ...).
inline Tensor over_channels(const Tensor& vector, int rank) {
  Dims shape(rank, 1);
  shape[1] = vector.size(0).bits();
  return reshape(vector, shape);
}

inline void check_channels(const Value& vector, const char* name, SymInt channels) {
  if (vector.is_none()) return;
  FRAMEJIT_CHECK(vector.impl()->meta.sizes.size() == 1 && vector.impl()->meta.sizes.sym(0) == channels, name,
                 " should contain ", channels.str(), " elements not ",
                 numel(vector.impl()->meta.sizes).str());
}

inline Tensor with_weight_and_bias(Tensor x, const Value& weight, const Value& bias) {
  if (!weight.is_none()) x = x * over_channels(weight.tensor(), x.dim());
  if (!bias.is_none()) x = x + over_channels(bias.tensor(), x.dim());
  return x;
}

/// Whether a gradient that will not be differentiated can be computed from the saved statistics in one
/// kernel.
inline bool norm_by_kernel(const Tensor& grad, const Tensor& input, const Tensor& weight,
                           const Tensor& saved_mean) {
  if (!saved_mean.defined() || modes().grad_enabled || grad.is_symbolic() || input.is_symbolic())
    return false;
  return cpu::are_norm_rows(input, weight, {}) && grad.dtype() == input.dtype();
}

}  // namespace framejit::eager
