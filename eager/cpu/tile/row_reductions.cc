// Reductions of side-by-side elements: chunks of a row.
// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include <algorithm>
#include <cstring>

#include "eager/cpu/tile/loop_table.h"
#include "eager/cpu/tile/reductions.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

using cpu::kLanes;

/// kLanes running results as vectors of 64 bytes. Loops over them are unrolled, and their address is never
/// taken: they stay in registers, whatever a register's width is.
template <class Lane>
struct Lanes {
  static constexpr int kPerVector = 64 / int(sizeof(Lane));
  static constexpr int kVectors = kLanes / kPerVector;
  typedef Lane Vector __attribute__((vector_size(64)));
  Vector vectors[kVectors];

  template <class S>
  static Vector load(const S* from) {
    return load_vector<Vector>(from);
  }
};
template <class L, class F>
[[gnu::always_inline]] inline void each_vector(const F& f) {
#pragma GCC unroll 8
  for (int v = 0; v < L::kVectors; ++v) f(v);
}

/// Combines lane i of a vector with lane i + half, until one is left.
template <class R, class Vector>
[[gnu::always_inline]] inline typename R::Lane fold_vector(Vector vector) {
  using Lane = typename R::Lane;
  if constexpr (sizeof(Vector) > std::max<size_t>(8, sizeof(Lane))) {
    typedef Lane Half __attribute__((vector_size(sizeof(Vector) / 2)));
    Half halves[2];
    std::memcpy(halves, &vector, sizeof vector);
    return fold_vector<R>(R::combine_vectors(halves[0], halves[1]));
  } else {
    constexpr int count = int(sizeof(Vector) / sizeof(Lane));
    Lane lanes[count];
    std::memcpy(lanes, &vector, sizeof vector);
    for (int half = count / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] = R::combine(lanes[i], lanes[i + half]);
    return lanes[0];
  }
}

/// The same over all lanes: whole vectors first.
template <class R>
[[gnu::always_inline]] inline typename R::Lane fold_lanes(Lanes<typename R::Lane> running) {
  using L = Lanes<typename R::Lane>;
#pragma GCC unroll 8
  for (int half = L::kVectors / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int v = 0; v < half; ++v)
      running.vectors[v] = R::combine_vectors(running.vectors[v], running.vectors[v + half]);
  return fold_vector<R>(running.vectors[0]);
}

/// Reduces what `value(i)` and, for whole vectors, `vector(i)` give.
template <class R, class ValueAt, class VectorAt>
[[gnu::always_inline]] inline typename R::Lane reduce_lanes(int64_t n, const ValueAt& value,
                                                            const VectorAt& vector) {
  using Lane = typename R::Lane;
  using L = Lanes<Lane>;
  if (n < kLanes) {
    Lane result = R::neutral();
    for (int64_t i = 0; i < n; ++i) result = R::combine(result, value(i));
    return result;
  }
  L running;
  each_vector<L>([&](int v) { running.vectors[v] = vector(v * L::kPerVector); });
  int64_t at = kLanes;
  for (; at + kLanes <= n; at += kLanes)
    each_vector<L>([&](int v) {
      running.vectors[v] = R::combine_vectors(running.vectors[v], vector(at + v * L::kPerVector));
    });
  if (at < n) {
    Lane lanes[kLanes];
    each_vector<L>([&](int v) { std::memcpy(lanes + v * L::kPerVector, &running.vectors[v], 64); });
    for (int i = 0; at + i < n; ++i) lanes[i] = R::combine(lanes[i], value(at + i));
    each_vector<L>([&](int v) { running.vectors[v] = L::load(lanes + v * L::kPerVector); });
  }
  return fold_lanes<R>(running);
}

/// The larger or smaller of floats of which none is NaN.
template <ReduceKind kKind, class T>
struct Ordered {
  using Lane = T;
  template <class V>
  static V combine_vectors(V a, V b) {
    return better_of<Reduction<kKind, T>::kLargest, T>(b, a);
  }
  static T combine(T a, T b) { return combine_vectors(a, b); }
};

/// Whether there was a NaN among the lanes of vectors.
template <class T>
class NanWatch {
 public:
  using V = typename Lanes<T>::Vector;
  [[gnu::always_inline]] void take(V a, V b) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>)
      seen_ |= _mm512_cmp_ps_mask(__m512(a), __m512(b), _CMP_UNORD_Q);
    else
      seen_ |= _mm512_cmp_pd_mask(__m512d(a), __m512d(b), _CMP_UNORD_Q);
#else
    seen_ |= (a != a) | (b != b);
#endif
  }
  bool any() const {
    const decltype(seen_) none{};
    return std::memcmp(&seen_, &none, sizeof none) != 0;
  }

 private:
#if defined(__AVX512F__)
  uint32_t seen_ = 0;
#else
  decltype(V{} != V{}) seen_{};
#endif
};

/// The extremum of floats of which none is NaN, by one comparison per vector; false when there is a NaN.
template <ReduceKind kKind, class T, class S>
[[gnu::always_inline]] inline bool reduce_ordered(const S* from, int64_t n, T& result) {
  using R = Ordered<kKind, T>;
  using L = Lanes<T>;
  if (n < kLanes) return false;
  L running;
  NanWatch<T> nans;
  each_vector<L>([&](int v) { running.vectors[v] = L::load(from + v * L::kPerVector); });
  each_vector<L>([&](int v) { nans.take(running.vectors[v], running.vectors[v]); });
  const auto take = [&](const S* at) {
    L next;
    each_vector<L>([&](int v) { next.vectors[v] = L::load(at + v * L::kPerVector); });
    each_vector<L>([&](int v) {
      if (v % 2 == 0) nans.take(next.vectors[v], next.vectors[v + 1]);
      running.vectors[v] = R::combine_vectors(running.vectors[v], next.vectors[v]);
    });
  };
  int64_t at = kLanes;
  for (; at + kLanes <= n; at += kLanes) take(from + at);
  if (at < n) take(from + n - kLanes);  // some lanes are met twice, which an extremum does not mind
  if (nans.any()) return false;
  result = fold_lanes<R>(running);
  return true;
}

/// Complex numbers, of which there are no vectors: a few running results, so that additions overlap.
template <class R, class T>
T reduce_complex(const T* in, int64_t n) {
  T running[4];
  std::fill_n(running, 4, R::neutral());
  for (int64_t i = 0; i < n; ++i) running[i % 4] = R::combine(running[i % 4], in[i]);
  return R::combine(R::combine(running[0], running[1]), R::combine(running[2], running[3]));
}

template <ReduceKind kKind, class T, class S>
[[gnu::always_inline]] inline typename Reduction<kKind, T>::Lane reduce_values(const S* in, int64_t n) {
  using Lane = typename Reduction<kKind, T>::Lane;
  if constexpr (is_complex_type<T>) {
    return reduce_complex<Reduction<kKind, T>>(in, n);
  } else {
    const auto* from = reinterpret_cast<const std::conditional_t<is_half_type<S>, S, Lane>*>(in);
    if constexpr (std::is_floating_point_v<T> && is_extremum(kKind)) {
      T result;
      if (reduce_ordered<kKind, T>(in, n, result)) return result;
    }
    using R = Reduction<kKind, T>;
    return reduce_lanes<R>(
        n, [=](int64_t i) { return R::entering(Lane(from[i])); },
        [=](int64_t i) { return R::entering(Lanes<Lane>::load(from + i)); });
  }
}

template <ReduceKind kKind, class T>
ReduceState reduce_products(const void* left, const void* right, int64_t n) {
  using R = Reduction<kKind, T>;
  const T *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
  T value = reduce_lanes<R>(
      n, [=](int64_t i) { return a[i] * b[i]; },
      [=](int64_t i) { return Lanes<T>::load(a + i) * Lanes<T>::load(b + i); });
  return R::state_of(value, 0);
}

/// A lane holds a count up to 255, more than a chunk has for it.
inline ReduceState count_chunk(const void* in, int64_t n) {
  static_assert(cpu::kReduceChunk / kLanes < 255);
  const uint8_t* from = static_cast<const uint8_t*>(in);
  uint8_t lanes[kLanes] = {};
  int64_t at = 0, total = 0;
  for (; at + kLanes <= n; at += kLanes)
    for (int i = 0; i < kLanes; ++i) lanes[i] = uint8_t(lanes[i] + from[at + i]);
  for (; at < n; ++at) total += from[at];
  for (uint8_t count : lanes) total += count;
  return Reduction<ReduceKind::sum, int64_t>::state_of(total, 0);
}

template <ReduceKind kKind, class T, class S>
ReduceState reduce_chunk(const void* in, int64_t n, int64_t first) {
  using R = Reduction<kKind, T>;
  const S* from = static_cast<const S*>(in);
  if constexpr (kKind == ReduceKind::sum && std::is_same_v<T, bool>) {
    return count_chunk(in, n);
  } else if constexpr (is_arg(kKind)) {
    // The extremum first (vectorised), then where it stands.
    constexpr ReduceKind value_kind = kKind == ReduceKind::argmax ? ReduceKind::amax : ReduceKind::amin;
    const auto best = reduce_values<value_kind, T>(from, n);
    for (int64_t i = 0; i < n; ++i)
      if (from[i] == T(best) || from[i] != from[i]) return R::state_of(from[i], first + i);
    return R::start();
  } else {
    return R::state_of(reduce_values<kKind, T>(from, n), 0);
  }
}

/// Running results of this many short rows at once.
constexpr int64_t kShortRows = 16;

/// Rows of fewer than kLanes elements side by side: element j of each, then element j + 1. Each is combined
/// in the order that `reduce_chunk` has.
template <ReduceKind kKind, class T, class S>
void reduce_short_rows(const S* from, int64_t stride, int64_t rows, int64_t n, ReduceState* out) {
  using R = Reduction<kKind, T>;
  using Lane = typename R::Lane;
  Lane best[kShortRows];
  std::fill_n(best, rows, R::neutral());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t r = 0; r < rows; ++r) best[r] = R::combine(best[r], R::entering(Lane(from[r * stride + j])));
  for (int64_t r = 0; r < rows; ++r)
    if constexpr (kKind == ReduceKind::sum && std::is_same_v<T, bool>)
      out[r] = Reduction<ReduceKind::sum, int64_t>::state_of(best[r], 0);
    else
      out[r] = R::state_of(best[r], 0);
}

/// The same of places, which are integers as wide as the elements: they are fewer than kLanes.
template <ReduceKind kKind, class T>
void find_in_short_rows(const T* from, int64_t stride, int64_t rows, int64_t n, int64_t first,
                        ReduceState* out) {
  using R = Reduction<kKind, T>;
  using Lane = typename R::Lane;
  typedef Lane Extrema __attribute__((vector_size(kShortRows * sizeof(Lane))));
  using Places = decltype(Extrema{} < Extrema{});
  Lane turned[kLanes][kShortRows];
  if (rows < kShortRows) std::fill_n(turned[0], n * kShortRows, Lane(0));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < n; ++j) turned[j][r] = Lane(from[r * stride + j]);
  Extrema best = load_vector<Extrema>(turned[0]);
  Places places{};
  for (int64_t j = 1; j < n; ++j) {
    const Extrema next = load_vector<Extrema>(turned[j]);
    const Places wins = R::beats_vectors(next, best);
    best = wins ? next : best;
    places = wins ? Places{} + std::decay_t<decltype(places[0])>(j) : places;
  }
  for (int64_t r = 0; r < rows; ++r) out[r] = R::state_of(best[r], first + places[r]);
}

template <ReduceKind kKind, class T, class S>
void reduce_chunks(const void* in, int64_t stride, int64_t rows, int64_t n, int64_t first, ReduceState* out) {
  const S* from = static_cast<const S*>(in);
  if constexpr (!is_complex_type<T>) {
    for (; n < kLanes && rows > 0; rows -= kShortRows, from += kShortRows * stride, out += kShortRows)
      if constexpr (is_arg(kKind))
        find_in_short_rows<kKind, T>(from, stride, std::min(kShortRows, rows), n, first, out);
      else
        reduce_short_rows<kKind, T>(from, stride, std::min(kShortRows, rows), n, out);
  }
  for (int64_t r = 0; r < rows; ++r) out[r] = reduce_chunk<kKind, T, S>(from + r * stride, n, first);
}

template <ReduceKind kKind, class T, class S>
void reduce_run(const void* in, int64_t n, int64_t first, ReduceState* into) {
  const S* from = static_cast<const S*>(in);
  ReduceState state = *into;
  for (int64_t at = 0; at < n; at += cpu::kReduceChunk)
    Reduction<kKind, T>::merge_one(
        state, reduce_chunk<kKind, T, S>(from + at, std::min(cpu::kReduceChunk, n - at), first + at));
  *into = state;
}

template <ReduceKind kKind, class T>
void run_products(const void* left, const void* right, int64_t n, ReduceState* into) {
  ReduceState state = *into;
  for (int64_t at = 0; at < n; at += cpu::kReduceChunk)
    Reduction<kKind, T>::merge_one(
        state, reduce_products<kKind, T>(static_cast<const T*>(left) + at, static_cast<const T*>(right) + at,
                                         std::min(cpu::kReduceChunk, n - at)));
  *into = state;
}

}  // namespace

void add_row_reductions(cpu::LoopKernels& table) {
  for_each_reduction([&]<ReduceKind kKind, class T, class S>() {
    using R = Reduction<kKind, T>;
    cpu::RowReducer& entry = table.row[size_t(kKind)][size_t(dtype_of<S>())];
    entry = {&R::start,
             &reduce_chunk<kKind, T, S>,
             &reduce_chunks<kKind, T, S>,
             &reduce_run<kKind, T, S>,
             nullptr,
             nullptr,
             &R::merge,
             &R::finish};
    if constexpr (is_sum(kKind) && std::is_floating_point_v<S>) {
      entry.product = &reduce_products<kKind, T>;
      entry.run_products = &run_products<kKind, T>;
    }
  });
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
