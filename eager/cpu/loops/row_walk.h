// How calls of row_calls.cc and row_blocks.cc go over their operands.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "eager/cpu/loops/pointwise.h"

namespace framejit::eager::cpu {

inline const void* later(const void* place, int64_t bytes) { return static_cast<const char*>(place) + bytes; }
inline void* written(const void* place) { return const_cast<void*>(place); }

/// The elements of a call in their order, innermost dim first, by as few dims as describe it: those of size 1 are
/// left out, and those through which every tensor steps evenly are joined.
struct Walk {
  static constexpr int kMostDims = 8;
  using Steps = std::array<int64_t, kMaxOperands + 1>;  ///< per operand, then of the result; in bytes
  using Places = std::array<const void*, kMaxOperands + 1>;

  int tensors = 0;
  int rank = 0;
  int64_t sizes[kMostDims];
  Steps steps[kMostDims];
  Places begin{};

  bool add(int64_t size, const Steps& step) {
    if (rank > 0 && continues(step)) {
      sizes[rank - 1] *= size;
      return true;
    }
    if (rank == kMostDims) return false;
    sizes[rank] = size;
    steps[rank++] = step;
    return true;
  }
  int64_t rows() const {
    int64_t count = 1;
    for (int d = 1; d < rank; ++d) count *= sizes[d];
    return count;
  }
  /// Whether tensor `t` has its elements side by side.
  bool is_dense(int t, int64_t item) const {
    for (int d = 0; d < rank; item *= sizes[d++])
      if (steps[d][size_t(t)] != item) return false;
    return true;
  }
  bool is_one_element(int t) const {
    return std::all_of(steps, steps + rank, [t](const Steps& step) { return step[size_t(t)] == 0; });
  }
  /// Where tensor `t` has the first element of a row.
  const void* place(int t, int64_t row) const {
    const void* found = begin[size_t(t)];
    for (int d = 1; d < rank; row /= sizes[d++]) found = later(found, row % sizes[d] * steps[d][size_t(t)]);
    return found;
  }
  Places row(int64_t number) const {
    Places places = begin;
    for (int d = 1; d < rank; number /= sizes[d++])
      for (int t = 0; t < tensors; ++t)
        places[size_t(t)] = later(places[size_t(t)], number % sizes[d] * steps[d][size_t(t)]);
    return places;
  }

 private:
  bool continues(const Steps& step) const {
    for (int t = 0; t < tensors; ++t)
      if (step[size_t(t)] != steps[rank - 1][size_t(t)] * sizes[rank - 1]) return false;
    return true;
  }
};

/// Calls `take(places)` for rows [first, last).
template <class Take>
void for_each_row(const Walk& walk, int64_t first, int64_t last, const Take& take) {
  int64_t at[Walk::kMostDims];
  int64_t number = first;
  for (int d = 1; d < walk.rank; number /= walk.sizes[d++]) at[d] = number % walk.sizes[d];
  Walk::Places places = walk.row(first);
  const auto move = [&](int d, int64_t times) {
    for (size_t t = 0; t < places.size(); ++t) places[t] = later(places[t], times * walk.steps[d][t]);
  };
  for (int64_t row = first;;) {
    if (walk.rank == 1) return take(places);
    for (const int64_t end = std::min(last, row + walk.sizes[1] - at[1]); row < end; ++row, move(1, 1))
      take(places);
    if (row == last) return;
    move(1, -walk.sizes[1]);
    at[1] = 0;
    for (int d = 2; move(d, 1), ++at[d] == walk.sizes[d]; ++d) {
      move(d, -walk.sizes[d]);
      at[d] = 0;
    }
  }
}

struct RowCall {
  Walk walk;
  const TileKernel* kernel;
  int operand_count;
  int64_t in_item, out_item;
  const double* params;
  unsigned single = 0;  ///< operands that are one element for all of the call, in the type of the kernel
  bool halves;
};

}  // namespace framejit::eager::cpu
