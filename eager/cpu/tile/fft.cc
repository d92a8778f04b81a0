// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/fft/kernels.h"

#include <algorithm>

#include "eager/cpu/tile/butterflies.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

template <class T>
using Complexes = Square<T, kFftLanes<T>, 2>;  ///< half as many complex numbers as a block has lines

/// Complex numbers in a row, and the same with their parts sorted.
template <class T, int... kLane>
Element<T> sorted_parts(const Parts<T>& first, const Parts<T>& second, std::integer_sequence<int, kLane...>) {
  return {__builtin_shufflevector(first, second, (2 * kLane)...),
          __builtin_shufflevector(first, second, (2 * kLane + 1)...)};
}
template <class T, int... kLane>
void merge_parts(const Element<T>& x, Parts<T>& first, Parts<T>& second,
                 std::integer_sequence<int, kLane...>) {
  constexpr int lanes = kFftLanes<T>;
  first = __builtin_shufflevector(x.real, x.imaginary, (kLane / 2 + kLane % 2 * lanes)...);
  second = __builtin_shufflevector(x.real, x.imaginary, (lanes / 2 + kLane / 2 + kLane % 2 * lanes)...);
}
template <class T>
using EachLane = std::make_integer_sequence<int, kFftLanes<T>>;

/// How lines lie, of what there is a fast way for.
enum class Layout : uint8_t { complex_columns, part_columns, complex_rows, other };

template <class T>
Layout layout_of(const cpu::Lines<T>& lines) {
  if (lines.count != kFftLanes<T>) return Layout::other;
  if (lines.step == 2 && lines.imaginary == 1) return Layout::complex_rows;
  const int64_t distance = lines.offsets[1] - lines.offsets[0];
  for (int64_t l = 2; l < lines.count; ++l)
    if (lines.offsets[l] - lines.offsets[l - 1] != distance) return Layout::other;
  if (distance == 2 && lines.imaginary == 1) return Layout::complex_columns;
  return distance == 1 ? Layout::part_columns : Layout::other;
}

template <class T>
void load_elements(const cpu::Lines<T>& lines, int64_t begin, int64_t n, T* block) {
  for (int64_t k = begin; k < n; ++k) {
    T* to = block + k * kElement<T>;
    std::fill_n(to, kElement<T>, T(0));
    for (int64_t l = 0; l < lines.count; ++l) {
      const T* from = lines.base + lines.offsets[l] + k * lines.step;
      to[l + (lines.exchanged ? kFftLanes<T> : 0)] = from[0];
      if (lines.imaginary != 0) to[l + (lines.exchanged ? 0 : kFftLanes<T>)] = from[lines.imaginary];
    }
  }
}

/// Squares of complex numbers of the first and of the second half of the lines.
template <class T>
int64_t load_rows(const cpu::Lines<T>& lines, int64_t n, T* block) {
  using Small = Complexes<T>;
  constexpr int size = Small::kSize;
  int64_t k = 0;
  for (; k + size <= n; k += size) {
    typename Small::Row first[size], second[size];
#pragma GCC unroll 8
    for (int l = 0; l < size; ++l) {
      first[l] = Small::load(lines.base + lines.offsets[l] + 2 * k);
      second[l] = Small::load(lines.base + lines.offsets[l + size] + 2 * k);
    }
    Small::transpose(first);
    Small::transpose(second);
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i) {
      const Element<T> x = sorted_parts<T>(first[i], second[i], EachLane<T>());
      (lines.exchanged ? x.exchanged() : x).store(block + (k + i) * kElement<T>);
    }
  }
  return k;
}

template <class T>
void load(const cpu::Lines<T>& lines, int64_t n, T* block) {
  using Small = Complexes<T>;
  const Layout layout = layout_of(lines);
  int64_t begin = 0;
  if (layout == Layout::complex_rows) begin = load_rows(lines, n, block);
  if (layout == Layout::complex_rows || layout == Layout::other) return load_elements(lines, begin, n, block);
  for (int64_t k = 0; k < n; ++k) {
    const T* from = lines.base + lines.offsets[0] + k * lines.step;
    Element<T> x{};
    if (layout == Layout::complex_columns) {
      x = sorted_parts<T>(Small::load(from), Small::load(from + kFftLanes<T>), EachLane<T>());
    } else {
      x.real = Small::load(from);
      if (lines.imaginary != 0) x.imaginary = Small::load(from + lines.imaginary);
    }
    (lines.exchanged ? x.exchanged() : x).store(block + k * kElement<T>);
  }
}

template <class T>
void store_elements(const cpu::Lines<T>& lines, int64_t begin, int64_t n, const T* block, T factor) {
  for (int64_t k = begin; k < n; ++k) {
    const T* from = block + k * kElement<T>;
    for (int64_t l = 0; l < lines.count; ++l) {
      T* to = lines.base + lines.offsets[l] + k * lines.step;
      to[0] = from[l + (lines.exchanged ? kFftLanes<T> : 0)] * factor;
      if (lines.imaginary != 0) to[lines.imaginary] = from[l + (lines.exchanged ? 0 : kFftLanes<T>)] * factor;
    }
  }
}

template <class T>
int64_t store_rows(const cpu::Lines<T>& lines, int64_t n, const T* block, T factor) {
  using Small = Complexes<T>;
  constexpr int size = Small::kSize;
  int64_t k = 0;
  for (; k + size <= n; k += size) {
    typename Small::Row first[size], second[size];
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i) {
      const Element<T> x = Element<T>::load(block + (k + i) * kElement<T>) * factor;
      merge_parts<T>(lines.exchanged ? x.exchanged() : x, first[i], second[i], EachLane<T>());
    }
    Small::transpose(first);
    Small::transpose(second);
#pragma GCC unroll 8
    for (int l = 0; l < size; ++l) {
      Small::store(first[l], lines.base + lines.offsets[l] + 2 * k);
      Small::store(second[l], lines.base + lines.offsets[l + size] + 2 * k);
    }
  }
  return k;
}

template <class T>
void store(const cpu::Lines<T>& lines, int64_t n, const T* block, T factor) {
  using Small = Complexes<T>;
  const Layout layout = layout_of(lines);
  int64_t begin = 0;
  if (layout == Layout::complex_rows) begin = store_rows(lines, n, block, factor);
  if (layout == Layout::complex_rows || layout == Layout::other)
    return store_elements(lines, begin, n, block, factor);
  for (int64_t k = 0; k < n; ++k) {
    T* to = lines.base + lines.offsets[0] + k * lines.step;
    const Element<T> x = Element<T>::load(block + k * kElement<T>) * factor;
    const Element<T> out = lines.exchanged ? x.exchanged() : x;
    if (layout == Layout::complex_columns) {
      Parts<T> first, second;
      merge_parts<T>(out, first, second, EachLane<T>());
      Small::store(first, to);
      Small::store(second, to + kFftLanes<T>);
    } else {
      Small::store(out.real, to);
      if (lines.imaginary != 0) Small::store(out.imaginary, to + lines.imaginary);
    }
  }
}

template <class T>
T* transform(const int* radices, int64_t count, int64_t n, const std::complex<T>* roots, T* block,
             T* scratch) {
  const int64_t total = n;
  int64_t stride = 1;
  for (int64_t i = 0; i < count; ++i) {
    switch (radices[i]) {
      case 2:
        step<2>(n, stride, roots, block, scratch);
        break;
      case 3:
        step<3>(n, stride, roots, block, scratch);
        break;
      case 4:
        step<4>(n, stride, roots, block, scratch);
        break;
      case 5:
        step<5>(n, stride, roots, block, scratch);
        break;
      case 8:
        step<8>(n, stride, roots, block, scratch);
        break;
      default:
        step_any(radices[i], n, stride, total, roots, block, scratch);
    }
    n /= radices[i];
    stride *= radices[i];
    std::swap(block, scratch);
  }
  return block;
}

template <class T>
void multiply(int64_t n, const std::complex<T>* factors, bool exchanged_before, bool exchanged_after,
              T* block) {
  for (int64_t k = 0; k < n; ++k, block += kElement<T>) {
    const Element<T> x = Element<T>::load(block);
    const Element<T> y = (exchanged_before ? x.exchanged() : x) * factors[k];
    (exchanged_after ? y.exchanged() : y).store(block);
  }
}

template <class T>
void twist(int64_t n, const T* factors, T* block) {
  for (int64_t k = 0; k < n; ++k, block += kElement<T>, factors += kElement<T>)
    (Element<T>::load(block) * Element<T>::load(factors)).store(block);
}

template <class T>
std::complex<T> root_at(const std::complex<T>* roots, int64_t k, int64_t half) {
  return k == half ? std::complex<T>(-1) : roots[k];
}

template <class T>
void split_real(int64_t half, const std::complex<T>* roots, const T* pairs, T* block) {
  for (int64_t k = 0; k <= half; ++k) {
    const Element<T> a = Element<T>::load(pairs + k % half * kElement<T>),
                     b = conjugate(Element<T>::load(pairs + (half - k) % half * kElement<T>));
    const Element<T> even = (a + b) * T(0.5), odd = (a - b) * T(0.5) * root_at(roots, k, half);
    (even + times_minus_i(odd)).store(block + k * kElement<T>);
  }
}

template <class T>
void join_real(int64_t half, const std::complex<T>* roots, const T* block, T* pairs) {
  const auto at = [&](int64_t k) {
    Element<T> x = Element<T>::load(block + k * kElement<T>);
    if (k == 0 || k == half) x.imaginary = Parts<T>{};
    return x;
  };
  for (int64_t k = 0; k < half; ++k) {
    const Element<T> a = at(k), b = conjugate(at(half - k));
    const Element<T> odd = (a - b) * std::conj(root_at(roots, k, half));
    (a + b - times_minus_i(odd)).exchanged().store(pairs + k * kElement<T>);
  }
}

template <class T>
void mirror(int64_t n, T* block) {
  for (int64_t k = 0; k <= n / 2; ++k) {
    Element<T> x = Element<T>::load(block + k * kElement<T>);
    if (k == 0 || 2 * k == n) x.imaginary = Parts<T>{};
    if (k > 0) conjugate(x).exchanged().store(block + (n - k) * kElement<T>);
    x.exchanged().store(block + k * kElement<T>);
  }
}

template <class T>
inline constexpr cpu::FftKernels<T> kKernels{kFftLanes<T>,   &load<T>,      &store<T>,
                                             &transform<T>,  &multiply<T>,  &twist<T>,
                                             &split_real<T>, &join_real<T>, &mirror<T>};

}  // namespace

extern const cpu::FftKernels<float> fft_kernels_float;
extern const cpu::FftKernels<double> fft_kernels_double;
const cpu::FftKernels<float> fft_kernels_float = kKernels<float>;
const cpu::FftKernels<double> fft_kernels_double = kKernels<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
