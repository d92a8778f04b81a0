// Memory for tensors whose meta data is already in place.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager {

/// Gives `impl` the storage that its (dense) meta data asks for; uninitialised.
void allocate_storage(TensorImpl& impl);

/// RuntimeError for more dims than are supported: half of what `Dims` holds, so that the sizes of two tensors
/// fit.
void check_rank(int rank);

}  // namespace framejit::eager
