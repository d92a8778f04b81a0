// Sorting, and finding what stands where in a sorted row, by the bits of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
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

inline constexpr size_t kRadixValues = 256;
using RadixCounts = std::array<int64_t, kRadixValues>;

/// Of each byte of the keys, lowest first, how often it has each value.
template <class Key>
using DigitCounts = std::array<RadixCounts, sizeof(Key)>;

template <class Key>
size_t digit_of(Key key, size_t d) {
  return size_t(key >> (8 * d)) & (kRadixValues - 1);
}

/// Sorts `items`, each with the key `key_of(item)`, by all bytes of the keys; `other` is memory of the same size.
template <class Key, class Item, class KeyOf>
void radix_sort(std::vector<Item>& items, std::vector<Item>& other, const DigitCounts<Key>& counts,
                KeyOf key_of) {
  for (size_t d = 0; d < sizeof(Key) && !items.empty(); ++d) {
    if (counts[d][digit_of(key_of(items[0]), d)] == int64_t(items.size()))
      continue;  // all have the same byte
    RadixCounts next;
    int64_t sum = 0;
    for (size_t i = 0; i < kRadixValues; ++i) {
      next[i] = sum;
      sum += counts[d][i];
    }
    for (const Item& item : items) other[size_t(next[digit_of(key_of(item), d)]++)] = item;
    items.swap(other);
  }
}

/// Orders keys with their places; keeps its memory from one row to the next. The smaller both are, the less memory is
/// moved.
template <class Key, class Place>
class KeySorter {
 public:
  /// `places`, which becomes the list of 0 <= i < n in the order of `key_at(i)`. Equal ones keep their order.
  template <class KeyAt>
  const std::vector<int64_t>& operator()(int64_t n, const KeyAt& key_at, std::vector<int64_t>& places) {
    entries_.resize(size_t(n));
    other_.resize(size_t(n));
    counts_ = {};
    for (int64_t i = 0; i < n; ++i) {
      const Key key = key_at(i);
      entries_[size_t(i)] = {key, Place(i)};
      for (size_t d = 0; d < sizeof(Key); ++d) ++counts_[d][digit_of(key, d)];
    }
    radix_sort<Key>(entries_, other_, counts_, [](const Entry& entry) { return entry.key; });
    places.resize(size_t(n));
    for (int64_t i = 0; i < n; ++i) places[size_t(i)] = int64_t(entries_[size_t(i)].place);
    return places;
  }

 private:
  struct Entry {
    Key key;
    Place place;
  };

  std::vector<Entry> entries_, other_;
  DigitCounts<Key> counts_;
};

/// Orders rows; keeps its memory from one row to the next. Equal elements keep their order.
template <class T>
class RadixOrder {
 public:
  /// The places of the elements from[i * stride], i < n, in the order of their values.
  const std::vector<int64_t>& operator()(const T* from, int64_t stride, int64_t n, bool descending) {
    const Key flip = descending ? Key(~Key(0)) : Key(0);
    const auto key_at = [=](int64_t i) { return Key(sort_key(from[i * stride]) ^ flip); };
    if constexpr (sizeof(Key) > sizeof(uint32_t) && std::is_integral_v<T>) {
      const auto [least, largest] = range_of(n, key_at);
      const auto above_least = [=, least = least](int64_t i) { return uint32_t(key_at(i) - least); };
      if (n <= kMost && largest - least <= uint64_t(kMost)) return narrow_(n, above_least, places_);
    } else if constexpr (sizeof(Key) <= sizeof(uint32_t)) {
      if (n <= kMost) return narrow_(n, key_at, places_);
    }
    return wide_(n, key_at, places_);
  }

 private:
  using Key = decltype(sort_key(T()));
  static constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();

  template <class KeyAt>
  static std::pair<Key, Key> range_of(int64_t n, const KeyAt& key_at) {
    Key least = std::numeric_limits<Key>::max(), largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Key key = key_at(i);
      least = std::min(least, key);
      largest = std::max(largest, key);
    }
    return {least, largest};
  }

  KeySorter<std::conditional_t<sizeof(Key) <= 4, Key, uint32_t>, uint32_t> narrow_;
  KeySorter<Key, int64_t> wide_;
  std::vector<int64_t> places_;
};

/// Sorts integers, without their places.
template <class T>
class RadixKeys {
 public:
  const std::vector<T>& operator()(const T* from, int64_t n) {
    values_.assign(from, from + n);
    other_.resize(size_t(n));
    DigitCounts<Key> counts{};
    for (T value : values_)
      for (size_t d = 0; d < sizeof(Key); ++d) ++counts[d][digit_of(sort_key(value), d)];
    radix_sort<Key>(values_, other_, counts, [](T value) { return sort_key(value); });
    return values_;
  }

 private:
  using Key = decltype(sort_key(T()));
  std::vector<T> values_, other_;
};

}  // namespace framejit::eager::cpu
