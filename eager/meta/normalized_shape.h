// What layer_norm and rms_norm ask of their argument normalized_shape.
#pragma once

#include "eager/dims.h"

namespace framejit::eager {

/// Raises unless `shape` is that of the last dims (at least one) of an input of these sizes.
void check_normalized_shape(const Dims& input, const Dims& shape);

}  // namespace framejit::eager
