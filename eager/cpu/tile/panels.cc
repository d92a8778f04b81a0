// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/panels.h"

#include <Eigen/Core>
#include <algorithm>

#include "eager/cpu/tile/squares.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

namespace packet = Eigen::internal;

template <class T>
using Packet = typename packet::packet_traits<T>::type;
template <class T>
inline constexpr int kLanes = packet::unpacket_traits<Packet<T>>::size;

// Loops over the registers of a tile must be unrolled, else these are an array in memory.
#define FRAMEJIT_UNROLL _Pragma("GCC unroll 16")

// A tile of the product is kept in registers: kRows x kVectors of them, and a few for the operands.
inline constexpr int kRows = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 6;
inline constexpr int kVectors = 2;
template <class T>
inline constexpr int kColumns = kVectors* kLanes<T>;

template <class T>
Packet<T> load(const T* from) {
  return packet::ploadu<Packet<T>>(from);
}
template <class T>
Packet<T> spread(T value) {
  return packet::pset1<Packet<T>>(value);
}

/// Stretches of neighbours among the pixels of a panel. More than kMost: not worth it.
struct Stretches {
  static constexpr int kMost = 4;
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

template <class T>
void pack(const T* images, const int64_t* taps, int64_t count, const int64_t* pixels, T* panel) {
  const Stretches stretches(pixels, kColumns<T>);
  if (stretches.count == 1) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>) {
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v)
        packet::pstoreu(panel + v * kLanes<T>, load(images + taps[k] + pixels[0] + v * kLanes<T>));
    }
  } else if (stretches.count <= Stretches::kMost) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int s = 0; s < stretches.count; ++s) {
        const T* from = images + taps[k] + pixels[stretches.begin[s]] - stretches.begin[s];
        for (int i = stretches.begin[s]; i < stretches.begin[s + 1]; ++i) panel[i] = from[i];
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
    for (int v = 0; v < kVectors; ++v)
      sums[r][v] = accumulate ? load(c + r * c_stride + v * kLanes<T>) : spread(T(0));
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
    for (int v = 0; v < kVectors; ++v) packet::pstoreu(c + r * c_stride + v * kLanes<T>, sums[r][v]);
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

template <class T>
void filter(const T* image, const int64_t* taps, const T* weights, int64_t count, T bias, int64_t step,
            int64_t n, T* out) {
  int64_t i = 0;
  for (; step == 1 && i + kLanes<T> <= n; i += kLanes<T>) {
    Packet<T> sum = spread(bias);
    for (int64_t k = 0; k < count; ++k)
      sum = packet::pmadd(spread(weights[k]), load(image + taps[k] + i), sum);
    packet::pstoreu(out + i, sum);
  }
  for (; i < n; ++i) {
    T sum = bias;
    for (int64_t k = 0; k < count; ++k) sum += weights[k] * image[taps[k] + i * step];
    out[i] = sum;
  }
}

template <class T>
inline constexpr cpu::PanelKernels<T> kKernels{kRows,           kColumns<T>,  kLanes<T>, &pack<T>,
                                               &pack_matrix<T>, &multiply<T>, &dot<T>,   &filter<T>};

}  // namespace

#undef FRAMEJIT_UNROLL

extern const cpu::PanelKernels<float> panel_kernels_float;
extern const cpu::PanelKernels<double> panel_kernels_double;
const cpu::PanelKernels<float> panel_kernels_float = kKernels<float>;
const cpu::PanelKernels<double> panel_kernels_double = kKernels<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
