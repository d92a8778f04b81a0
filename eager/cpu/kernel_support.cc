#include "eager/cpu/kernel_support.h"

namespace framejit::eager::cpu {

std::vector<int64_t> enumerate_offsets(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  std::vector<int64_t> offsets(static_cast<size_t>(count), 0);
  // Each dim, from the last on, repeats what the dims after it have filled in.
  int64_t filled = count > 0 ? 1 : 0;
  for (size_t d = sizes.size(); d-- > 0 && count > 0;) {
    for (int64_t i = 1; i < sizes[d]; ++i)
      for (int64_t k = 0; k < filled; ++k)
        offsets[size_t(i * filled + k)] = offsets[size_t(k)] + i * strides[d];
    filled *= sizes[d];
  }
  return offsets;
}

}  // namespace framejit::eager::cpu
