// Arguments of the pooling rows, as their shape rules and kernels read them.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// Windows at even distances, one entry for each spatial dim.
struct PoolGeometry {
  Dims kernel, stride, padding, dilation;
  bool ceil_mode = false;

  int spatial() const { return kernel.size(); }
  /// Places of the window along spatial dim `d` of an image of size `input`.
  SymInt places(int d, SymInt input) const;
};
/// Of `pool_max`: arguments 1 to 5. Of `pool_average`: kernel_size, stride, padding, ceil_mode at `args`.
PoolGeometry max_geometry(const Value* args);
PoolGeometry average_geometry(const Value* args);
/// Sizes of the result for images `self`; checks both.
Dims pooled_sizes(const TensorMeta& self, const PoolGeometry& geometry);

}  // namespace framejit::eager
