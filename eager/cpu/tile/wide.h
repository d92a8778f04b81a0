// Registers of floats and of the doubles that they are widened to, and the loops of functions over them. What
// GCC makes of such a function's loop over single elements depends on its mood: a condition more and it is not
// vectorised. So these functions are written with vectors, in the notation of single numbers (GCC's vector
// extensions), or for both: `V` below is double or Doubles.
//
// A multiplication and an addition of vectors are one step where the instruction set has that. Single doubles, of
// which random numbers are made, are rounded after both: their bits are the same on every instruction set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

#include "eager/cpu/tile/series.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile {

#if defined(__AVX512F__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif
typedef float Floats __attribute__((vector_size(kRegisterBytes)));
typedef double Doubles __attribute__((vector_size(kRegisterBytes)));
/// Integers of their width; comparisons give -1 and 0.
typedef int32_t Ints __attribute__((vector_size(kRegisterBytes)));
typedef int64_t Longs __attribute__((vector_size(kRegisterBytes)));
inline constexpr int kFloatLanes = kRegisterBytes / int(sizeof(float)), kDoubleLanes = kFloatLanes / 2;

#define FRAMEJIT_VECTOR_INLINE [[gnu::always_inline]] inline
#define FRAMEJIT_INLINED __attribute__((always_inline))

/// The lower and upper half of the lanes, widened, and back.
FRAMEJIT_VECTOR_INLINE Doubles low(Floats x) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm512_castps512_ps256(x));
#elif defined(__AVX__)
  return _mm256_cvtps_pd(_mm256_castps256_ps128(x));
#elif defined(__SSE4_1__)
  return _mm_cvtps_pd(x);
#else
  Doubles result;
  for (int i = 0; i < kDoubleLanes; ++i) result[i] = x[i];
  return result;
#endif
}
FRAMEJIT_VECTOR_INLINE Doubles high(Floats x) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1)));
#elif defined(__AVX__)
  return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
#elif defined(__SSE4_1__)
  return _mm_cvtps_pd(_mm_movehl_ps(x, x));
#else
  Doubles result;
  for (int i = 0; i < kDoubleLanes; ++i) result[i] = x[i + kDoubleLanes];
  return result;
#endif
}
FRAMEJIT_VECTOR_INLINE Floats joined(Doubles x, Doubles y) {
#if defined(__AVX512F__)
  const __m512d lower = _mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(x)));
  return _mm512_castpd_ps(_mm512_insertf64x4(lower, _mm256_castps_pd(_mm512_cvtpd_ps(y)), 1));
#elif defined(__AVX__)
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x)), _mm256_cvtpd_ps(y), 1);
#elif defined(__SSE4_1__)
  return _mm_movelh_ps(_mm_cvtpd_ps(x), _mm_cvtpd_ps(y));
#else
  Floats result;
  for (int i = 0; i < kDoubleLanes; ++i) {
    result[i] = float(x[i]);
    result[i + kDoubleLanes] = float(y[i]);
  }
  return result;
#endif
}

FRAMEJIT_VECTOR_INLINE double multiply_add(double x, double y, double z) { return x * y + z; }
FRAMEJIT_VECTOR_INLINE Doubles multiply_add(Doubles x, Doubles y, Doubles z) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(x, y, z);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(x, y, z);
#else
  return x * y + z;
#endif
}
FRAMEJIT_VECTOR_INLINE Floats multiply_add(Floats x, Floats y, Floats z) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(x, y, z);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(x, y, z);
#else
  return x * y + z;
#endif
}

/// What a V is made of, and integers of its width.
template <class V>
struct OfVector {
  using Element = V;
  using Bits = int64_t;
};
template <>
struct OfVector<Doubles> {
  using Element = double;
  using Bits = Longs;
};
template <>
struct OfVector<Floats> {
  using Element = float;
  using Bits = Ints;
};
template <class V>
using ElementOf = typename OfVector<V>::Element;
template <class V>
using BitsOf = typename OfVector<V>::Bits;

template <class V>
FRAMEJIT_VECTOR_INLINE V spread(ElementOf<V> value) {
  if constexpr (std::is_same_v<V, ElementOf<V>>)
    return value;
  else
    return value - V{};
}
/// c0 + x * (c1 + x * (c2 + ...)).
template <class V>
FRAMEJIT_VECTOR_INLINE V series(V, std::type_identity_t<ElementOf<V>> c0) {
  return spread<V>(c0);
}
template <class V, class... More>
FRAMEJIT_VECTOR_INLINE V series(V x, std::type_identity_t<ElementOf<V>> c0,
                                std::type_identity_t<ElementOf<V>> c1, More... more) {
  return multiply_add(x, series(x, c1, more...), spread<V>(c0));
}

template <class V>
FRAMEJIT_VECTOR_INLINE BitsOf<V> bits_of(V x) {
  return std::bit_cast<BitsOf<V>>(x);
}
template <class V>
FRAMEJIT_VECTOR_INLINE V of_bits(BitsOf<V> bits) {
  return std::bit_cast<V>(bits);
}
template <class V>
inline constexpr auto kSignBit =
    std::numeric_limits<std::conditional_t<sizeof(ElementOf<V>) == 8, int64_t, int32_t>>::min();
template <class V>
FRAMEJIT_VECTOR_INLINE V size_of(V x) {
  return of_bits<V>(bits_of(x) & ~kSignBit<V>);
}
/// `size` is not negative.
template <class V>
FRAMEJIT_VECTOR_INLINE V with_sign_of(V size, V x) {
  return of_bits<V>(bits_of(size) | (bits_of(x) & kSignBit<V>));
}
FRAMEJIT_VECTOR_INLINE double root(double x) { return std::sqrt(x); }
FRAMEJIT_VECTOR_INLINE Doubles root(Doubles x) {
#if defined(__AVX512F__)
  return _mm512_sqrt_pd(x);
#elif defined(__AVX__)
  return _mm256_sqrt_pd(x);
#elif defined(__SSE4_1__)
  return _mm_sqrt_pd(x);
#else
  for (int i = 0; i < kDoubleLanes; ++i) x[i] = std::sqrt(x[i]);
  return x;
#endif
}
/// Half to even.
FRAMEJIT_VECTOR_INLINE Doubles rounded(Doubles x) {
#if defined(__AVX512F__)
  return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX__)
  return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__SSE4_1__)
  return _mm_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  for (int i = 0; i < kDoubleLanes; ++i) x[i] = std::rint(x[i]);
  return x;
#endif
}
/// Towards zero.
FRAMEJIT_VECTOR_INLINE Doubles truncated(Doubles x) {
#if defined(__AVX512F__)
  return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#elif defined(__AVX__)
  return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#elif defined(__SSE4_1__)
  return _mm_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
  for (int i = 0; i < kDoubleLanes; ++i) x[i] = std::trunc(x[i]);
  return x;
#endif
}
/// Not below and not above a number; NaN stays.
template <class V>
FRAMEJIT_VECTOR_INLINE V at_least(V x, double bound) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, Doubles>) return _mm512_max_pd(spread<V>(bound), x);
#elif defined(__AVX__)
  if constexpr (std::is_same_v<V, Doubles>) return _mm256_max_pd(spread<V>(bound), x);
#endif
  return x < bound ? spread<V>(bound) : x;
}
template <class V>
FRAMEJIT_VECTOR_INLINE V at_most(V x, double bound) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, Doubles>) return _mm512_min_pd(spread<V>(bound), x);
#elif defined(__AVX__)
  if constexpr (std::is_same_v<V, Doubles>) return _mm256_min_pd(spread<V>(bound), x);
#endif
  return x > bound ? spread<V>(bound) : x;
}
FRAMEJIT_VECTOR_INLINE bool any(Ints mask) {
#if defined(__AVX512F__)
  const __m512i bits = std::bit_cast<__m512i>(mask);
  return _mm512_test_epi32_mask(bits, bits) != 0;
#elif defined(__AVX__)
  const __m256i bits = std::bit_cast<__m256i>(mask);
  return !_mm256_testz_si256(bits, bits);
#elif defined(__SSE4_1__)
  const __m128i bits = std::bit_cast<__m128i>(mask);
  return !_mm_testz_si128(bits, bits);
#else
  int32_t either = 0;
  for (int i = 0; i < kFloatLanes; ++i) either |= mask[i];
  return either != 0;
#endif
}

/// x * y less `product`, which is it rounded: exact with a fused multiplication and addition.
FRAMEJIT_VECTOR_INLINE Doubles product_rest(Doubles x, Doubles y, Doubles product) {
#if defined(__FMA__)
  return multiply_add(x, y, -product);
#else
  constexpr double splitter = 0x1p27 + 1;
  const Doubles wide_x = x * splitter, wide_y = y * splitter;
  const Doubles x_high = wide_x - (wide_x - x), y_high = wide_y - (wide_y - y);
  const Doubles x_low = x - x_high, y_low = y - y_high;
  return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
#endif
}

// --- loops over blocks
// -------------------------------------------------------------------------------------------------------------

template <class T>
using VectorOf = std::conditional_t<std::is_same_v<T, float>, Floats, Doubles>;

/// How the registers of an operand are read: in memory, made of one number, or those of an expression.
template <class T>
struct InMemory {
  using Element = T;
  const T* data;
  FRAMEJIT_VECTOR_INLINE VectorOf<T> at(int i) const {
    VectorOf<T> value;
    std::memcpy(&value, data + i, sizeof value);
    return value;
  }
  FRAMEJIT_VECTOR_INLINE T element(int i) const { return data[i]; }
};
template <class T>
struct Repeated {
  using Element = T;
  T value;
  FRAMEJIT_VECTOR_INLINE VectorOf<T> at(int) const { return spread<VectorOf<T>>(value); }
  FRAMEJIT_VECTOR_INLINE T element(int) const { return value; }
};
template <class T>
struct Computed {
  using Element = T;
  Block<T> values;
  FRAMEJIT_VECTOR_INLINE VectorOf<T> at(int i) const { return InMemory<T>{values.data()}.at(i); }
  FRAMEJIT_VECTOR_INLINE T element(int i) const { return values.coeff(i); }
};
template <class A>
FRAMEJIT_VECTOR_INLINE auto registers_of(const A& a) {
  using T = typename A::Scalar;
  if constexpr (is_constant_block<A>)
    return Repeated<T>{a.coeff(0)};
  else if constexpr (requires { a.data(); })
    return InMemory<T>{a.data()};
  else
    return Computed<T>{a};
}

/// `f` of registers.
template <class F, class First, class... More>
FRAMEJIT_VECTOR_INLINE auto over_registers(F f, const First& first, const More&... more) {
  using T = typename First::Element;
  Block<T> result;
  for (int i = 0; i < kBlock<T>; i += kRegisterBytes / int(sizeof(T))) {
    const VectorOf<T> value = f(first.at(i), more.at(i)...);
    std::memcpy(result.data() + i, &value, sizeof value);
  }
  return result;
}
/// Then `exact` of the elements for which `ordinary`, of registers, does not hold.
template <class F, class Exact, class Ordinary, class First, class... More>
FRAMEJIT_VECTOR_INLINE auto over_registers_where(Ordinary ordinary, F f, Exact exact, const First& first,
                                                 const More&... more) {
  using T = typename First::Element;
  constexpr int lanes = kRegisterBytes / int(sizeof(T));
  auto result = over_registers(f, first, more...);
  auto all = ordinary(first.at(0), more.at(0)...);
  for (int i = lanes; i < kBlock<T>; i += lanes) all &= ordinary(first.at(i), more.at(i)...);
  if (__builtin_expect(any(std::bit_cast<Ints>(~all)), 0))
    for (int i = 0; i < kBlock<T>; i += lanes) {
      const auto mask = ordinary(first.at(i), more.at(i)...);
      for (int lane = 0; lane < lanes; ++lane)
        if (!mask[lane])
          result.coeffRef(i + lane) = exact(first.element(i + lane), more.element(i + lane)...);
    }
  return result;
}
template <class F, class Exact, class Ordinary, class... A>
FRAMEJIT_VECTOR_INLINE auto in_registers_where(Ordinary ordinary, F f, Exact exact, const A&... a) {
  return over_registers_where(ordinary, f, exact, registers_of(a)...);
}
template <class F, class... A>
FRAMEJIT_VECTOR_INLINE auto in_registers(F f, const A&... a) {
  return over_registers(f, registers_of(a)...);
}
/// The same of floats with a function of doubles, whose result is rounded to float.
template <class F, class... A>
FRAMEJIT_VECTOR_INLINE Block<float> in_double(F f, const A&... a) {
  return over_registers([=](auto... x) FRAMEJIT_INLINED { return joined(f(low(x)...), f(high(x)...)); },
                        registers_of(a)...);
}
template <class F, class Exact, class Ordinary, class... A>
FRAMEJIT_VECTOR_INLINE Block<float> in_double_where(Ordinary ordinary, F f, Exact exact, const A&... a) {
  return over_registers_where(
      ordinary, [=](auto... x) FRAMEJIT_INLINED { return joined(f(low(x)...), f(high(x)...)); }, exact,
      registers_of(a)...);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE::tile
