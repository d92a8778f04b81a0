// Pooling of floats that makes nothing for a gradient.
#pragma once

#include "eager/meta/pooling.h"

namespace framejit::eager::cpu {

/// Whether what follows takes these images: contiguous, of float32 or float64.
bool are_pooled_by_rows(const Tensor& self, int spatial);
/// The first result of `pool_max`.
Tensor largest_of_windows(const Tensor& self, const PoolGeometry& geometry);
/// Images so small that sums of few vectors are exact enough.
bool are_small_images(const Tensor& self, int spatial);
/// The mean of each image, with spatial dims of size 1.
Tensor means_of_images(const Tensor& self, int spatial);

}  // namespace framejit::eager::cpu
