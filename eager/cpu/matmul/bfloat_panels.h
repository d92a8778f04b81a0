// Products of matrices of bfloat16 by instructions that multiply pairs of them and add in float32, where the
// machine has these (AVX512_BF16). Panels as in panels.h, of pairs of terms.
#pragma once

#include <cstdint>

#include "eager/cpu/matmul/gemm.h"

namespace framejit::eager::cpu {

/// Two neighbouring terms of one line; the second is zero beyond the last term.
using BFloatPair = uint32_t;

struct BFloatPanels {
  int64_t rows, columns;  ///< of a tile of the product
  /// panel[p][i] = terms 2p and 2p + 1 of line i for i < width, zero from `lines` on. Lines are `stride`
  /// apart and lie as rows; or, where `across`, side by side, terms `stride` apart.
  void (*pack)(const uint16_t* from, int64_t stride, bool across, int64_t lines, int64_t terms, int64_t width,
               BFloatPair* panel);
  /// c = a times b, or c += a times b. `a`: panels of `pairs` x rows, `b`: panels of `pairs` x columns.
  void (*multiply)(int64_t row_panels, int64_t column_panels, int64_t pairs, const BFloatPair* a,
                   const BFloatPair* b, float* c, int64_t c_stride, bool accumulate);
};

/// Null where the machine has no such instructions.
const BFloatPanels* bfloat_panels();

/// Does the call, of bfloat16; on all threads where `parallel`. The sums are rounded once, or stay float32.
void multiply_bfloats(const GemmCall& call, bool parallel, bool rounds = true);

}  // namespace framejit::eager::cpu
