// Halves to floats and back, by the machine's own instructions where it has some.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "eager/half.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
inline constexpr bool is_half_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

inline void convert_halves(const BFloat16* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = float(in[i]);
}
inline void convert_halves(const float* in, BFloat16* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = BFloat16(in[i]);
}
inline void convert_halves(const Half* in, float* out, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16) {
    __m256i halves;
    std::memcpy(&halves, in + i, sizeof halves);
    _mm512_storeu_ps(out + i, _mm512_cvtph_ps(halves));
  }
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    __m128i halves;
    std::memcpy(&halves, in + i, sizeof halves);
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(halves));
  }
#endif
  for (; i < n; ++i) out[i] = float(in[i]);
}
inline void convert_halves(const float* in, Half* out, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16) {
    const __m256i halves = _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(static_cast<void*>(out + i), &halves, sizeof halves);
  }
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(static_cast<void*>(out + i), &halves, sizeof halves);
  }
#endif
  for (; i < n; ++i) out[i] = Half(in[i]);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
