// Loops over the keys of a row (radix.h) that are worth an instruction set's vectors.
#pragma once

#include <cstdint>
#include <tuple>

#include "eager/cpu/sorting/radix.h"

namespace framejit::eager::cpu {

template <class T>
struct KeyLoops {
  using Key = decltype(sort_key(T()));
  /// The keys of from[i * stride], i < n; all of their bits are exchanged where `descending`.
  void (*make)(const T* from, int64_t stride, int64_t n, bool descending, Key* keys);
  /// How many of `n` keys are less than `pivot`, and how many equal it.
  void (*count)(const Key* keys, int64_t n, Key pivot, int64_t* less, int64_t* equal);
  /// Moves the keys from `low` to `high`, both included, to the front of `to`, in order; says how many. `to` is `keys`, or
  /// has room for n.
  int64_t (*keep)(const Key* keys, int64_t n, Key low, Key high, Key* to);
  /// The places of keys less than `limit`, in order; says how many. `to` has room for one more.
  int64_t (*find_less)(const Key* keys, int64_t n, Key limit, int64_t* to);
  /// Where each of `n` keys, at most kMostRanked, stands once they are sorted; equal ones keep their order. There is room
  /// for kMostRanked of both.
  void (*rank)(Key* keys, int64_t n, uint8_t* ranks);
  /// How many of `n` elements, in whole parts of kSkipped, are surely not larger (or smaller) than `last`.
  int64_t (*skip)(const T* from, int64_t n, T last, bool larger);
};
inline constexpr int64_t kMostRanked = 64;
inline constexpr int64_t kSkipped = 64;

using AllKeyLoops =
    std::tuple<KeyLoops<bool>, KeyLoops<uint8_t>, KeyLoops<int8_t>, KeyLoops<int16_t>, KeyLoops<int32_t>,
               KeyLoops<int64_t>, KeyLoops<Half>, KeyLoops<BFloat16>, KeyLoops<float>, KeyLoops<double>>;

/// Those of the chosen instruction set (tile/key_loops.cc).
const AllKeyLoops& key_loops();

}  // namespace framejit::eager::cpu
