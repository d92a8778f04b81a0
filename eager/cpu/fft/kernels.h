// Loops of Fourier transforms over blocks: several lines at once, one in each lane of a vector. Compiled once
// per instruction set (cpu/tile/fft.cc).
//
// A block of n elements is n times `lanes` real parts and as many imaginary parts.
#pragma once

#include <complex>
#include <cstdint>

namespace framejit::eager::cpu {

inline constexpr int64_t kMostLanes = 16;
inline constexpr int kLargestRadix = 127;

/// Where the lines of a block lie in memory. Element k of line l has its real part at
/// base[offsets[l] + k * step] and its imaginary part `imaginary` further on (0: it is zero, and not stored).
template <class T>
struct Lines {
  T* base;
  const int64_t* offsets;
  int64_t count;  ///< at most `lanes`
  int64_t step;
  int64_t imaginary;
  /// Real and imaginary parts change places. A transform between two exchanges is the backward one.
  bool exchanged;
  /// How far behind these the lines lie that come next, 0: nowhere. They are asked for as these are read or written:
  /// the machine foresees one stream of addresses better than as many as a block has lines.
  int64_t ahead = 0;
};

/// What transforms lines of n elements: steps whose radices have the product n.
template <class T>
struct Steps {
  using Complex = std::complex<T>;
  struct Step {
    int radix;             ///< 2, 4, 8, 16 or an odd number up to kLargestRadix
    const Complex* roots;  ///< exp(-2 pi i k / radix)
  };
  const Step* steps;
  int64_t count;
  int64_t n;
  const Complex* roots;  ///< exp(-2 pi i k / n)
};

/// T: float or double.
template <class T>
struct FftKernels {
  using Complex = std::complex<T>;
  int64_t lanes;  ///< at most kMostLanes
  void (*load)(const Lines<T>& lines, int64_t n, T* block);
  void (*store)(const Lines<T>& lines, int64_t n, const T* block, T factor);
  /// Transforms `block`, or the lines `from` where there are some, to the lines `to` where there are some.
  /// Returns where the result is otherwise: in `block` or in `scratch`.
  T* (*transform)(const Steps<T>& steps, const Lines<T>* from, const Lines<T>* to, T factor, T* block,
                  T* scratch);
  /// Each element of all lines by one factor; parts may be exchanged before and after.
  void (*multiply)(int64_t n, const Complex* factors, bool exchanged_before, bool exchanged_after, T* block);
  /// Each element of each line by its own factor, of a block of factors.
  void (*twist)(int64_t n, const T* factors, T* block);
  /// From the transform of lines of n / 2 = half complex numbers, which are pairs of real ones, the first
  /// half + 1 elements of the transform of the real lines, in place; roots: those of n.
  void (*split_real)(int64_t half, const Complex* roots, T* block);
  /// What the backward transform of length half makes those pairs of, in place; parts exchanged.
  void (*join_real)(int64_t half, const Complex* roots, T* block);
  /// All of the n elements of the transform of real lines from the first n / 2 + 1; parts exchanged.
  void (*mirror)(int64_t n, T* block);
};

/// Those of the chosen instruction set.
template <class T>
const FftKernels<T>& fft_kernels();

}  // namespace framejit::eager::cpu
