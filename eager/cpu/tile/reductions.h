// How each kind of reduction combines elements; shared by the row and the column kernels of one instruction
// set.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/tile/halves.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

using cpu::ReduceKind;
using cpu::ReduceState;

constexpr bool is_extremum(ReduceKind kind) {
  return kind == ReduceKind::amax || kind == ReduceKind::amin || kind == ReduceKind::argmax ||
         kind == ReduceKind::argmin;
}
constexpr bool is_arg(ReduceKind kind) { return kind == ReduceKind::argmax || kind == ReduceKind::argmin; }
constexpr bool is_sum(ReduceKind kind) {
  return kind == ReduceKind::sum || kind == ReduceKind::mean || kind == ReduceKind::nansum;
}

constexpr bool is_value_of_halves(ReduceKind kind) {
  return kind == ReduceKind::sum || kind == ReduceKind::mean || kind == ReduceKind::amax ||
         kind == ReduceKind::amin;
}

/// A vector of what lies at `from`: elements as they are, or halves as floats.
template <class Vector, class S>
[[gnu::always_inline]] inline Vector load_vector(const S* from) {
  Vector vector;
  if constexpr (is_half_type<S>) {
    float elements[sizeof(Vector) / sizeof(float)];
    convert_halves(from, elements, int64_t(sizeof(Vector) / sizeof(float)));
    std::memcpy(&vector, elements, sizeof vector);
  } else {
    std::memcpy(&vector, from, sizeof vector);
  }
  return vector;
}

/// `b > a ? b : a`, or by `<`. GCC does not see that AVX-512 has one instruction for it.
template <bool kLargest, class T, class V>
[[gnu::always_inline]] inline V better_of(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && std::is_same_v<T, float>)
    return V(kLargest ? _mm512_max_ps(__m512(b), __m512(a)) : _mm512_min_ps(__m512(b), __m512(a)));
  if constexpr (sizeof(V) == 64 && std::is_same_v<T, double>)
    return V(kLargest ? _mm512_max_pd(__m512d(b), __m512d(a)) : _mm512_min_pd(__m512d(b), __m512d(a)));
#endif
  return kLargest ? (b > a ? b : a) : (b < a ? b : a);
}

/// One kind over elements of type T. `Lane` is the type of a running result within a chunk.
template <ReduceKind kKind, class T>
struct Reduction {
  using Lane = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  static constexpr bool kLargest = kKind == ReduceKind::amax || kKind == ReduceKind::argmax;

  static Lane neutral() {
    if constexpr (is_sum(kKind) || kKind == ReduceKind::any)
      return Lane(0);
    else if constexpr (kKind == ReduceKind::prod || kKind == ReduceKind::all)
      return Lane(1);
    else if constexpr (std::is_floating_point_v<T>)
      return kLargest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    else
      return kLargest ? std::numeric_limits<Lane>::lowest() : std::numeric_limits<Lane>::max();
  }
  /// What an element (or a vector of them) counts as.
  template <class V>
  static V entering(V x) {
    if constexpr (kKind == ReduceKind::nansum)
      return x == x ? x : V{};
    else
      return x;
  }
  /// Whether `b` displaces `a`: NaN does, and stays.
  template <class V>
  static bool beats(V b, V a) {
    bool better = kLargest ? b > a : b < a;
    if constexpr (std::is_floating_point_v<V>) better = better | ((b != b) & (a == a));
    return better;
  }
  /// The same on GCC's vectors: all bits of a lane are set, or none.
  template <class V>
  static auto beats_vectors(V b, V a) {
    auto better = kLargest ? b > a : b < a;
    if constexpr (std::is_floating_point_v<T>) better |= (b != b) & (a == a);
    return better;
  }
  static Lane combine(Lane a, Lane b) {
    if constexpr (is_sum(kKind))
      return Lane(a + b);
    else if constexpr (kKind == ReduceKind::prod)
      return product(a, b);
    else if constexpr (kKind == ReduceKind::any)
      return a | b;
    else if constexpr (kKind == ReduceKind::all)
      return a & b;
    else
      return beats(b, a) ? b : a;
  }

  /// The same on GCC's vectors.
  template <class V>
  static V combine_vectors(V a, V b) {
    if constexpr (is_sum(kKind)) return a + b;
    if constexpr (kKind == ReduceKind::prod) return a * b;
    if constexpr (kKind == ReduceKind::any) return a | b;
    if constexpr (kKind == ReduceKind::all) return a & b;
    if constexpr (is_extremum(kKind)) {
      const V best = better_of<kLargest, T>(a, b);  // keeps a NaN in a
      if constexpr (std::is_floating_point_v<T>) return b != b ? b : best;
      return best;
    }
  }

  static ReduceState start() { return state_of(neutral(), -1); }
  static ReduceState state_of(Lane value, int64_t index) {
    ReduceState state;
    if constexpr (is_complex_type<T>) {
      state.real = value.real();
      state.imaginary = value.imag();
      return state;
    } else if constexpr (std::is_floating_point_v<T>) {
      state.real = double(value);
    } else {
      state.integer = int64_t(value);
    }
    state.index = index;
    return state;
  }
  static void merge_one(ReduceState& a, const ReduceState& b) {
    if constexpr (is_arg(kKind)) {
      if (b.index < 0) return;
      bool wins = a.index < 0 || displaces(b, a) || (b.index < a.index && !displaces(a, b));
      if (wins) a = b;
    } else if constexpr (is_complex_type<T>) {
      a = state_of(combine({a.real, a.imaginary}, {b.real, b.imaginary}), 0);
    } else if constexpr (std::is_floating_point_v<T>) {
      a.real = Reduction<kKind, double>::combine(a.real, b.real);
    } else {
      a.integer = Reduction<kKind, int64_t>::combine(a.integer, b.integer);
    }
  }
  static void merge(ReduceState* a, const ReduceState* b, int64_t n) {
    for (int64_t i = 0; i < n; ++i) merge_one(a[i], b[i]);
  }
  static void finish(const ReduceState* states, int64_t n, int64_t count, void* out) {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (is_arg(kKind)) {
        static_cast<int64_t*>(out)[i] = states[i].index;
      } else if constexpr (is_complex_type<T>) {
        const T value(states[i].real, states[i].imaginary);
        static_cast<T*>(out)[i] = kKind == ReduceKind::mean ? value / double(count) : value;
      } else if constexpr (kKind == ReduceKind::mean) {
        static_cast<T*>(out)[i] = T(states[i].real / double(count));
      } else if constexpr (kKind == ReduceKind::sum && std::is_same_v<T, bool>) {
        static_cast<int64_t*>(out)[i] = states[i].integer;
      } else if constexpr (std::is_floating_point_v<T>) {
        static_cast<T*>(out)[i] = T(states[i].real);
      } else {
        static_cast<T*>(out)[i] = T(states[i].integer);
      }
    }
  }

 private:
  /// Without the recovery of infinities that C++ has for complex numbers, as are the products of tiles.
  static Lane product(Lane a, Lane b) {
    if constexpr (is_complex_type<T>)
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    else
      return Lane(a * b);
  }
  static bool displaces(const ReduceState& b, const ReduceState& a) {
    if constexpr (std::is_floating_point_v<T>) return beats(b.real, a.real);
    return beats(b.integer, a.integer);
  }
};

/// Calls `visit.template operator()<kind, T, S>()` for every kind and type T that is computed in, with S = T:
/// not for types that `reduce_compute_dtype` widens. Of these, frequent kinds of halves S are read as they are.
template <ReduceKind kKind, class Visit>
void for_each_dtype(Visit& visit) {
  const auto of = [&]<class... T>() { (visit.template operator()<kKind, T, T>(), ...); };
  if constexpr (kKind == ReduceKind::any || kKind == ReduceKind::all) {
    of.template operator()<bool>();
  } else if constexpr (kKind == ReduceKind::nansum) {
    of.template operator()<float, double>();
  } else if constexpr (is_extremum(kKind)) {
    of.template operator()<bool, uint8_t, int32_t, int64_t, float, double>();
  } else {
    if constexpr (kKind == ReduceKind::sum) of.template operator()<bool>();
    if constexpr (kKind != ReduceKind::mean) of.template operator()<int64_t>();
    of.template operator()<float, double, std::complex<double>>();
  }
  if constexpr (is_value_of_halves(kKind)) {
    visit.template operator()<kKind, float, Half>();
    visit.template operator()<kKind, float, BFloat16>();
  }
}
template <class Visit>
void for_each_reduction(Visit visit) {
  for_each_dtype<ReduceKind::sum>(visit);
  for_each_dtype<ReduceKind::mean>(visit);
  for_each_dtype<ReduceKind::prod>(visit);
  for_each_dtype<ReduceKind::amax>(visit);
  for_each_dtype<ReduceKind::amin>(visit);
  for_each_dtype<ReduceKind::any>(visit);
  for_each_dtype<ReduceKind::all>(visit);
  for_each_dtype<ReduceKind::argmax>(visit);
  for_each_dtype<ReduceKind::argmin>(visit);
  for_each_dtype<ReduceKind::nansum>(visit);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
