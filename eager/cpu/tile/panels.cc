// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/matmul/panels.h"

#include <algorithm>
#include <cstring>

#include "eager/cpu/tile/packet.h"
#include "eager/cpu/tile/squares.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

// Loops over the registers of a tile must be unrolled, else these are an array in memory.
#define FRAMEJIT_UNROLL _Pragma("GCC unroll 16")

// A tile of the product is kept in registers: kRows x kVectors of them, and a few for the operands.
inline constexpr int kRows = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 6;
inline constexpr int kVectors = 2;
template <class T>
inline constexpr int kColumns = kVectors* kLanes<T>;

/// Stretches of neighbours among the pixels of a panel. More than kMost: not worth it.
struct Stretches {
  static constexpr int kMost = 8;
  int count = 0;
  int begin[kMost + 1];

  Stretches(const int64_t* pixels, int n) {
    for (int i = 0; i < n; ++i) {
      if (i > 0 && pixels[i] == pixels[i - 1] + 1) continue;
      if (count == kMost) {
        count = kMost + 1;
        return;
      }
      begin[count++] = i;
    }
    begin[count] = n;
  }
};

/// kBytes bytes from both ends of `bytes`, which are at least as many and at most twice as many.
template <int kBytes>
[[gnu::always_inline]] inline void copy_ends(const char* from, char* to, int64_t bytes) {
  char first[kBytes], last[kBytes];
  std::memcpy(first, from, kBytes);
  std::memcpy(last, from + bytes - kBytes, kBytes);
  std::memcpy(to, first, kBytes);
  std::memcpy(to + bytes - kBytes, last, kBytes);
}
/// A few elements, at most those of two vectors of 64 bytes, by two moves.
template <class T>
[[gnu::always_inline]] inline void copy_few(const T* source, T* target, int n) {
  const char* from = reinterpret_cast<const char*>(source);
  char* to = reinterpret_cast<char*>(target);
  const int64_t bytes = n * int64_t(sizeof(T));
  if (bytes >= 64) return copy_ends<64>(from, to, bytes);
  if (bytes >= 32) return copy_ends<32>(from, to, bytes);
  if (bytes >= 16) return copy_ends<16>(from, to, bytes);
  if (bytes >= 8) return copy_ends<8>(from, to, bytes);
  *target = *source;
}

/// A stretch by whole vectors: what is behind its end is overwritten by what comes next.
template <class T>
[[gnu::always_inline]] inline void copy_on(const T* from, T* to, int n) {
  packet::pstoreu(to, load(from));
  if (n > kLanes<T>) packet::pstoreu(to + kLanes<T>, load(from + kLanes<T>));
}

template <class T>
void pack(const T* images, const int64_t* taps, int64_t count, const int64_t* pixels, bool reads_on,
          T* panel) {
  const Stretches stretches(pixels, kColumns<T>);
  if (stretches.count == 1) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>) {
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v)
        packet::pstoreu(panel + v * kLanes<T>, load(images + taps[k] + pixels[0] + v * kLanes<T>));
    }
  } else if (stretches.count <= Stretches::kMost && reads_on) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int s = 0; s < stretches.count; ++s) {
        const int begin = stretches.begin[s];
        copy_on(images + taps[k] + pixels[begin], panel + begin, stretches.begin[s + 1] - begin);
      }
  } else if (stretches.count <= Stretches::kMost) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int s = 0; s < stretches.count; ++s) {
        const int begin = stretches.begin[s];
        copy_few(images + taps[k] + pixels[begin], panel + begin, stretches.begin[s + 1] - begin);
      }
  } else {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int i = 0; i < kColumns<T>; ++i) panel[i] = images[taps[k] + pixels[i]];
  }
}

/// Lines that lie as rows, kWidth of them: squares are transposed in registers. Returns how far it came.
template <class T, int kWidth>
int64_t pack_rows(const T* from, int64_t stride, int64_t count, T* panel) {
  constexpr int size = std::min<int>(kWidth, 64 / int(sizeof(T)));
  using Small = Square<T, size>;
  int64_t k = 0;
  for (; k + size <= count; k += size)
    for (int part = 0; part < kWidth; part += size) {
      typename Small::Row square[size];
      FRAMEJIT_UNROLL
      for (int i = 0; i < size; ++i) square[i] = Small::load(from + (part + i) * stride + k);
      Small::transpose(square);
      FRAMEJIT_UNROLL
      for (int i = 0; i < size; ++i) Small::store(square[i], panel + (k + i) * kWidth + part);
    }
  return k;
}

template <class T>
void pack_matrix(const T* from, int64_t stride, bool across, int64_t lines, int64_t count, int64_t width,
                 T* panel) {
  int64_t k = 0;
  if constexpr (kRows == 8) {
    if (!across && lines == width && width == kRows) k = pack_rows<T, kRows>(from, stride, count, panel);
  }
  if (!across && lines == width && width == kColumns<T>)
    k = pack_rows<T, kColumns<T>>(from, stride, count, panel);
  for (; k < count; ++k) {
    T* to = panel + k * width;
    if (across)
      std::copy_n(from + k * stride, lines, to);
    else
      for (int64_t i = 0; i < lines; ++i) to[i] = from[i * stride + k];
    std::fill(to + lines, to + width, T(0));
  }
}

template <class T>
void multiply_tile(int64_t count, const T* a, const T* b, T* c, int64_t c_stride, bool accumulate) {
  Packet<T> sums[kRows][kVectors];
  FRAMEJIT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[r][v] = spread(T(0));
  }
  for (int64_t k = 0; k < count; ++k, a += kRows, b += kColumns<T>) {
    Packet<T> right[kVectors];
    FRAMEJIT_UNROLL
    for (int v = 0; v < kVectors; ++v) right[v] = load(b + v * kLanes<T>);
    FRAMEJIT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Packet<T> left = spread(a[r]);
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = packet::pmadd(left, right[v], sums[r][v]);
    }
  }
  FRAMEJIT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      T* to = c + r * c_stride + v * kLanes<T>;
      // What is accumulated are sums of blocks: adding on to the earlier ones would be less exact.
      packet::pstoreu(to, accumulate ? packet::padd(load(to), sums[r][v]) : sums[r][v]);
    }
  }
}

template <class T>
void multiply(int64_t row_panels, int64_t column_panels, int64_t count, const T* a, const T* b, T* c,
              int64_t c_stride, bool accumulate) {
  for (int64_t j = 0; j < column_panels; ++j)
    for (int64_t i = 0; i < row_panels; ++i)
      multiply_tile(count, a + i * count * kRows, b + j * count * kColumns<T>,
                    c + i * kRows * c_stride + j * kColumns<T>, c_stride, accumulate);
}

template <class T, int kHigh, int kWide>
void multiply_small_tile(int64_t count, const T* a, int64_t a_row, int64_t a_term, const T* b,
                         int64_t b_stride, T* c, int64_t c_stride) {
  Packet<T> sums[kHigh][kWide];
  FRAMEJIT_UNROLL
  for (int r = 0; r < kHigh; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kWide; ++v) sums[r][v] = spread(T(0));
  }
  for (int64_t k = 0; k < count; ++k, a += a_term, b += b_stride) {
    Packet<T> right[kWide];
    FRAMEJIT_UNROLL
    for (int v = 0; v < kWide; ++v) right[v] = load(b + v * kLanes<T>);
    FRAMEJIT_UNROLL
    for (int r = 0; r < kHigh; ++r) {
      const Packet<T> left = spread(a[r * a_row]);
      FRAMEJIT_UNROLL
      for (int v = 0; v < kWide; ++v) sums[r][v] = packet::pmadd(left, right[v], sums[r][v]);
    }
  }
  FRAMEJIT_UNROLL
  for (int r = 0; r < kHigh; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kWide; ++v) packet::pstoreu(c + r * c_stride + v * kLanes<T>, sums[r][v]);
  }
}

/// All rows of kWide vectors of columns.
template <class T, int kWide>
void multiply_small_columns(int64_t rows, int64_t count, const T* a, int64_t a_row, int64_t a_term,
                            const T* b, int64_t b_stride, T* c, int64_t c_stride) {
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows)
    multiply_small_tile<T, kRows, kWide>(count, a + r * a_row, a_row, a_term, b, b_stride, c + r * c_stride,
                                         c_stride);
  for (; r + 4 <= rows; r += 4)
    multiply_small_tile<T, 4, kWide>(count, a + r * a_row, a_row, a_term, b, b_stride, c + r * c_stride,
                                     c_stride);
  for (; r < rows; ++r)
    multiply_small_tile<T, 1, kWide>(count, a + r * a_row, a_row, a_term, b, b_stride, c + r * c_stride,
                                     c_stride);
}

template <class T>
void multiply_small(int64_t rows, int64_t columns, int64_t count, const T* a, int64_t a_row, int64_t a_term,
                    const T* b, int64_t b_stride, T* c, int64_t c_stride) {
  int64_t j = 0;
  for (; j + kColumns<T> <= columns; j += kColumns<T>)
    multiply_small_columns<T, kVectors>(rows, count, a, a_row, a_term, b + j, b_stride, c + j, c_stride);
  for (; j < columns; j += kLanes<T>)
    multiply_small_columns<T, 1>(rows, count, a, a_row, a_term, b + j, b_stride, c + j, c_stride);
}

template <class T, int kA, int kB>
void dot_tile(int64_t count, const T* a, const T* b, int64_t stride, T* c, int64_t c_stride) {
  Packet<T> sums[kA][kB];
  FRAMEJIT_UNROLL
  for (int i = 0; i < kA; ++i) {
    FRAMEJIT_UNROLL
    for (int j = 0; j < kB; ++j) sums[i][j] = spread(T(0));
  }
  for (int64_t l = 0; l < count; l += kLanes<T>) {
    Packet<T> right[kB];
    FRAMEJIT_UNROLL
    for (int j = 0; j < kB; ++j) right[j] = load(b + j * stride + l);
    FRAMEJIT_UNROLL
    for (int i = 0; i < kA; ++i) {
      const Packet<T> left = load(a + i * stride + l);
      FRAMEJIT_UNROLL
      for (int j = 0; j < kB; ++j) sums[i][j] = packet::pmadd(left, right[j], sums[i][j]);
    }
  }
  FRAMEJIT_UNROLL
  for (int i = 0; i < kA; ++i) {
    FRAMEJIT_UNROLL
    for (int j = 0; j < kB; ++j) c[i * c_stride + j] += packet::predux(sums[i][j]);
  }
}

inline constexpr int kDotRows = 4, kDotColumns = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 4 : 2;

template <class T>
void dot(int64_t a_rows, int64_t b_rows, int64_t count, const T* a, const T* b, int64_t stride, T* c,
         int64_t c_stride) {
  for (int64_t j = 0; j < b_rows;) {
    const bool wide = j + kDotColumns <= b_rows;
    for (int64_t i = 0; i < a_rows;) {
      const bool high = i + kDotRows <= a_rows;
      const T *left = a + i * stride, *right = b + j * stride;
      T* to = c + i * c_stride + j;
      if (high && wide)
        dot_tile<T, kDotRows, kDotColumns>(count, left, right, stride, to, c_stride);
      else if (high)
        dot_tile<T, kDotRows, 1>(count, left, right, stride, to, c_stride);
      else if (wide)
        dot_tile<T, 1, kDotColumns>(count, left, right, stride, to, c_stride);
      else
        dot_tile<T, 1, 1>(count, left, right, stride, to, c_stride);
      i += high ? kDotRows : 1;
    }
    j += wide ? kDotColumns : 1;
  }
}

/// `count` taps, added to what is in `out` where `accumulate`, else to `bias`.
template <class T, int kCount>
void filter_vectors(const T* image, const int64_t* taps, const T* weights, int64_t count, T bias,
                    bool accumulate, T* out) {
  Packet<T> sums[kCount];
  FRAMEJIT_UNROLL
  for (int v = 0; v < kCount; ++v) sums[v] = spread(accumulate ? T(0) : bias);
  for (int64_t k = 0; k < count; ++k) {
    const Packet<T> weight = spread(weights[k]);
    const T* from = image + taps[k];
    FRAMEJIT_UNROLL
    for (int v = 0; v < kCount; ++v) sums[v] = packet::pmadd(weight, load(from + v * kLanes<T>), sums[v]);
  }
  FRAMEJIT_UNROLL
  for (int v = 0; v < kCount; ++v) {
    T* to = out + v * kLanes<T>;
    packet::pstoreu(to, accumulate ? packet::padd(load(to), sums[v]) : sums[v]);
  }
}

/// All taps, in blocks whose sums are added up: one long sum would be less exact.
template <class T, int kCount>
void filter_blocks(const T* image, const int64_t* taps, const T* weights, int64_t count, T bias, T* out) {
  constexpr int64_t kBlock = 256;
  int64_t k = 0;
  do {
    filter_vectors<T, kCount>(image, taps + k, weights + k, std::min(kBlock, count - k), bias, k > 0, out);
    k += kBlock;
  } while (k < count);
}

template <class T>
void filter(const T* image, const int64_t* taps, const T* weights, int64_t count, T bias, int64_t n, T* out) {
  constexpr int kMany = 8, kFew = 2;
  int64_t i = 0;
  for (; i + kMany * kLanes<T> <= n; i += kMany * kLanes<T>)
    filter_blocks<T, kMany>(image + i, taps, weights, count, bias, out + i);
  for (; i + kFew * kLanes<T> <= n; i += kFew * kLanes<T>)
    filter_blocks<T, kFew>(image + i, taps, weights, count, bias, out + i);
  for (; i < n; i += kLanes<T>) filter_blocks<T, 1>(image + i, taps, weights, count, bias, out + i);
}

template <class T>
void split(const T* __restrict row, int64_t pairs, T* __restrict even, T* __restrict odd) {
  for (int64_t i = 0; i < pairs; ++i) {
    even[i] = row[2 * i];
    odd[i] = row[2 * i + 1];
  }
}

/// kCount taps at a time.
template <class T, int kCount>
void correlate_taps(const T* image, const int64_t* taps, const T* grad, int64_t n, double* sums) {
  Packet<T> running[kCount];
  FRAMEJIT_UNROLL
  for (int k = 0; k < kCount; ++k) running[k] = spread(T(0));
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    const Packet<T> left = load(grad + i);
    FRAMEJIT_UNROLL
    for (int k = 0; k < kCount; ++k) running[k] = packet::pmadd(left, load(image + taps[k] + i), running[k]);
  }
  FRAMEJIT_UNROLL
  for (int k = 0; k < kCount; ++k) sums[k] += double(packet::predux(running[k]));
}

template <class T>
void correlate(const T* image, const int64_t* taps, int64_t count, const T* grad, int64_t n, double* sums) {
  for (int64_t k = 0; k < count;) {
    const int64_t left = count - k;
    if (left >= 9)
      correlate_taps<T, 9>(image, taps + k, grad, n, sums + k), k += 9;
    else if (left >= 5)
      correlate_taps<T, 5>(image, taps + k, grad, n, sums + k), k += 5;
    else if (left >= 3)
      correlate_taps<T, 3>(image, taps + k, grad, n, sums + k), k += 3;
    else
      correlate_taps<T, 1>(image, taps + k, grad, n, sums + k), k += 1;
  }
}

template <class T>
inline constexpr cpu::PanelKernels<T> kKernels{kRows,           kColumns<T>,  kLanes<T>,          &pack<T>,
                                               &pack_matrix<T>, &multiply<T>, &multiply_small<T>, &dot<T>,
                                               &filter<T>,      &split<T>,    &correlate<T>};

}  // namespace

#undef FRAMEJIT_UNROLL

extern const cpu::PanelKernels<float> panel_kernels_float;
extern const cpu::PanelKernels<double> panel_kernels_double;
const cpu::PanelKernels<float> panel_kernels_float = kKernels<float>;
const cpu::PanelKernels<double> panel_kernels_double = kKernels<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
