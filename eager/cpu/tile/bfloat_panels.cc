#include "eager/cpu/matmul/bfloat_panels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "eager/cpu/tile/squares.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

const cpu::BFloatPanels* bfloat_panels();

#if defined(__AVX512F__)

namespace {

using Pair = cpu::BFloatPair;
constexpr int kRows = 8, kVectors = 2, kLanes = 16, kColumns = kVectors * kLanes;

Pair pair_at(const uint16_t* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

/// Lines that lie as rows, kWidth of them, in squares that are transposed in registers. Returns how many
/// pairs it packed.
template <int kWidth>
int64_t pack_rows(const uint16_t* from, int64_t stride, int64_t pairs, Pair* panel) {
  constexpr int kSize = std::min(kWidth, kLanes);
  using Small = Square<Pair, kSize>;
  int64_t p = 0;
  for (; p + kSize <= pairs; p += kSize)
    for (int part = 0; part < kWidth; part += kSize) {
      typename Small::Row square[kSize];
#pragma GCC unroll 16
      for (int i = 0; i < kSize; ++i)
        std::memcpy(&square[i], from + (part + i) * stride + 2 * p, sizeof square[i]);
      Small::transpose(square);
#pragma GCC unroll 16
      for (int i = 0; i < kSize; ++i) Small::store(square[i], panel + (p + i) * kWidth + part);
    }
  return p;
}

/// Lines that lie side by side, kColumns of them: two rows of terms are interleaved. Returns how many pairs it packed.
template <int... kLane>
int64_t pack_columns(const uint16_t* from, int64_t stride, int64_t pairs, Pair* panel,
                     std::integer_sequence<int, kLane...>) {
  typedef uint16_t Terms __attribute__((vector_size(2 * kColumns)));
  for (int64_t p = 0; p < pairs; ++p, from += 2 * stride, panel += kColumns) {
    Terms first, second;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&second, from + stride, sizeof second);
    const Terms low = __builtin_shufflevector(first, second, (kLane / 2 + kLane % 2 * kColumns)...),
                high = __builtin_shufflevector(first, second, (kLanes + kLane / 2 + kLane % 2 * kColumns)...);
    std::memcpy(panel, &low, sizeof low);
    std::memcpy(panel + kLanes, &high, sizeof high);
  }
  return pairs;
}

void pack(const uint16_t* from, int64_t stride, bool across, int64_t lines, int64_t terms, int64_t width,
          Pair* panel) {
  const int64_t whole = terms / 2;
  int64_t p = 0;
  if (!across && lines == width)
    p = width == kRows ? pack_rows<kRows>(from, stride, whole, panel)
                       : pack_rows<kColumns>(from, stride, whole, panel);
  if (across && lines == kColumns && width == kColumns)
    p = pack_columns(from, stride, whole, panel, std::make_integer_sequence<int, kColumns>());
  for (; p < (terms + 1) / 2; ++p) {
    Pair* to = panel + p * width;
    const bool both = p < whole;
    if (across) {
      const uint16_t *first = from + 2 * p * stride, *second = first + (both ? stride : 0);
      for (int64_t i = 0; i < lines; ++i) to[i] = Pair(first[i]) | Pair(both ? second[i] : 0) << 16;
    } else {
      for (int64_t i = 0; i < lines; ++i)
        to[i] = both ? pair_at(from + i * stride + 2 * p) : Pair(from[i * stride + 2 * p]);
    }
    std::fill(to + lines, to + width, Pair(0));
  }
}

[[gnu::target("avx512bf16")]] void multiply_tile(int64_t pairs, const Pair* a, const Pair* b, float* c,
                                                 int64_t c_stride, bool accumulate) {
  __m512 sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v)
      sums[r][v] = accumulate ? _mm512_loadu_ps(c + r * c_stride + v * kLanes) : _mm512_setzero_ps();
  }
  for (int64_t p = 0; p < pairs; ++p, a += kRows, b += kColumns) {
    __m512bh right[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) right[v] = (__m512bh)_mm512_loadu_si512(b + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512bh left = (__m512bh)_mm512_set1_epi32(int(a[r]));
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], left, right[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) _mm512_storeu_ps(c + r * c_stride + v * kLanes, sums[r][v]);
  }
}

void multiply(int64_t row_panels, int64_t column_panels, int64_t pairs, const Pair* a, const Pair* b,
              float* c, int64_t c_stride, bool accumulate) {
  for (int64_t j = 0; j < column_panels; ++j)
    for (int64_t i = 0; i < row_panels; ++i)
      multiply_tile(pairs, a + i * pairs * kRows, b + j * pairs * kColumns,
                    c + i * kRows * c_stride + j * kColumns, c_stride, accumulate);
}

}  // namespace

const cpu::BFloatPanels* bfloat_panels() {
  static constexpr cpu::BFloatPanels panels{kRows, kColumns, &pack, &multiply};
  return __builtin_cpu_supports("avx512bf16") ? &panels : nullptr;
}

#else

const cpu::BFloatPanels* bfloat_panels() { return nullptr; }

#endif

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
