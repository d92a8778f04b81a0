// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/images/sample_rows.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <utility>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

using cpu::SampledDim;
using cpu::SampleMode;
using cpu::SamplePadding;

template <class T>
using Offset = typename cpu::SampleRows<T>::Offset;
template <class T>
constexpr int64_t kPlaces = cpu::SampleRows<T>::kPlaces;

/// A coordinate in pixels moved into the image; `slope` is by how much it changes with the one it was made of.
template <class T>
void clip(T& x, T& slope, T last) {
  slope = (x > 0) & (x < last) ? slope : T(0);
  x = x > 0 ? x : x <= 0 ? T(0) : x;
  x = x < last ? x : x >= last ? last : x;
}

/// What lies outside of low ... low + span mirrored into it.
template <class T>
void reflect(T& x, T& slope, T low, T span) {
  const T from = x - low, distance = std::abs(from), flips = std::floor(distance / span);
  const T rest = distance - flips * span;
  const bool even = flips * T(0.5) == std::floor(flips * T(0.5));
  x = (even ? rest : span - rest) + low;
  slope = even == (from >= 0) ? slope : -slope;
}

template <class T>
struct Dim {
  explicit Dim(const SampledDim& dim)
      : last(T(dim.size - 1)),
        stride(Offset<T>(dim.stride)),
        low(dim.align_corners ? T(0) : T(-0.5)),
        span(dim.align_corners ? last : T(dim.size)),
        slope(span * T(0.5)) {}
  T last;
  Offset<T> stride;
  T low, span, slope;

  /// From -1 ... 1 to 0 ... last.
  T pixel(T x) const { return (x + 1) * slope + low; }
  template <SamplePadding kPadding>
  void pad(T& x, T& changes) const {
    if constexpr (kPadding == SamplePadding::reflection) reflect(x, changes, low, span);
    if constexpr (kPadding != SamplePadding::zeros) clip(x, changes, last);
  }
};

/// Keys' kernel with a = -0.75 (see images/resample.cc) and its derivative, of a distance below 1 and from 1 to 2.
template <class T>
T cubic_near(T x) {
  return (T(1.25) * x - T(2.25)) * x * x + 1;
}
template <class T>
T cubic_near_slope(T x) {
  return (T(3.75) * x - T(4.5)) * x;
}
template <class T>
T cubic_far(T x) {
  return ((T(-0.75) * x + T(3.75)) * x - 6) * x + 3;
}
template <class T>
T cubic_far_slope(T x) {
  return (T(-2.25) * x + T(7.5)) * x - 6;
}

/// Tap kTap of a place: `x` is the coordinate, and becomes the tap's (a whole number, or NaN).
template <SampleMode kMode, int kTap, class T>
void tap(T& x, T slope, T& weight, T& change) {
  if constexpr (kMode == SampleMode::nearest) {
    x = std::nearbyint(x);
    weight = 1, change = 0;
    return;
  }
  const T left = std::floor(x), part = x - left;
  if constexpr (kMode == SampleMode::linear) {
    x = left + kTap;
    weight = kTap == 0 ? 1 - part : part;
    change = kTap == 0 ? -slope : slope;
  } else {
    x = left + (kTap - 1);
    const T distance = kTap == 0 ? part + 1 : kTap == 1 ? part : kTap == 2 ? 1 - part : 2 - part;
    constexpr bool kNear = kTap == 1 || kTap == 2;
    weight = kNear ? cubic_near(distance) : cubic_far(distance);
    change = (kNear ? cubic_near_slope(distance) : cubic_far_slope(distance)) * (kTap < 2 ? slope : -slope);
  }
}

template <SampleMode kMode, SamplePadding kPadding, int kTap, bool kSlopes, class T>
void write_tap(const Dim<T>& of, const T* __restrict coordinates, int64_t n, Offset<T>* __restrict offsets,
               T* __restrict weights, T* __restrict slopes) {
  const Dim<T> dim = of;
  for (int64_t i = 0; i < n; ++i) {
    T x = dim.pixel(coordinates[i]), slope = dim.slope, weight, change;
    if constexpr (kMode != SampleMode::cubic) dim.template pad<kPadding>(x, slope);
    tap<kMode, kTap>(x, slope, weight, change);
    if constexpr (kMode == SampleMode::cubic) dim.template pad<kPadding>(x, slope);
    const bool inside = (x >= 0) & (x <= dim.last);
    const Offset<T> offset = Offset<T>(inside ? x : T(0)) * dim.stride;
    offsets[i] = inside ? offset : Offset<T>(-1);
    weights[i] = inside ? weight : T(0);
    if constexpr (kSlopes) slopes[i] = inside ? change : T(0);
  }
}

template <class T, SampleMode kMode, SamplePadding kPadding>
void taps_of(const Dim<T>& dim, const T* coordinates, int64_t step, int64_t n, Offset<T>* offsets, T* weights,
             T* slopes) {
  constexpr int kTaps = kMode == SampleMode::linear ? 2 : kMode == SampleMode::nearest ? 1 : 4;
  T pixels[kPlaces<T>];
  for (int64_t i = 0; i < n; ++i) pixels[i] = coordinates[i * step];
  const auto write = [&]<bool kSlopes, int... kTap>(std::bool_constant<kSlopes>,
                                                    std::integer_sequence<int, kTap...>) {
    (write_tap<kMode, kPadding, kTap, kSlopes>(dim, pixels, n, offsets + kTap * kPlaces<T>,
                                               weights + kTap * kPlaces<T>,
                                               kSlopes ? slopes + kTap * kPlaces<T> : nullptr),
     ...);
  };
  constexpr std::make_integer_sequence<int, kTaps> kEach;
  slopes ? write(std::true_type(), kEach) : write(std::false_type(), kEach);
}

template <class T, SampleMode kMode>
void taps_of_mode(const SampledDim& dim, const T* coordinates, int64_t step, int64_t n, Offset<T>* offsets,
                  T* weights, T* slopes) {
  const auto run = dim.padding == SamplePadding::zeros ? &taps_of<T, kMode, SamplePadding::zeros>
                   : dim.padding == SamplePadding::border || (dim.align_corners && dim.size == 1)
                       ? &taps_of<T, kMode, SamplePadding::border>
                       : &taps_of<T, kMode, SamplePadding::reflection>;
  run(Dim<T>(dim), coordinates, step, n, offsets, weights, slopes);
}

template <class T>
void taps(const SampledDim& dim, const T* coordinates, int64_t step, int64_t n, Offset<T>* offsets,
          T* weights, T* slopes) {
  const auto run = dim.mode == SampleMode::linear    ? &taps_of_mode<T, SampleMode::linear>
                   : dim.mode == SampleMode::nearest ? &taps_of_mode<T, SampleMode::nearest>
                                                     : &taps_of_mode<T, SampleMode::cubic>;
  run(dim, coordinates, step, n, offsets, weights, slopes);
}

template <class T>
void combine(const Offset<T>* outer, const T* outer_weights, int64_t count, const Offset<T>* inner,
             const T* inner_weights, int64_t inner_count, int64_t n, Offset<T>* __restrict offsets,
             T* __restrict weights) {
  constexpr int64_t kNext = kPlaces<T>;
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = 0; b < inner_count; ++b, offsets += kNext, weights += kNext)
      for (int64_t i = 0; i < n; ++i) {
        const Offset<T> one = outer[a * kNext + i], other = inner[b * kNext + i];
        offsets[i] = (one | other) < 0 ? Offset<T>(-1) : Offset<T>(one + other);
        weights[i] = outer_weights[a * kNext + i] * inner_weights[b * kNext + i];
      }
}

/// As many elements as are read at once, zero outside of the image. The compiler's own gathers of conditional elements take
/// nearly twice as long.
template <class T>
struct OneLane {
  static constexpr int kCount = 1;
  static T load(const T* from) { return *from; }
  static void store(T* to, T value) { *to = value; }
  static T elements(const T* plane, const Offset<T>* offsets) {
    const T value = plane[*offsets < 0 ? 0 : *offsets];
    return *offsets < 0 ? T(0) : value;
  }
};
template <class T>
struct Lanes : OneLane<T> {};

#if defined(__AVX512F__)
template <>
struct Lanes<float> {
  static constexpr int kCount = 16;
  static __m512 load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, __m512 values) { _mm512_storeu_ps(to, values); }
  static __m512 elements(const float* plane, const int32_t* offsets) {
    const __m512i at = _mm512_loadu_si512(offsets);
    const __mmask16 inside = _mm512_cmpge_epi32_mask(at, _mm512_setzero_si512());
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), inside, at, plane, sizeof(float));
  }
};
template <>
struct Lanes<double> {
  static constexpr int kCount = 8;
  static __m512d load(const double* from) { return _mm512_loadu_pd(from); }
  static void store(double* to, __m512d values) { _mm512_storeu_pd(to, values); }
  static __m512d elements(const double* plane, const int64_t* offsets) {
    const __m512i at = _mm512_loadu_si512(offsets);
    const __mmask8 inside = _mm512_cmpge_epi64_mask(at, _mm512_setzero_si512());
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), inside, at, plane, sizeof(double));
  }
};
#elif defined(__AVX2__)
template <>
struct Lanes<float> {
  static constexpr int kCount = 8;
  static __m256 load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, __m256 values) { _mm256_storeu_ps(to, values); }
  static __m256 elements(const float* plane, const int32_t* offsets) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offsets));
    const __m256i inside = _mm256_cmpgt_epi32(at, _mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), plane, at, _mm256_castsi256_ps(inside),
                                    sizeof(float));
  }
};
template <>
struct Lanes<double> {
  static constexpr int kCount = 4;
  static __m256d load(const double* from) { return _mm256_loadu_pd(from); }
  static void store(double* to, __m256d values) { _mm256_storeu_pd(to, values); }
  static __m256d elements(const double* plane, const int64_t* offsets) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offsets));
    const __m256i inside = _mm256_cmpgt_epi64(at, _mm256_set1_epi64x(-1));
    return _mm256_mask_i64gather_pd(_mm256_setzero_pd(), plane, at, _mm256_castsi256_pd(inside),
                                    sizeof(double));
  }
};
#endif

/// Calls `take(lanes, i)` for i < n: many elements at a time, then one at a time.
template <class T, class Take>
void by_lanes(int64_t n, const Take& take) {
  int64_t i = 0;
  for (; i + Lanes<T>::kCount <= n; i += Lanes<T>::kCount) take(Lanes<T>(), i);
  for (; i < n; ++i) take(OneLane<T>(), i);
}

template <int kTaps, class T>
void gather_taps(const T* plane, const Offset<T>* offsets, const T* weights, int64_t n, T* out) {
  by_lanes<T>(n, [=]<class L>(L, int64_t i) {
    auto sum = L::load(weights + i) * L::elements(plane, offsets + i);
#pragma GCC unroll 16
    for (int k = 1; k < kTaps; ++k)
      sum += L::load(weights + k * kPlaces<T> + i) * L::elements(plane, offsets + k * kPlaces<T> + i);
    L::store(out + i, sum);
  });
}

template <class T>
void gather(const T* plane, const Offset<T>* offsets, const T* weights, int64_t taps, int64_t n, T* out) {
  const auto run = taps == 1   ? &gather_taps<1, T>
                   : taps == 4 ? &gather_taps<4, T>
                   : taps == 8 ? &gather_taps<8, T>
                               : &gather_taps<16, T>;
  run(plane, offsets, weights, n, out);
}

template <class T>
void scatter(T* plane, const Offset<T>* offsets, const T* weights, int64_t taps, int64_t n, const T* grad) {
  for (int64_t k = 0; k < taps; ++k, offsets += kPlaces<T>, weights += kPlaces<T>)
    for (int64_t i = 0; i < n; ++i)
      if (offsets[i] >= 0) plane[offsets[i]] += weights[i] * grad[i];
}

template <class T>
void correlate(const T* plane, const Offset<T>* offsets, int64_t taps, int64_t n, const T* grad, T* sums) {
  for (int64_t k = 0; k < taps; ++k, offsets += kPlaces<T>, sums += kPlaces<T>)
    by_lanes<T>(n, [=]<class L>(L, int64_t i) {
      L::store(sums + i, L::load(sums + i) + L::load(grad + i) * L::elements(plane, offsets + i));
    });
}

template <class T>
inline constexpr cpu::SampleRows<T> kRows{&taps<T>, &combine<T>, &gather<T>, &scatter<T>, &correlate<T>};

}  // namespace

extern const cpu::SampleRows<float> sample_rows_float;
extern const cpu::SampleRows<double> sample_rows_double;
const cpu::SampleRows<float> sample_rows_float = kRows<float>;
const cpu::SampleRows<double> sample_rows_double = kRows<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
