// The steps of Stockham's algorithm over blocks of lines (cpu/fft/kernels.h).
#pragma once

#include <complex>

#include "eager/cpu/tile/squares.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

// What is not inlined passes elements through memory.
#define FRAMEJIT_INLINE [[gnu::always_inline]] inline

/// Lines of a block.
template <class T>
inline constexpr int kFftLanes = 64 / int(sizeof(T));
template <class T>
using Parts = typename Square<T, kFftLanes<T>, 2>::Row;

/// One element of every line.
template <class T>
struct Element {
  Parts<T> real, imaginary;

  FRAMEJIT_INLINE static Element load(const T* from) {
    Element x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  FRAMEJIT_INLINE void store(T* to) const { std::memcpy(to, this, sizeof *this); }
  FRAMEJIT_INLINE Element exchanged() const { return {imaginary, real}; }
};
template <class T>
inline constexpr int kElement = 2 * kFftLanes<T>;

template <class T>
FRAMEJIT_INLINE Element<T> operator+(const Element<T>& a, const Element<T>& b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <class T>
FRAMEJIT_INLINE Element<T> operator-(const Element<T>& a, const Element<T>& b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
template <class T>
FRAMEJIT_INLINE Element<T> operator*(const Element<T>& a, T factor) {
  return {a.real * factor, a.imaginary * factor};
}
template <class T>
FRAMEJIT_INLINE Element<T> operator*(const Element<T>& a, std::complex<T> b) {
  return {a.real * b.real() - a.imaginary * b.imag(), a.real * b.imag() + a.imaginary * b.real()};
}
template <class T>
FRAMEJIT_INLINE Element<T> operator*(const Element<T>& a, const Element<T>& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
template <class T>
FRAMEJIT_INLINE Element<T> times_minus_i(const Element<T>& a) {
  return {a.imaginary, -a.real};
}
template <class T>
FRAMEJIT_INLINE Element<T> conjugate(const Element<T>& a) {
  return {a.real, -a.imaginary};
}

/// The transform of the elements of `a`, in place.
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[2]) {
  const Element<T> difference = a[0] - a[1];
  a[0] = a[0] + a[1];
  a[1] = difference;
}
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[3]) {
  constexpr T half_root = T(0.86602540378443864676);  // sin(2 pi / 3)
  const Element<T> sum = a[1] + a[2], turned = times_minus_i(a[1] - a[2]) * half_root;
  const Element<T> middle = a[0] - sum * T(0.5);
  a[0] = a[0] + sum;
  a[1] = middle + turned;
  a[2] = middle - turned;
}
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[4]) {
  const Element<T> even = a[0] + a[2], even_difference = a[0] - a[2];
  const Element<T> odd = a[1] + a[3], odd_difference = times_minus_i(a[1] - a[3]);
  a[0] = even + odd;
  a[1] = even_difference + odd_difference;
  a[2] = even - odd;
  a[3] = even_difference - odd_difference;
}
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[5]) {
  constexpr T c1 = T(0.30901699437494742410), c2 = T(-0.80901699437494742410);  // cos(2 pi k / 5)
  constexpr T s1 = T(0.95105651629515357212), s2 = T(0.58778525229247312917);   // sin(2 pi k / 5)
  const Element<T> sum1 = a[1] + a[4], sum2 = a[2] + a[3];
  const Element<T> difference1 = times_minus_i(a[1] - a[4]), difference2 = times_minus_i(a[2] - a[3]);
  const Element<T> outer = a[0] + sum1 * c1 + sum2 * c2, inner = a[0] + sum1 * c2 + sum2 * c1;
  const Element<T> outer_turn = difference1 * s1 + difference2 * s2;
  const Element<T> inner_turn = difference1 * s2 - difference2 * s1;
  a[0] = a[0] + sum1 + sum2;
  a[1] = outer + outer_turn;
  a[2] = inner + inner_turn;
  a[3] = inner - inner_turn;
  a[4] = outer - outer_turn;
}
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[8]) {
  constexpr T root = T(0.70710678118654752440);  // exp(-i pi / 4) = root - i root
  Element<T> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  butterfly(even);
  butterfly(odd);
  odd[1] = (odd[1] + times_minus_i(odd[1])) * root;
  odd[2] = times_minus_i(odd[2]);
  odd[3] = (times_minus_i(odd[3]) - odd[3]) * root;
  for (int j = 0; j < 4; ++j) {
    a[j] = even[j] + odd[j];
    a[j + 4] = even[j] - odd[j];
  }
}

/// `stride` interleaved transforms of length n become `kRadix` times as many of length n / kRadix.
template <int kRadix, class T>
void step(int64_t n, int64_t stride, const std::complex<T>* roots, const T* from, T* to) {
  const int64_t part = n / kRadix;
  for (int64_t p = 0; p < part; ++p)
    for (int64_t q = 0; q < stride; ++q) {
      Element<T> a[kRadix];
#pragma GCC unroll 8
      for (int k = 0; k < kRadix; ++k)
        a[k] = Element<T>::load(from + (q + stride * (p + k * part)) * kElement<T>);
      butterfly(a);
      T* out = to + (q + stride * kRadix * p) * kElement<T>;
      a[0].store(out);
      if (p > 0) {
#pragma GCC unroll 8
        for (int j = 1; j < kRadix; ++j) a[j] = a[j] * roots[j * p * stride];
      }
#pragma GCC unroll 8
      for (int j = 1; j < kRadix; ++j) a[j].store(out + stride * j * kElement<T>);
    }
}

inline constexpr int kLargestRadix = 23;

/// Any radix, by the definition; `roots` are those of the whole length, `total` of them.
template <class T>
void step_any(int radix, int64_t n, int64_t stride, int64_t total, const std::complex<T>* roots,
              const T* from, T* to) {
  const int64_t part = n / radix;
  for (int64_t p = 0; p < part; ++p)
    for (int64_t q = 0; q < stride; ++q) {
      Element<T> a[kLargestRadix];
      for (int k = 0; k < radix; ++k)
        a[k] = Element<T>::load(from + (q + stride * (p + k * part)) * kElement<T>);
      for (int j = 0; j < radix; ++j) {
        Element<T> sum = a[0];
        for (int k = 1; k < radix; ++k) sum = sum + a[k] * roots[total / radix * (j * k % radix)];
        (sum * roots[j * p * stride]).store(to + (q + stride * (radix * p + j)) * kElement<T>);
      }
    }
}

#undef FRAMEJIT_INLINE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
