// The steps of Stockham's algorithm over blocks of lines.
#pragma once

#include <algorithm>

#include "eager/cpu/fft/kernels.h"
#include "eager/cpu/tile/butterflies.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

/// Elements of a number of butterflies: element k of the i-th is `k * apart + i * next` elements further on.
template <class T>
struct Grid {
  T* data;
  int64_t apart, next;

  T* at(int64_t k, int64_t i) const { return data + (k * apart + i * next) * kElement<T>; }
};

/// What the results of the i-th butterfly are multiplied by: the j-th by roots[j * (first + i * next)].
template <class T>
struct Twiddles {
  const std::complex<T>* roots;
  int64_t first, next;

  bool ones() const { return first == 0 && next == 0; }
};

/// All radices that have a butterfly of their own. `roots` are those of the radix.
template <int kRadix, class T>
[[gnu::always_inline]] inline void transform_few(Element<T> (&a)[kRadix], const std::complex<T>* roots) {
  if constexpr (kRadix % 2 == 1)
    odd_butterfly<kRadix>(a, roots);
  else
    butterfly(a);
}

template <int kRadix, bool kTwiddled, class T>
void butterflies(Grid<const T> from, Grid<T> to, int64_t count, const Twiddles<T>& twiddles,
                 const std::complex<T>* own_roots) {
  std::complex<T> roots[kRadix % 2 == 1 ? kRadix : 1];
  if constexpr (kRadix % 2 == 1) std::copy_n(own_roots, kRadix, roots);
  const T* in = from.data;
  T* out = to.data;
  int64_t exponent = twiddles.first;
  for (int64_t i = 0; i < count; ++i) {
    Element<T> a[kRadix];
#pragma GCC unroll 16
    for (int k = 0; k < kRadix; ++k) a[k] = Element<T>::load(in + k * from.apart * kElement<T>);
    transform_few<kRadix>(a, roots);
    a[0].store(out);
#pragma GCC unroll 16
    for (int j = 1; j < kRadix; ++j)
      (kTwiddled ? a[j] * twiddles.roots[j * exponent] : a[j]).store(out + j * to.apart * kElement<T>);
    in += from.next * kElement<T>;
    out += to.next * kElement<T>;
    exponent += twiddles.next;
  }
}

/// Any odd radix: what odd_butterfly does, two pairs of results at a time.
template <class T>
void any_butterflies(int radix, Grid<const T> from, Grid<T> to, int64_t count, const Twiddles<T>& twiddles,
                     const std::complex<T>* roots) {
  const int half = radix / 2;
  Element<T> sums[cpu::kLargestRadix / 2], differences[cpu::kLargestRadix / 2];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t exponent = twiddles.first + i * twiddles.next;
    const Element<T> first = Element<T>::load(from.at(0, i));
    Element<T> total = first;
    for (int k = 0; k < half; ++k) {
      const Element<T> a = Element<T>::load(from.at(k + 1, i)),
                       b = Element<T>::load(from.at(radix - 1 - k, i));
      sums[k] = a + b;
      differences[k] = a - b;
      total = total + sums[k];
    }
    total.store(to.at(0, i));
    const auto put = [&](int j, const Element<T>& even, const Element<T>& odd) {
      (minus_i_times(even, odd) * twiddles.roots[j * exponent]).store(to.at(j, i));
      (plus_i_times(even, odd) * twiddles.roots[(radix - j) * exponent]).store(to.at(radix - j, i));
    };
    for (int j = 1; j <= half; j += 2) {
      const int other = std::min(j + 1, half);
      Element<T> even = first, odd{}, other_even = first, other_odd{};
      for (int k = 0, power = j, other_power = other; k < half; ++k) {
        even = even + sums[k] * roots[power].real();
        odd = odd - differences[k] * roots[power].imag();
        other_even = other_even + sums[k] * roots[other_power].real();
        other_odd = other_odd - differences[k] * roots[other_power].imag();
        if ((power += j) >= radix) power -= radix;
        if ((other_power += other) >= radix) other_power -= radix;
      }
      put(j, even, odd);
      put(other, other_even, other_odd);
    }
  }
}

template <int kRadix, class T>
void step_of(Grid<const T> from, Grid<T> to, int64_t count, const Twiddles<T>& twiddles,
             const std::complex<T>* roots) {
  if (twiddles.ones())
    butterflies<kRadix, false>(from, to, count, twiddles, roots);
  else
    butterflies<kRadix, true>(from, to, count, twiddles, roots);
}

/// `count` butterflies of any radix that factorize() of fft/plan.cc may choose; `roots` are those of the radix.
template <class T>
void step(int radix, Grid<const T> from, Grid<T> to, int64_t count, const Twiddles<T>& twiddles,
          const std::complex<T>* roots) {
  switch (radix) {
    case 2:
      return step_of<2>(from, to, count, twiddles, roots);
    case 3:
      return step_of<3>(from, to, count, twiddles, roots);
    case 4:
      return step_of<4>(from, to, count, twiddles, roots);
    case 5:
      return step_of<5>(from, to, count, twiddles, roots);
    case 7:
      return step_of<7>(from, to, count, twiddles, roots);
    case 8:
      return step_of<8>(from, to, count, twiddles, roots);
    case 11:
      return step_of<11>(from, to, count, twiddles, roots);
    case 13:
      return step_of<13>(from, to, count, twiddles, roots);
    case 16:
      return step_of<16>(from, to, count, twiddles, roots);
    default:
      return any_butterflies(radix, from, to, count, twiddles, roots);
  }
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
