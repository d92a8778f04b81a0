// Transforms of a few elements each, in registers: one element of every line of a block (cpu/fft/kernels.h).
#pragma once

#include <complex>
#include <utility>

#include "eager/cpu/tile/squares.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

// What is not inlined passes elements through memory.
#define FRAMEJIT_INLINE [[gnu::always_inline]] inline

/// Of a vector register: GCC makes far slower code of wider vectors.
#if defined(__AVX512F__)
inline constexpr int kFftBytes = 64;
#elif defined(__AVX__)
inline constexpr int kFftBytes = 32;
#else
inline constexpr int kFftBytes = 16;
#endif
/// Lines of a block.
template <class T>
inline constexpr int kFftLanes = kFftBytes / int(sizeof(T));
template <class T>
using Parts = typename Square<T, kFftLanes<T>, 2>::Row;

/// One element of every line.
template <class T>
struct Element {
  Parts<T> real, imaginary;

  // Copied part by part: GCC would move the whole through the stack.
  typedef Parts<T> InMemory __attribute__((may_alias));
  FRAMEJIT_INLINE static Element load(const T* from) {
    const auto* parts = reinterpret_cast<const InMemory*>(from);
    return {parts[0], parts[1]};
  }
  FRAMEJIT_INLINE void store(T* to) const {
    auto* parts = reinterpret_cast<InMemory*>(to);
    parts[0] = real;
    parts[1] = imaginary;
  }
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
FRAMEJIT_INLINE Element<T> minus_i_times(const Element<T>& a, const Element<T>& b) {  // a - i b
  return {a.real + b.imaginary, a.imaginary - b.real};
}
template <class T>
FRAMEJIT_INLINE Element<T> plus_i_times(const Element<T>& a, const Element<T>& b) {  // a + i b
  return {a.real - b.imaginary, a.imaginary + b.real};
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
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[4]) {
  const Element<T> even = a[0] + a[2], even_difference = a[0] - a[2];
  const Element<T> odd = a[1] + a[3], odd_difference = a[1] - a[3];
  a[0] = even + odd;
  a[1] = minus_i_times(even_difference, odd_difference);
  a[2] = even - odd;
  a[3] = plus_i_times(even_difference, odd_difference);
}
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[8]) {
  constexpr T root = T(0.70710678118654752440);  // exp(-i pi / 4) = root - i root
  Element<T> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  butterfly(even);
  butterfly(odd);
  odd[1] = minus_i_times(odd[1], odd[1]) * root;
  odd[3] = plus_i_times(odd[3], odd[3]) * root;  // and a minus
  a[0] = even[0] + odd[0];
  a[4] = even[0] - odd[0];
  a[1] = even[1] + odd[1];
  a[5] = even[1] - odd[1];
  a[2] = minus_i_times(even[2], odd[2]);
  a[6] = plus_i_times(even[2], odd[2]);
  a[3] = even[3] - odd[3];
  a[7] = even[3] + odd[3];
}
template <class T>
FRAMEJIT_INLINE void butterfly(Element<T> (&a)[16]) {
  constexpr T root = T(0.70710678118654752440);
  constexpr T c = T(0.92387953251128675613), s = T(0.38268343236508977173);  // exp(-i pi / 8) = c - i s
  Element<T> b[4][4] = {{a[0], a[4], a[8], a[12]},
                        {a[1], a[5], a[9], a[13]},
                        {a[2], a[6], a[10], a[14]},
                        {a[3], a[7], a[11], a[15]}};
  butterfly(b[0]);
  butterfly(b[1]);
  butterfly(b[2]);
  butterfly(b[3]);
  b[1][1] = b[1][1] * std::complex<T>(c, -s);
  b[1][2] = minus_i_times(b[1][2], b[1][2]) * root;
  b[1][3] = b[1][3] * std::complex<T>(s, -c);
  b[2][1] = minus_i_times(b[2][1], b[2][1]) * root;
  b[2][2] = times_minus_i(b[2][2]);
  b[2][3] = plus_i_times(b[2][3], b[2][3]) * -root;
  b[3][1] = b[3][1] * std::complex<T>(s, -c);
  b[3][2] = plus_i_times(b[3][2], b[3][2]) * -root;
  b[3][3] = b[3][3] * std::complex<T>(-c, s);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    Element<T> last[4] = {b[0][j], b[1][j], b[2][j], b[3][j]};
    butterfly(last);
    a[j] = last[0];
    a[j + 4] = last[1];
    a[j + 8] = last[2];
    a[j + 12] = last[3];
  }
}

/// Of an odd number of elements; `roots` are those of kCount.
template <int kCount, class T>
FRAMEJIT_INLINE void odd_butterfly(Element<T> (&a)[kCount], const std::complex<T>* roots) {
  constexpr int half = kCount / 2;
  Element<T> sums[half], differences[half], total = a[0];
#pragma GCC unroll 16
  for (int k = 0; k < half; ++k) {
    sums[k] = a[k + 1] + a[kCount - 1 - k];
    differences[k] = a[k + 1] - a[kCount - 1 - k];
    total = total + sums[k];
  }
#pragma GCC unroll 16
  for (int j = 1; j <= half; ++j) {
    Element<T> even = a[0], odd{};
#pragma GCC unroll 16
    for (int k = 1; k <= half; ++k) {
      const std::complex<T> root = roots[j * k % kCount];
      even = even + sums[k - 1] * root.real();
      odd = odd - differences[k - 1] * root.imag();
    }
    a[j] = minus_i_times(even, odd);
    a[kCount - j] = plus_i_times(even, odd);
  }
  a[0] = total;
}

#undef FRAMEJIT_INLINE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
