// Loops of Fourier transforms over blocks: several lines at once, one in each lane of a vector. Compiled once
// per instruction set (cpu/tile/fft.cc).
//
// A block of n elements is n times `lanes` real parts and as many imaginary parts.
#pragma once

#include <complex>
#include <cstdint>

namespace framejit::eager::cpu {

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
};

/// T: float or double.
template <class T>
struct FftKernels {
  using Complex = std::complex<T>;
  int64_t lanes;
  void (*load)(const Lines<T>& lines, int64_t n, T* block);
  void (*store)(const Lines<T>& lines, int64_t n, const T* block, T factor);
  /// Transforms a block by steps of these radices, whose product is n; roots: exp(-2 pi i k / n). Returns the
  /// one of the two where the result is.
  T* (*transform)(const int* radices, int64_t count, int64_t n, const Complex* roots, T* block, T* scratch);
  /// Each element of all lines by one factor; parts may be exchanged before and after.
  void (*multiply)(int64_t n, const Complex* factors, bool exchanged_before, bool exchanged_after, T* block);
  /// Each element of each line by its own factor, of a block of factors.
  void (*twist)(int64_t n, const T* factors, T* block);
  /// From the transform of lines of n / 2 = half complex numbers, which are pairs of real ones, the first
  /// half + 1 elements of the transform of the real lines; roots: those of n.
  void (*split_real)(int64_t half, const Complex* roots, const T* pairs, T* block);
  /// What the backward transform of length half makes those pairs of; parts exchanged.
  void (*join_real)(int64_t half, const Complex* roots, const T* block, T* pairs);
  /// All of the n elements of the transform of real lines from the first n / 2 + 1; parts exchanged.
  void (*mirror)(int64_t n, T* block);
};

/// Those of the chosen instruction set.
template <class T>
const FftKernels<T>& fft_kernels();

}  // namespace framejit::eager::cpu
