// Short rows in order, and what stands at a place of a long one, without sorting it.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "eager/cpu/sorting/key_loops.h"

namespace framejit::eager::cpu {

/// Orders short rows by counting, for each element, those that are smaller: many comparisons, but no branch
/// that depends on them. Equal elements keep their order.
template <class T>
class RankOrder {
 public:
  static constexpr int64_t kLongest = kMostRanked;

  /// As `RadixOrder`; n <= kLongest. Good until the next call.
  std::span<const int64_t> operator()(const T* from, int64_t stride, int64_t n, bool descending) {
    rank(from, stride, n, descending);
    for (int64_t i = 0; i < n; ++i) places_[ranks_[size_t(i)]] = i;
    return {places_.data(), size_t(n)};
  }
  /// The one of these at `place`, in ascending order.
  int64_t index_at(const T* from, int64_t stride, int64_t n, int64_t place) {
    rank(from, stride, n, false);
    return std::find(ranks_.begin(), ranks_.begin() + n, uint8_t(place)) - ranks_.begin();
  }

 private:
  void rank(const T* from, int64_t stride, int64_t n, bool descending) {
    loops_.make(from, stride, n, descending, keys_.data());
    loops_.rank(keys_.data(), n, ranks_.data());
  }

  const KeyLoops<T>& loops_ = std::get<KeyLoops<T>>(key_loops());
  alignas(64) std::array<typename KeyLoops<T>::Key, kLongest> keys_;
  std::array<uint8_t, kLongest> ranks_;
  std::array<int64_t, kLongest> places_;
};

/// Keeps its memory from one row to the next.
template <class T>
class Select {
 public:
  using Key = typename KeyLoops<T>::Key;

  /// What stands at a place: its key, and how many equal ones stand before it.
  struct Found {
    Key key;
    int64_t equal_before;
  };

  /// Takes the row from[i * stride], i < n; the largest come first where `descending`.
  Select& take(const T* from, int64_t stride, int64_t n, bool descending = false) {
    keys_.resize(size_t(n));
    candidates_.resize(size_t(n));
    loops_.make(from, stride, n, descending, keys_.data());
    return *this;
  }
  /// The indices of what stands before `found`, in order. `to` has room for one more than these.
  int64_t find_before(const Found& found, int64_t* to) const {
    return loops_.find_less(keys_.data(), int64_t(keys_.size()), found.key, to);
  }
  const std::vector<Key>& keys() const { return keys_; }

  /// How many NaN there are. The row does not descend.
  int64_t nans() const {
    int64_t less = 0, equal = 0;
    if constexpr (!std::is_integral_v<T>)
      loops_.count(keys_.data(), int64_t(keys_.size()), std::numeric_limits<Key>::max(), &less, &equal);
    return equal;
  }

  /// Leaves of the keys, again and again, those on the side of a pivot where the place is.
  Found at(int64_t place) {
    const Key* keys = keys_.data();
    int64_t n = int64_t(keys_.size());
    for (int round = 0; n > kFew; ++round) {
      if (round == kMostRounds) return by_comparisons(keys, n, place);
      const Key pivot = middle_of_some(keys, n);
      int64_t less, equal;
      loops_.count(keys, n, pivot, &less, &equal);
      if (place >= less && place < less + equal) return {pivot, place - less};
      const bool below = place < less;
      if (!below) place -= less + equal;
      n = loops_.keep(keys, n, below ? Key(0) : Key(pivot + 1),
                      below ? Key(pivot - 1) : std::numeric_limits<Key>::max(), candidates_.data());
      keys = candidates_.data();
    }
    return by_comparisons(keys, n, place);
  }
  /// The index of what stands at `place`; equal elements keep their order.
  int64_t index_at(int64_t place) {
    const Found found = at(place);
    auto at = std::find(keys_.begin(), keys_.end(), found.key);
    for (int64_t i = 0; i < found.equal_before; ++i) at = std::find(at + 1, keys_.end(), found.key);
    return at - keys_.begin();
  }

 private:
  static constexpr int64_t kFew = 24;
  static constexpr int kMostRounds =
      64;  ///< six halve a thousand to few; more than these, and pivots are bad

  static Key middle(Key a, Key b, Key c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
  /// The median of three medians of three keys each.
  static Key middle_of_some(const Key* keys, int64_t n) {
    const auto of_three = [&](int64_t i) { return middle(keys[i], keys[i + n / 9], keys[i + n / 9 * 2]); };
    return middle(of_three(n / 18), of_three(n / 18 + n / 9 * 3), of_three(n / 18 + n / 9 * 6));
  }
  Found by_comparisons(const Key* keys, int64_t n, int64_t place) {
    if (keys == keys_.data()) std::copy_n(keys, n, candidates_.begin());
    const auto begin = candidates_.begin();
    std::nth_element(begin, begin + place, begin + n);
    const Key key = begin[place];
    return {key, std::count(begin, begin + place, key)};
  }

  const KeyLoops<T>& loops_ = std::get<KeyLoops<T>>(key_loops());
  std::vector<Key> keys_, candidates_;
};

}  // namespace framejit::eager::cpu
