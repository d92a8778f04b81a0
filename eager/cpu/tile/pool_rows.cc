// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/images/pool_rows.h"

#include <algorithm>

#include "eager/cpu/tile/squares.h"
#include "eager/cpu/tile/vectors.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

template <class T>
using Place = typename cpu::PoolRows<T>::Place;

/// `kCount` elements side by side: a loop of known length, which the compiler turns into vector code.
template <int kCount, class T>
void update_block(const T* from, Place<T> first, Place<T> step, T* best, Place<T>* place) {
  for (int i = 0; i < kCount; ++i) {
    const T value = from[i], old = best[i];
    const bool larger = (value > old) | (value != value);
    best[i] = larger ? value : old;
    place[i] = larger ? first + i * step : place[i];
  }
}

template <class T>
void update(const T* __restrict from, Place<T> first, Place<T> step, int64_t n, T* __restrict best,
            Place<T>* __restrict place) {
  constexpr int kBlock = 16;
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock)
    update_block<kBlock>(from + i, Place<T>(first + i * step), step, best + i, place + i);
  for (; i < n; ++i) update_block<1>(from + i, Place<T>(first + i * step), step, best + i, place + i);
}

template <class T>
void update_values(const T* __restrict from, int64_t n, T* __restrict best) {
  for (int64_t i = 0; i < n; ++i) {
    const T value = from[i], old = best[i];
    best[i] = (value > old) | (value != value) ? value : old;
  }
}

template <class T>
void largest_of_pairs(const T* __restrict from, int64_t n, T* __restrict out) {
  for (int64_t i = 0; i < n; ++i) {
    const T first = from[2 * i], second = from[2 * i + 1];
    out[i] = (second > first) | (second != second) ? second : first;
  }
}

/// As many rows at once as a vector has lanes: their sums are transposed, so that the last steps are vectors' too.
template <class T>
void means(const T* from, int64_t rows, int64_t n, T* to) {
  using V = Vector<T>;
  constexpr int kLanes = V::kLanes;
  for (; rows > 0; rows -= kLanes, to += kLanes) {
    const int64_t count = std::min<int64_t>(rows, kLanes);
    typename V::Type sums[kLanes] = {};
    T rest[kLanes] = {};
    for (int64_t r = 0; r < count; ++r, from += n) {
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) sums[r] += V::load(from + i);
      for (; i < n; ++i) rest[r] += from[i];
    }
    Square<T, kLanes>::transpose(sums);
#pragma GCC unroll 4
    for (int half = kLanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
    V::store((V::load(rest) + sums[0]) / T(n), rest);
    std::copy_n(rest, count, to);
  }
}

}  // namespace

extern const cpu::PoolRows<float> pool_rows_float;
extern const cpu::PoolRows<double> pool_rows_double;
const cpu::PoolRows<float> pool_rows_float{&update<float>, &update_values<float>, &largest_of_pairs<float>,
                                           &means<float>};
const cpu::PoolRows<double> pool_rows_double{&update<double>, &update_values<double>,
                                             &largest_of_pairs<double>, &means<double>};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
