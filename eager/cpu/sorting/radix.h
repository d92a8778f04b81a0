// Sorting by digits of the bits of numbers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "eager/half.h"

namespace framejit::eager::cpu {

/// Unsigned numbers in the order of `less_than` (order.h): NaN largest, -0 equal to 0.
template <class T>
auto sort_key(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return sort_key(float(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
    if (value != value) return ~Bits(0);
    const Bits bits = std::bit_cast<Bits>(value == T(0) ? T(0) : value);
    return Bits(bits & sign ? ~bits : bits | sign);
  } else if constexpr (std::is_signed_v<T> && !std::is_same_v<T, bool>) {
    using Bits = std::make_unsigned_t<T>;
    return Bits(Bits(value) ^ Bits(Bits(1) << (8 * sizeof(T) - 1)));
  } else {
    return std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>(value);
  }
}

/// Orders rows; keeps its memory from one row to the next. Equal elements keep their order.
template <class T>
class RadixOrder {
 public:
  /// Shorter rows are sorted faster by comparison.
  static constexpr int64_t kShortest = 128;

  /// The places of the elements from[i * stride], i < n, in the order of their values.
  const std::vector<int64_t>& operator()(const T* from, int64_t stride, int64_t n, bool descending) {
    entries_.resize(size_t(n));
    other_.resize(size_t(n));
    for (auto& digit : counts_) digit.fill(0);
    for (int64_t i = 0; i < n; ++i) {
      const Key key = sort_key(from[i * stride]);
      entries_[size_t(i)] = {descending ? Key(~key) : key, i};
      for (size_t d = 0; d < kDigits; ++d) ++counts_[d][digit(entries_[size_t(i)].key, d)];
    }
    for (size_t d = 0; d < kDigits; ++d)
      if (counts_[d][digit(entries_[0].key, d)] != n) distribute(d);  // else all have the same digit
    places_.resize(size_t(n));
    for (int64_t i = 0; i < n; ++i) places_[size_t(i)] = entries_[size_t(i)].place;
    return places_;
  }

 private:
  using Key = decltype(sort_key(T()));
  struct Entry {
    Key key;
    int64_t place;
  };
  static constexpr size_t kDigits = sizeof(Key);

  static size_t digit(Key key, size_t d) { return size_t(key >> (8 * d)) & 255; }
  void distribute(size_t d) {
    std::array<int64_t, 256> next;
    int64_t sum = 0;
    for (size_t i = 0; i < 256; ++i) {
      next[i] = sum;
      sum += counts_[d][i];
    }
    for (const Entry& entry : entries_) other_[size_t(next[digit(entry.key, d)]++)] = entry;
    entries_.swap(other_);
  }

  std::vector<Entry> entries_, other_;
  std::vector<int64_t> places_;
  std::array<std::array<int64_t, 256>, kDigits> counts_;
};

}  // namespace framejit::eager::cpu
