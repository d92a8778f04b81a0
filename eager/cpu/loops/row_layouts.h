// Short rows laid out side by side (tile/row_layouts.cc).
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// Bytes beyond the end of the last row that may be written.
inline constexpr int64_t kLayoutSlack = 64;

/// Rows of `length` elements, `step` bytes from one to the next, to `to`, side by side.
using LayRowsFn = void (*)(const void* from, int64_t step, int64_t rows, int64_t length, void* to);

/// By the binary logarithm of an element's bytes.
struct RowLayouts {
  LayRowsFn copy[5];
  LayRowsFn repeat[5];  ///< each row is one element, again and again
};

/// Those of the chosen instruction set.
const RowLayouts& row_layouts();

}  // namespace framejit::eager::cpu
