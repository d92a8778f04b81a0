// Copies of rows, wherever they begin.
#pragma once

#include <cstddef>

namespace framejit::eager::cpu {

/// memmove, at the same speed wherever the rows begin. glibc copies from about 2 KB on by `rep movsb`, which takes ten
/// times as long on AMD's processors where the target lies less than a cache line behind the source, modulo pages.
void copy_bytes(void* to, const void* from, size_t bytes);

}  // namespace framejit::eager::cpu
