// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include <cstring>

#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/nn/norm_rows.h"
#include "eager/cpu/tile/vectors.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// The first vector of `lanes` elements becomes the sum of both halves, down to one element.
template <class T, int kLanes>
[[gnu::always_inline]] inline T fold(const T* lanes) {
  if constexpr (kLanes == 1) {
    return *lanes;
  } else {
    typedef T Half __attribute__((vector_size(sizeof(T) * kLanes / 2)));
    Half low, high;
    std::memcpy(&low, lanes, sizeof low);
    std::memcpy(&high, lanes + kLanes / 2, sizeof high);
    low += high;
    T halves[kLanes / 2];
    std::memcpy(halves, &low, sizeof low);
    return fold<T, kLanes / 2>(halves);
  }
}

/// The sum of n values, in the order in which reductions add up a chunk of a row (row_reductions.cc):
/// `one(i)` is value i, `vector(i)` a vector of those from i on.
template <class T, class One, class Many>
[[gnu::always_inline]] inline T sum_chunk(int64_t n, const One& one, const Many& vector) {
  using V = Vector<T>;
  constexpr int kVectors = cpu::kLanes / V::kLanes;
  T total = 0;
  if (n < cpu::kLanes) {
    for (int64_t i = 0; i < n; ++i) total += one(i);
    return total;
  }
  typename V::Type sums[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) sums[v] = vector(v * V::kLanes);
  int64_t at = cpu::kLanes;
  for (; at + cpu::kLanes <= n; at += cpu::kLanes)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[v] += vector(at + v * V::kLanes);
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    const int64_t begin = at + v * V::kLanes;
    if (begin + V::kLanes <= n) {
      sums[v] += vector(begin);
    } else if (begin < n) {
      T rest[V::kLanes];
      for (int i = 0; i < V::kLanes; ++i) rest[i] = begin + i < n ? one(begin + i) : T(-0.0);
      sums[v] += V::load(rest);
    }
  }
#pragma GCC unroll 8
  for (int half = kVectors / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int v = 0; v < half; ++v) sums[v] += sums[v + half];
  T lanes[V::kLanes];
  V::store(sums[0], lanes);
  return fold<T, V::kLanes>(lanes);
}

/// The mean of a row of n values, `chunk(first, n)` being sums of it; again in the order of reductions.
template <class T, class Chunk>
[[gnu::always_inline]] inline T mean_of_chunks(int64_t n, const Chunk& chunk) {
  if (n <= cpu::kReduceChunk) return T(double(chunk(0, n)) / double(n));
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += cpu::kReduceBlock) {
    double block = 0;
    for (int64_t at = begin; at < std::min(n, begin + cpu::kReduceBlock); at += cpu::kReduceChunk)
      block += double(chunk(at, std::min(cpu::kReduceChunk, n - at)));
    total += block;
  }
  return T(total / double(n));
}

/// The mean of value(i), a function of an element's place; `vector(i)` gives the values from i on.
template <class T, class One, class Many>
[[gnu::always_inline]] inline T mean_of(int64_t n, const One& one, const Many& vector) {
  return mean_of_chunks<T>(n, [&](int64_t first, int64_t count) {
    return sum_chunk<T>(
        count, [&](int64_t i) { return one(first + i); }, [&](int64_t i) { return vector(first + i); });
  });
}

template <class T>
void statistics(int64_t rows, int64_t n, const T* x, T* means, T* variances) {
  using V = Vector<T>;
  for (int64_t r = 0; r < rows; ++r, x += n) {
    const T mean = mean_of<T>(
        n, [=](int64_t i) { return x[i]; }, [=](int64_t i) { return V::load(x + i); });
    means[r] = mean;
    variances[r] = mean_of<T>(
        n, [=](int64_t i) { return (x[i] - mean) * (x[i] - mean); },
        [=](int64_t i) {
          const auto distance = V::load(x + i) - mean;
          return distance * distance;
        });
  }
}

template <class T>
void normalize(int64_t rows, int64_t n, const T* x, const T* means, const T* roots, const T* weight,
               const T* bias, T* out) {
  for (int64_t r = 0; r < rows; ++r, x += n, out += n) {
    const T mean = means[r], root = roots[r];
    if (weight && bias) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * root * weight[i] + bias[i];
      continue;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * root;
    for (int64_t i = 0; weight && i < n; ++i) out[i] *= weight[i];
    for (int64_t i = 0; bias && i < n; ++i) out[i] += bias[i];
  }
}

/// Normalized and weighted elements are computed anew in each loop: arrays of them would fill the L1 cache.
template <class T, bool kWeighted>
void input_gradient(int64_t n, const T* grad, const T* x, T mean, T root, const T* weight, T* out) {
  using V = Vector<T>;
  const auto weighted = [=](int64_t i) { return kWeighted ? grad[i] * weight[i] : grad[i]; };
  const auto weighted_vector = [=](int64_t i) {
    if constexpr (kWeighted)
      return V::load(grad + i) * V::load(weight + i);
    else
      return V::load(grad + i);
  };
  const T of_grad = mean_of<T>(n, weighted, weighted_vector);
  const T of_product = mean_of<T>(
      n, [=](int64_t i) { return weighted(i) * ((x[i] - mean) * root); },
      [=](int64_t i) { return weighted_vector(i) * ((V::load(x + i) - mean) * root); });
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = root * (weighted(i) - of_grad - (x[i] - mean) * root * of_product);
}

template <class T>
void backward(int64_t n, const T* grad, const T* x, T mean, T root, const T* weight, T* of_weight, T* of_bias,
              T* out) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    of_weight[i] += grad[i] * ((x[i] - mean) * root);
    of_bias[i] += grad[i];
  }
  if (out) (weight ? input_gradient<T, true> : input_gradient<T, false>)(n, grad, x, mean, root, weight, out);
}

template <class T>
inline constexpr cpu::LayerNormRows<T> kRows{&statistics<T>, &normalize<T>, &backward<T>};

}  // namespace

extern const cpu::LayerNormRows<float> layer_norm_rows_float;
extern const cpu::LayerNormRows<double> layer_norm_rows_double;
const cpu::LayerNormRows<float> layer_norm_rows_float = kRows<float>;
const cpu::LayerNormRows<double> layer_norm_rows_double = kRows<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
