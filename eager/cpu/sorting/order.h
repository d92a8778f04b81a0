// The order in which elements are sorted: NaN counts as the largest.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

template <class T>
bool less_than(T a, T b) {
  return a < b || (b != b && a == a);
}

/// An element with its place in the row it comes from.
template <class T>
struct Entry {
  T value;
  int64_t index;
};

}  // namespace framejit::eager::cpu
