#include "eager/cpu/sorting/key_loops.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

template <class T>
using KeyOf = typename cpu::KeyLoops<T>::Key;

template <class T>
void make(const T* from, int64_t stride, int64_t n, bool descending, KeyOf<T>* __restrict keys) {
  using Key = KeyOf<T>;
  const Key flip = descending ? Key(~Key(0)) : Key(0);
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) keys[i] = Key(cpu::sort_key(from[i]) ^ flip);
  } else {
    for (int64_t i = 0; i < n; ++i) keys[i] = Key(cpu::sort_key(from[i * stride]) ^ flip);
  }
}

/// Counts are as wide as keys, in parts that the narrowest can count.
template <class Key>
void count(const Key* keys, int64_t n, Key pivot, int64_t* less, int64_t* equal) {
  constexpr int64_t kPart = 128;
  *less = *equal = 0;
  for (int64_t begin = 0; begin < n; begin += kPart) {
    const int64_t end = std::min(n, begin + kPart);
    Key smaller = 0, same = 0;
    for (int64_t i = begin; i < end; ++i) {
      smaller = Key(smaller + Key(keys[i] < pivot));
      same = Key(same + Key(keys[i] == pivot));
    }
    *less += int64_t(smaller);
    *equal += int64_t(same);
  }
}

#if defined(__AVX512F__)
/// As many whole vectors as there are; says how many keys that were. A vector may be stored over keys that were read.
inline int64_t keep_vectors(const uint32_t* keys, int64_t n, uint32_t low, uint32_t high, uint32_t* to,
                            int64_t* kept) {
  const __m512i lowest = _mm512_set1_epi32(int(low)), span = _mm512_set1_epi32(int(high - low));
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i x = _mm512_loadu_si512(keys + i);
    const __mmask16 within = _mm512_cmple_epu32_mask(_mm512_sub_epi32(x, lowest), span);
    _mm512_storeu_si512(to + *kept, _mm512_maskz_compress_epi32(within, x));
    *kept += __builtin_popcount(within);
  }
  return i;
}
#endif

template <class Key>
int64_t keep(const Key* keys, int64_t n, Key low, Key high, Key* to) {
  const Key span = Key(high - low);
  int64_t kept = 0, i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(Key) == 4) i = keep_vectors(keys, n, low, high, to, &kept);
#endif
  for (; i < n; ++i) {  // without a branch: what is kept is random
    const Key key = keys[i];
    to[kept] = key;
    kept += Key(key - low) <= span;
  }
  return kept;
}

template <class Key>
int64_t find_less(const Key* keys, int64_t n, Key limit, int64_t* to) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i) {
    to[found] = i;
    found += keys[i] < limit;
  }
  return found;
}

#if defined(__AVX512BW__)
template <class Key>
__m512i repeated(Key key) {
  if constexpr (sizeof(Key) == 1) return _mm512_set1_epi8(char(key));
  if constexpr (sizeof(Key) == 2) return _mm512_set1_epi16(short(key));
  if constexpr (sizeof(Key) == 4) return _mm512_set1_epi32(int(key));
  return _mm512_set1_epi64(int64_t(key));
}
template <class Key, int kComparison>
uint64_t compare(__m512i a, __m512i b) {
  if constexpr (sizeof(Key) == 1) return _mm512_cmp_epu8_mask(a, b, kComparison);
  if constexpr (sizeof(Key) == 2) return _mm512_cmp_epu16_mask(a, b, kComparison);
  if constexpr (sizeof(Key) == 4) return _mm512_cmp_epu32_mask(a, b, kComparison);
  return _mm512_cmp_epu64_mask(a, b, kComparison);
}

template <class Key>
void rank(Key* keys, int64_t n, uint8_t* ranks) {
  constexpr int64_t kLanes = 64 / int64_t(sizeof(Key));
  std::fill(keys + n, keys + cpu::kMostRanked, std::numeric_limits<Key>::max());  // never smaller
  for (int64_t i = 0; i < n; ++i) {
    const __m512i key = repeated(keys[i]);
    uint64_t less = 0, equal = 0;
    for (int64_t at = 0; at < n; at += kLanes) {
      const __m512i others = _mm512_loadu_si512(keys + at);
      less |= compare<Key, _MM_CMPINT_LT>(others, key) << at;
      equal |= compare<Key, _MM_CMPINT_EQ>(others, key) << at;
    }
    const uint64_t before = (uint64_t(1) << i) - 1;
    ranks[i] = uint8_t(__builtin_popcountll(less) + __builtin_popcountll(equal & before));
  }
}
#else
/// Signed: SSE compares these alone.
template <int64_t kCount, class Key>
Key count_less(const Key* keys, Key key) {
  Key count = 0;
  for (int64_t i = 0; i < kCount; ++i) count = Key(count + Key(keys[i] < key));
  return count;
}

template <class Key>
void rank(Key* keys, int64_t n, uint8_t* ranks) {
  using Signed = std::make_signed_t<Key>;
  constexpr Key kSign = Key(Key(1) << (8 * sizeof(Key) - 1));
  alignas(64) Signed copies[cpu::kMostRanked];
  std::fill_n(copies, cpu::kMostRanked, std::numeric_limits<Signed>::max());  // never smaller
  for (int64_t i = 0; i < n; ++i) copies[i] = Signed(keys[i] ^ kSign);
  uint64_t taken = 0;
  for (int64_t i = 0; i < n; ++i) {
    size_t place = size_t(n <= 16   ? count_less<16>(copies, copies[i])
                          : n <= 32 ? count_less<32>(copies, copies[i])
                                    : count_less<cpu::kMostRanked>(copies, copies[i]));
    while (taken >> place & 1) ++place;  // by equal ones that came before
    taken |= uint64_t(1) << place;
    ranks[i] = uint8_t(place);
  }
}
#endif

/// Nothing is sure of NaN.
template <class T>
int64_t skip(const T* from, int64_t n, T last, bool larger) {
  using Flag = KeyOf<T>;
  int64_t i = 0;
  for (; i + cpu::kSkipped <= n; i += cpu::kSkipped) {
    Flag any = 0;
    if (larger) {
      for (int64_t k = 0; k < cpu::kSkipped; ++k) any |= Flag(!(from[i + k] <= last));
    } else {
      for (int64_t k = 0; k < cpu::kSkipped; ++k) any |= Flag(!(from[i + k] >= last));
    }
    if (any) break;
  }
  return i;
}

template <class T>
constexpr cpu::KeyLoops<T> loops_of() {
  using Key = KeyOf<T>;
  return {&make<T>, &count<Key>, &keep<Key>, &find_less<Key>, &rank<Key>, &skip<T>};
}

}  // namespace

extern const cpu::AllKeyLoops key_loops;
const cpu::AllKeyLoops key_loops = {
    loops_of<bool>(),    loops_of<uint8_t>(), loops_of<int8_t>(),   loops_of<int16_t>(), loops_of<int32_t>(),
    loops_of<int64_t>(), loops_of<Half>(),    loops_of<BFloat16>(), loops_of<float>(),   loops_of<double>()};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
