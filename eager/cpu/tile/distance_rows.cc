// Loops of known length, which the compiler turns into vector code.
#include <algorithm>
#include <cmath>

#include "eager/cpu/nn/distances.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

using cpu::DistanceKind;

/// Running results of so many rows stay in the first cache.
constexpr int64_t kBlock = 256;
constexpr int kLanes = 16;

template <DistanceKind kKind, class T>
T joined(T running, T difference) {
  const T size = std::abs(difference);
  if constexpr (kKind == DistanceKind::count) return running + (difference != 0 ? T(1) : T(0));
  if constexpr (kKind == DistanceKind::sum) return running + size;
  if constexpr (kKind == DistanceKind::euclidean) return running + difference * difference;
  return (size > running) | (size != size) ? size : running;
}

template <DistanceKind kKind, class T>
void join(const T* row, int64_t n, const T* others, int64_t stride, int64_t count, T* __restrict out) {
  std::fill_n(out, count, T(0));
  int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const T a = row[k], b = row[k + 1], c = row[k + 2], d = row[k + 3];
    const T *x = others + k * stride, *y = x + stride, *z = y + stride, *w = z + stride;
    for (int64_t j = 0; j < count; ++j) {
      T value = out[j];
      value = joined<kKind>(value, a - x[j]);
      value = joined<kKind>(value, b - y[j]);
      value = joined<kKind>(value, c - z[j]);
      out[j] = joined<kKind>(value, d - w[j]);
    }
  }
  for (; k < n; ++k)
    for (int64_t j = 0; j < count; ++j) out[j] = joined<kKind>(out[j], row[k] - others[k * stride + j]);
}

template <DistanceKind kKind, class T>
void distances_of(const T* row, int64_t n, const T* others, int64_t stride, int64_t count, T* out) {
  for (int64_t first = 0; first < count; first += kBlock)
    join<kKind>(row, n, others + first, stride, std::min(kBlock, count - first), out + first);
  if constexpr (kKind == DistanceKind::euclidean)
    for (int64_t j = 0; j < count; ++j) out[j] = std::sqrt(out[j]);
}

/// What a difference contributes: `weight` is the gradient, over the distance where that is euclidean.
template <DistanceKind kKind, class T>
T change(T weight, T difference, T distance) {
  if constexpr (kKind == DistanceKind::euclidean) return weight * difference;
  const T sign = difference > 0 ? weight : difference < 0 ? -weight : T(0);
  if constexpr (kKind == DistanceKind::largest) return std::abs(difference) == distance ? sign : T(0);
  return sign;
}

template <DistanceKind kKind, class T>
T summed_changes(T element, const T* others, int64_t count, const T* distances, const T* weights) {
  T sums[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      sums[lane] += change<kKind>(weights[j + lane], element - others[j + lane], distances[j + lane]);
  for (; j < count; ++j) sums[0] += change<kKind>(weights[j], element - others[j], distances[j]);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

template <DistanceKind kKind, class T>
void gradients_of(const T* row, int64_t n, const T* others, int64_t stride, int64_t count, const T* distances,
                  const T* grad, T* to) {
  std::fill_n(to, n, T(0));
  if constexpr (kKind == DistanceKind::count) return;
  T over[kBlock];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t block = std::min(kBlock, count - first);
    const T *of = distances + first, *weights = grad + first;
    if constexpr (kKind == DistanceKind::euclidean) {
      for (int64_t j = 0; j < block; ++j) over[j] = of[j] == 0 ? T(0) : weights[j] / of[j];
      weights = over;
    }
    for (int64_t k = 0; k < n; ++k)
      to[k] += summed_changes<kKind>(row[k], others + k * stride + first, block, of, weights);
  }
}

template <class T>
void distances(DistanceKind kind, const T* row, int64_t n, const T* others, int64_t stride, int64_t count,
               T* out) {
  const auto run = kind == DistanceKind::count       ? &distances_of<DistanceKind::count, T>
                   : kind == DistanceKind::sum       ? &distances_of<DistanceKind::sum, T>
                   : kind == DistanceKind::euclidean ? &distances_of<DistanceKind::euclidean, T>
                                                     : &distances_of<DistanceKind::largest, T>;
  run(row, n, others, stride, count, out);
}

template <class T>
void gradients(DistanceKind kind, const T* row, int64_t n, const T* others, int64_t stride, int64_t count,
               const T* distances, const T* grad, T* to) {
  const auto run = kind == DistanceKind::count       ? &gradients_of<DistanceKind::count, T>
                   : kind == DistanceKind::sum       ? &gradients_of<DistanceKind::sum, T>
                   : kind == DistanceKind::euclidean ? &gradients_of<DistanceKind::euclidean, T>
                                                     : &gradients_of<DistanceKind::largest, T>;
  run(row, n, others, stride, count, distances, grad, to);
}

template <class T>
inline constexpr cpu::DistanceRows<T> kRows{&distances<T>, &gradients<T>};

}  // namespace

extern const cpu::DistanceRows<float> distance_rows_float;
extern const cpu::DistanceRows<double> distance_rows_double;
const cpu::DistanceRows<float> distance_rows_float = kRows<float>;
const cpu::DistanceRows<double> distance_rows_double = kRows<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
