// Scans that keep an element's place.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// The largest (or smallest) element so far along `dim`, and the place of the last such: both contiguous, of
/// the sizes of `self`. `values` may be undefined.
FRAMEJIT_API void run_running_extrema(const Tensor& self, int dim, bool largest, const Tensor& values,
                                      const Tensor& places);

}  // namespace framejit::eager::cpu
