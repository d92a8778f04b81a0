// Derivatives of resampling rows (eager/ops/resampling.toml); defined in eager/composite/grid_sampler.cc.
#pragma once

#include <array>

#include "eager/value.h"

namespace framejit::eager::ops {

/// Those of `sample_images_gradients`, with `grads` the gradients of its two results (undefined: zero); `modes`: of
/// interpolation and padding.
std::array<Tensor, 3> sample_images_second_gradients(const std::vector<Tensor>& grads, const Tensor& self,
                                                     const Tensor& images, const Tensor& grid,
                                                     std::array<SymInt, 2> modes, bool align_corners,
                                                     const std::array<bool, 3>& needed);

}  // namespace framejit::eager::ops
