#include "eager/cpu/images/pool_rows.h"

#include <cstring>

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
void means(const T* from, int64_t rows, int64_t n, T* to) {
  typedef T Vector __attribute__((vector_size(64)));
  constexpr int kLanes = 64 / int(sizeof(T));
  for (int64_t r = 0; r < rows; ++r, from += n) {
    Vector sums{};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      Vector next;
      std::memcpy(&next, from + i, sizeof next);
      sums += next;
    }
    T total = 0;
    for (; i < n; ++i) total += from[i];
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int k = 0; k < width; ++k) sums[k] += sums[k + width];
    to[r] = (total + sums[0]) / T(n);
  }
}

}  // namespace

extern const cpu::PoolRows<float> pool_rows_float;
extern const cpu::PoolRows<double> pool_rows_double;
const cpu::PoolRows<float> pool_rows_float{&update<float>, &update_values<float>, &means<float>};
const cpu::PoolRows<double> pool_rows_double{&update<double>, &update_values<double>, &means<double>};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
