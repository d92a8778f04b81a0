// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/images/patch_kernels.h"

#include <algorithm>
#include <cstring>

#include "eager/cpu/tile/panel_tile.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

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
/// A few elements, at least one, by moves that may overlap: short rows are not worth a call of memcpy.
template <class T>
[[gnu::always_inline]] inline void copy_few(const T* source, T* target, int64_t n) {
  const char* from = reinterpret_cast<const char*>(source);
  char* to = reinterpret_cast<char*>(target);
  int64_t bytes = n * int64_t(sizeof(T));
  for (; bytes > 128; bytes -= 64, from += 64, to += 64) std::memcpy(to, from, 64);
  if (bytes >= 64) return copy_ends<64>(from, to, bytes);
  if (bytes >= 32) return copy_ends<32>(from, to, bytes);
  if (bytes >= 16) return copy_ends<16>(from, to, bytes);
  if (bytes >= 8) return copy_ends<8>(from, to, bytes);
  if (n > 0) *target = *source;
}

/// A stretch by whole vectors: what is behind its end is overwritten by what comes next.
template <class T>
[[gnu::always_inline]] inline void copy_on(const T* from, T* to, int n) {
  packet::pstoreu(to, load(from));
  if (n > kLanes<T>) packet::pstoreu(to + kLanes<T>, load(from + kLanes<T>));
}

template <class T>
void pack(const T* images, const int64_t* taps, int64_t count, const int64_t* pixels, int64_t valid,
          bool reads_on, T* panel) {
  const Stretches stretches(pixels, int(reads_on ? kColumns<T> : valid));
  if (stretches.count == 1 && reads_on) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>) {
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v)
        packet::pstoreu(panel + v * kLanes<T>, load(images + taps[k] + pixels[0] + v * kLanes<T>));
    }
    return;
  }
  if (stretches.count <= Stretches::kMost && reads_on) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int s = 0; s < stretches.count; ++s) {
        const int begin = stretches.begin[s];
        copy_on(images + taps[k] + pixels[begin], panel + begin, stretches.begin[s + 1] - begin);
      }
    return;
  }
  if (valid < kColumns<T>) std::fill_n(panel, count * kColumns<T>, T(0));
  if (stretches.count <= Stretches::kMost) {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int s = 0; s < stretches.count; ++s) {
        const int begin = stretches.begin[s];
        copy_few(images + taps[k] + pixels[begin], panel + begin, stretches.begin[s + 1] - begin);
      }
  } else {
    for (int64_t k = 0; k < count; ++k, panel += kColumns<T>)
      for (int64_t i = 0; i < valid; ++i) panel[i] = images[taps[k] + pixels[i]];
  }
}

/// How to read the vectors of a panel whose pixels lie in several stretches: each vector from kPieces places, of
/// which each later one counts from some lane on.
template <class T, int kPieces>
struct Pieces {
  int64_t offset[kVectors][kPieces];
  Packet<T> later[kVectors]
                 [kPieces];  ///< all ones in lanes that this piece or a later one fills; none for piece 0

  explicit Pieces(const int64_t* pixels) {
    for (int v = 0; v < kVectors; ++v) {
      const int64_t* from = pixels + v * kLanes<T>;
      int starts[kPieces] = {}, count = 1;
      for (int i = 1; i < kLanes<T>; ++i)
        if (from[i] != from[i - 1] + 1) starts[count++] = i;
      for (int p = 0; p < kPieces; ++p) {
        const bool present = p < count;
        offset[v][p] = present ? from[starts[p]] - starts[p] : from[0];
        unsigned char bits[sizeof(T) * kLanes<T>] = {};
        if (present && p > 0) std::fill(bits + starts[p] * sizeof(T), bits + sizeof bits, 255);
        std::memcpy(&later[v][p], bits, sizeof bits);
      }
    }
  }
  [[gnu::always_inline]] Packet<T> read(const T* images, int v) const {
    Packet<T> value = load(images + offset[v][0]);
    FRAMEJIT_UNROLL
    for (int p = 1; p < kPieces; ++p)
      value = packet::pselect(later[v][p], load(images + offset[v][p]), value);
    return value;
  }
};

template <class T, int kPieces>
void multiply_patches(int64_t row_panels, int64_t count, const T* a, const T* images, const int64_t* taps,
                      const int64_t* pixels, T* c, int64_t c_stride, bool accumulate) {
  const Pieces<T, kPieces> pieces(pixels);
  for (int64_t i = 0; i < row_panels; ++i, c += kRows * c_stride) {
    Tile<T> tile;
    for (int64_t k = 0; k < count; ++k, a += kRows) {
      Packet<T> right[kVectors];
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = pieces.read(images + taps[k], v);
      tile.add(a, right);
    }
    tile.store(c, c_stride, accumulate);
  }
}

/// The most stretches that a vector of pixels has.
template <class T>
int most_pieces(const int64_t* pixels) {
  int most = 0;
  for (int v = 0; v < kVectors; ++v)
    most = std::max(most, Stretches(pixels + v * kLanes<T>, kLanes<T>).count);
  return most;
}

template <class T>
bool multiply_in_place(int64_t row_panels, int64_t count, const T* a, const T* images, const int64_t* taps,
                       const int64_t* pixels, T* c, int64_t c_stride, bool accumulate) {
  // Packing is done once, these loads for each panel of rows.
  constexpr int64_t kMostLoads = 16;
  const int pieces = most_pieces<T>(pixels);
  if (pieces > 3 || pieces * row_panels > kMostLoads) return false;
  const auto multiply = pieces == 1   ? &multiply_patches<T, 1>
                        : pieces == 2 ? &multiply_patches<T, 2>
                                      : &multiply_patches<T, 3>;
  multiply(row_panels, count, a, images, taps, pixels, c, c_stride, accumulate);
  return true;
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

/// kHigh neighbouring rows of kWide vectors. What lies in the middle is seen by all of them, and loaded once.
template <class T, int kHigh, int kWide>
void filter_tile(const T* image, int64_t row_distance, int64_t kernel_rows, int64_t kernel_columns,
                 int64_t column_step, const T* weights, T bias, T* out, int64_t out_distance) {
  Packet<T> sums[kHigh][kWide];
  FRAMEJIT_UNROLL
  for (int r = 0; r < kHigh; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kWide; ++v) sums[r][v] = spread(bias);
  }
  for (int64_t y = 0; y < kernel_rows + kHigh - 1; ++y, image += row_distance) {
    if (y >= kHigh - 1 && y < kernel_rows) {
      for (int64_t x = 0; x < kernel_columns; ++x) {
        Packet<T> seen[kWide];
        FRAMEJIT_UNROLL
        for (int v = 0; v < kWide; ++v) seen[v] = load(image + x * column_step + v * kLanes<T>);
        FRAMEJIT_UNROLL
        for (int r = 0; r < kHigh; ++r) {
          const Packet<T> weight = spread(weights[(y - r) * kernel_columns + x]);
          FRAMEJIT_UNROLL
          for (int v = 0; v < kWide; ++v) sums[r][v] = packet::pmadd(weight, seen[v], sums[r][v]);
        }
      }
      continue;
    }
    FRAMEJIT_UNROLL
    for (int r = 0; r < kHigh; ++r) {
      if (y < r || y - r >= kernel_rows) continue;
      for (int64_t x = 0; x < kernel_columns; ++x) {
        const Packet<T> weight = spread(weights[(y - r) * kernel_columns + x]);
        FRAMEJIT_UNROLL
        for (int v = 0; v < kWide; ++v)
          sums[r][v] = packet::pmadd(weight, load(image + x * column_step + v * kLanes<T>), sums[r][v]);
      }
    }
  }
  FRAMEJIT_UNROLL
  for (int r = 0; r < kHigh; ++r) {
    FRAMEJIT_UNROLL
    for (int v = 0; v < kWide; ++v) packet::pstoreu(out + r * out_distance + v * kLanes<T>, sums[r][v]);
  }
}

template <class T>
void filter_rows(const T* image, int64_t row_distance, int64_t rows, int64_t width, int64_t kernel_rows,
                 int64_t kernel_columns, int64_t column_step, const T* weights, T bias, T* out,
                 int64_t out_distance) {
  constexpr int kHigh = 4;
  for (int64_t y = 0; y < rows;) {
    const bool high = y + kHigh <= rows;
    for (int64_t x = 0; x < width;) {
      const bool wide = width - x > kLanes<T>;
      const auto tile = high ? (wide ? &filter_tile<T, kHigh, 2> : &filter_tile<T, kHigh, 1>)
                             : (wide ? &filter_tile<T, 1, 2> : &filter_tile<T, 1, 1>);
      tile(image + y * row_distance + x, row_distance, kernel_rows, kernel_columns, column_step, weights,
           bias, out + y * out_distance + x, out_distance);
      x += wide ? 2 * kLanes<T> : kLanes<T>;
    }
    y += high ? kHigh : 1;
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
void split(int64_t rows, const T* __restrict from, int64_t distance, int64_t pairs, T* __restrict even,
           T* __restrict odd, int64_t to_distance) {
  for (; rows > 0; --rows, from += distance, even += to_distance, odd += to_distance)
    for (int64_t i = 0; i < pairs; ++i) {
      even[i] = from[2 * i];
      odd[i] = from[2 * i + 1];
    }
}

template <class T>
void zip(int64_t rows, const T* __restrict even, int64_t even_distance, const T* __restrict odd,
         int64_t odd_distance, int64_t pairs, T* __restrict to, int64_t to_distance) {
  for (; rows > 0; --rows, even += even_distance, odd += odd_distance, to += to_distance)
    for (int64_t i = 0; i < pairs; ++i) {
      to[2 * i] = even[i];
      to[2 * i + 1] = odd[i];
    }
}

template <class T>
void copy_rows(int64_t rows, int64_t width, const T* from, int64_t distance, T* to, int64_t to_distance) {
  for (; rows > 0; --rows, from += distance, to += to_distance) copy_few(from, to, width);
}

template <class T>
void copy_stretches(int64_t stretches, const T* from, const int64_t* offsets, const int64_t* lengths, T* to) {
  for (int64_t s = 0; s < stretches; to += lengths[s], ++s) copy_few(from + offsets[s], to, lengths[s]);
}

template <class T>
inline constexpr cpu::PatchKernels<T> kKernels{&pack<T>,        &multiply_in_place<T>, &filter<T>,
                                               &filter_rows<T>, &correlate<T>,         &split<T>,
                                               &zip<T>,         &copy_rows<T>,         &copy_stretches<T>};

}  // namespace

#undef FRAMEJIT_UNROLL

extern const cpu::PatchKernels<float> patch_kernels_float;
extern const cpu::PatchKernels<double> patch_kernels_double;
const cpu::PatchKernels<float> patch_kernels_float = kKernels<float>;
const cpu::PatchKernels<double> patch_kernels_double = kKernels<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
