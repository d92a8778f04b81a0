// Max pooling without places, for what needs no gradient.
#pragma once

#include "eager/meta/pooling.h"

namespace framejit::eager::cpu {

/// Whether `largest_of_windows` takes these images: contiguous, of float32 or float64.
bool are_pooled_by_rows(const Tensor& self, int spatial);
/// The first result of `pool_max`.
Tensor largest_of_windows(const Tensor& self, const PoolGeometry& geometry);

}  // namespace framejit::eager::cpu
