// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/matmul/panels.h"

#include <algorithm>
#include <cstring>

#include "eager/cpu/tile/panel_tile.h"
#include "eager/cpu/tile/squares.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

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
  Tile<T> tile;
  for (int64_t k = 0; k < count; ++k, a += kRows, b += kColumns<T>) {
    Packet<T> right[kVectors];
    FRAMEJIT_UNROLL
    for (int v = 0; v < kVectors; ++v) right[v] = load(b + v * kLanes<T>);
    tile.add(a, right);
  }
  tile.store(c, c_stride, accumulate);
}

template <class T>
void multiply(int64_t row_panels, int64_t column_panels, int64_t count, const T* a, const T* b, T* c,
              int64_t c_stride, bool accumulate) {
  for (int64_t j = 0; j < column_panels; ++j)
    for (int64_t i = 0; i < row_panels; ++i)
      multiply_tile(count, a + i * count * kRows, b + j * count * kColumns<T>,
                    c + i * kRows * c_stride + j * kColumns<T>, c_stride, accumulate);
}

/// By one panel of columns, of rows that have not been packed.
template <class T>
void multiply_rows(int64_t row_panels, int64_t count, const T* a, int64_t a_stride, const T* b, T* c,
                   int64_t c_stride, bool accumulate) {
  for (int64_t i = 0; i < row_panels; ++i, a += kRows * a_stride, c += kRows * c_stride) {
    Tile<T> tile;
    for (int64_t k = 0; k < count; ++k) {
      T column[kRows];
      FRAMEJIT_UNROLL
      for (int r = 0; r < kRows; ++r) column[r] = a[r * a_stride + k];
      Packet<T> right[kVectors];
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = load(b + k * kColumns<T> + v * kLanes<T>);
      tile.add(column, right);
    }
    tile.store(c, c_stride, accumulate);
  }
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
      for (int v = 0; v < kWide; ++v) sums[r][v] = multiply_add<T>(left, right[v], sums[r][v]);
    }
  }
  FRAMEJIT_UNROLL
  for (int r = 0; r < kHigh; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kWide; ++v) put<T>(c + r * c_stride + v * kLanes<T>, sums[r][v]);
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

template <class T>
void add_to(T& sum, T x) {
  if constexpr (std::is_integral_v<T>)
    sum = T(std::make_unsigned_t<T>(sum) + std::make_unsigned_t<T>(x));
  else
    sum += x;
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
      for (int j = 0; j < kB; ++j) sums[i][j] = multiply_add<T>(left, right[j], sums[i][j]);
    }
  }
  FRAMEJIT_UNROLL
  for (int i = 0; i < kA; ++i) {
    FRAMEJIT_UNROLL
    for (int j = 0; j < kB; ++j) add_to(c[i * c_stride + j], sum_of<T>(sums[i][j]));
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

template <class T>
inline constexpr cpu::PanelKernels<T> kKernels{
    kRows,        kColumns<T>,       kLanes<T>,          &pack_matrix<T>,
    &multiply<T>, &multiply_rows<T>, &multiply_small<T>, &dot<T>};

}  // namespace

#define FRAMEJIT_PANELS(T, name)                          \
  extern const cpu::PanelKernels<T> panel_kernels_##name; \
  const cpu::PanelKernels<T> panel_kernels_##name = kKernels<T>;
FRAMEJIT_PANELS(float, float)
FRAMEJIT_PANELS(double, double)
FRAMEJIT_PANELS(int32_t, int32)
FRAMEJIT_PANELS(int64_t, int64)
#undef FRAMEJIT_PANELS

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
