// Which function of a tile kernel takes which operands as single elements.
#pragma once

#include "eager/cpu/loops/tile_kernel.h"

namespace framejit::eager::cpu {

/// Null where there is none: the single elements then have to be spread over the tile. Kernels of two
/// operands have functions for masks 0, 1 and 2; those of three for 0, 2, 4 and 6, in places 0 to 3.
inline TileFn tile_variant(const TileKernel& kernel, int operand_count, unsigned scalar_mask) {
  if (operand_count != 3) return scalar_mask < 4 ? kernel.by_scalar_mask[scalar_mask] : nullptr;
  return scalar_mask % 2 == 0 ? kernel.by_scalar_mask[scalar_mask / 2] : nullptr;
}

}  // namespace framejit::eager::cpu
