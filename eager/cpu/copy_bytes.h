// Copies of rows, wherever they begin.
#pragma once

#include <cstddef>
#include <cstring>

namespace framejit::eager::cpu {

/// From here on glibc copies by `rep movsb`, which takes ten times as long on AMD's processors where the target lies less
/// than a cache line behind the source, modulo pages.
inline constexpr size_t kLongRow = 2048;
void copy_long_row(void* to, const void* from, size_t bytes);

/// memmove, at the same speed wherever the rows begin; past the caches with what they do not hold.
inline void copy_bytes(void* to, const void* from, size_t bytes) {
  bytes < kLongRow ? void(std::memmove(to, from, bytes)) : copy_long_row(to, from, bytes);
}

}  // namespace framejit::eager::cpu
