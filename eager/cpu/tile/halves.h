// Halves to floats and back, by the machine's own instructions where it has some.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__F16C__) || defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "eager/half.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
inline constexpr bool is_half_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// GCC's own vectors of these loops are of 32 bytes, from two of which the processor then has to put together
// the 64 that Eigen reads: it waits for both to reach the cache.
inline void convert_halves(const BFloat16* in, float* out, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512BW__
  for (; i + 16 <= n; i += 16) {
    __m256i halves;
    std::memcpy(&halves, in + i, sizeof halves);
    _mm512_storeu_si512(out + i, _mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
  }
#endif
  for (; i < n; ++i) out[i] = float(in[i]);
}
inline void convert_halves(const float* in, BFloat16* out, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512BW__
  for (; i + 16 <= n; i += 16) {  // as `bfloat16_bits`
    const __m512 values = _mm512_loadu_ps(in + i);
    const __m512i bits = _mm512_castps_si512(values),
                  last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1)),
                  up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), last),
                  rounded = _mm512_mask_mov_epi32(_mm512_srli_epi32(up, 16),
                                                  _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q),
                                                  _mm512_set1_epi32(0x7fc0));
    const __m256i halves = _mm512_cvtepi32_epi16(rounded);
    std::memcpy(static_cast<void*>(out + i), &halves, sizeof halves);
  }
#endif
  for (; i < n; ++i) out[i] = BFloat16(in[i]);
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
