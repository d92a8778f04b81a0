// Inner loops of pooling, compiled once per instruction set (tile/pool_rows.cc).
#pragma once

#include <cstdint>
#include <type_traits>

namespace framejit::eager::cpu {

/// T: float or double. Places are integers of its size, so that both fill vector registers alike.
template <class T>
struct PoolRows {
  using Place = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  /// For i < n: where from[i] is larger than best[i], or is NaN, it becomes best[i], and place[i] becomes
  /// first + i * step.
  void (*update)(const T* from, Place first, Place step, int64_t n, T* best, Place* place);
  /// The same without places.
  void (*update_values)(const T* from, int64_t n, T* best);
  /// out[i] = the larger of from[2 * i] and from[2 * i + 1], or NaN if there is one, for i < n.
  void (*largest_of_pairs)(const T* from, int64_t n, T* out);
  /// The mean of each of `rows` rows of n elements, which lie one behind the other.
  void (*means)(const T* from, int64_t rows, int64_t n, T* to);
};

/// Those of the chosen instruction set.
template <class T>
const PoolRows<T>& pool_rows();

}  // namespace framejit::eager::cpu
