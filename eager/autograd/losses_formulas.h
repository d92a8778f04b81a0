// Derivatives of losses and distances (eager/ops/losses.toml); defined in eager/composite/distances.cc.
#pragma once

#include <array>

#include "eager/value.h"

namespace framejit::eager::ops {

std::array<Tensor, 2> pairwise_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                                              const Tensor& distances, double p,
                                              const std::array<bool, 2>& needed);
Tensor condensed_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& distances, double p);

}  // namespace framejit::eager::ops
