// What cpu/fft/kernels.h describes: lines become blocks and back (fft_lines.h), blocks go through steps (fft_steps.h) of
// small transforms (butterflies.h).

// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/fft/kernels.h"

#include <algorithm>

#include "eager/cpu/tile/fft_lines.h"
#include "eager/cpu/tile/fft_steps.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

using cpu::Lines;
using cpu::Steps;

template <class T>
void load(const Lines<T>& lines, int64_t n, T* block) {
  Range<T>(lines).load(0, n, block);
}
template <class T>
void store(const Lines<T>& lines, int64_t n, const T* block, T factor) {
  Range<T>(lines).store(0, n, block, factor);
}

/// The first step, of lines that are loaded chunk by chunk.
template <class T>
void first_step(const Steps<T>& steps, const Range<T>& lines, T* block, T* scratch) {
  const auto [radix, roots] = steps.steps[0];
  const int64_t part = steps.n / radix;
  for (int64_t p = 0; p < part; p += kChunk<T>) {
    for (int64_t k = 0; k < radix; ++k)
      lines.load(p + k * part, kChunk<T>, scratch + k * kChunk<T> * kElement<T>);
    step<T>(radix, {scratch, kChunk<T>, 1}, {block + radix * p * kElement<T>, 1, radix}, kChunk<T>,
            {steps.roots, p, 1}, roots);
  }
}

/// The last step, of which lines are stored chunk by chunk.
template <class T>
void last_step(const Steps<T>& steps, const Range<T>& lines, const T* block, T* scratch, T factor) {
  const auto [radix, roots] = steps.steps[steps.count - 1];
  const int64_t stride = steps.n / radix;
  for (int64_t q = 0; q < stride; q += kChunk<T>) {
    step<T>(radix, {block + q * kElement<T>, stride, 1}, {scratch, kChunk<T>, 1}, kChunk<T>,
            {steps.roots, 0, 0}, roots);
    for (int64_t j = 0; j < radix; ++j)
      lines.store(q + j * stride, kChunk<T>, scratch + j * kChunk<T> * kElement<T>, factor);
  }
}

/// `stride` interleaved transforms of length n become `radix` times as many of length n / radix.
template <class T>
void inner_step(const Steps<T>& steps, int64_t index, int64_t n, int64_t stride, const T* from, T* to) {
  const auto [radix, roots] = steps.steps[index];
  const int64_t part = n / radix;
  if (stride >= part) {
    for (int64_t p = 0; p < part; ++p)
      step<T>(radix, {from + p * stride * kElement<T>, part * stride, 1},
              {to + radix * p * stride * kElement<T>, stride, 1}, stride, {steps.roots, p * stride, 0},
              roots);
  } else {
    for (int64_t q = 0; q < stride; ++q)
      step<T>(radix, {from + q * kElement<T>, part * stride, stride},
              {to + q * kElement<T>, stride, radix * stride}, part, {steps.roots, 0, stride}, roots);
  }
}

template <class T>
T* transform(const Steps<T>& steps, const Lines<T>* from, const Lines<T>* to, T factor, T* block,
             T* scratch) {
  // Whether a step goes together with loading or storing: not if chunks overlap, which wastes more than it saves.
  const auto merged = [&](int64_t index) {
    return steps.count > 1 && steps.n / steps.steps[index].radix % kChunk<T> == 0;
  };
  int64_t first = 0, last = steps.count, n = steps.n;
  if (from && merged(0)) {
    first_step(steps, Range<T>(*from), block, scratch);
    n /= steps.steps[first++].radix;
  } else if (from) {
    load(*from, n, block);
  }
  if (to && merged(last - 1)) --last;
  for (; first < last; ++first) {
    inner_step(steps, first, n, steps.n / n, block, scratch);
    n /= steps.steps[first].radix;
    std::swap(block, scratch);
  }
  if (last < steps.count)
    last_step(steps, Range<T>(*to), block, scratch, factor);
  else if (to)
    store(*to, steps.n, block, factor);
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
void split_real(int64_t half, const std::complex<T>* roots, T* block) {
  T *front = block, *back = block + half * kElement<T>;
  const Element<T> first = Element<T>::load(block);
  Element<T>{first.real + first.imaginary, {}}.store(front);
  Element<T>{first.real - first.imaginary, {}}.store(back);
  for (int64_t k = 1; 2 * k <= half; ++k) {
    const Element<T> a = Element<T>::load(front += kElement<T>),
                     b = conjugate(Element<T>::load(back -= kElement<T>));
    const Element<T> even = (a + b) * T(0.5), odd = (a - b) * (roots[k] * T(0.5));
    minus_i_times(even, odd).store(front);
    conjugate(plus_i_times(even, odd)).store(back);
  }
}

template <class T>
void join_real(int64_t half, const std::complex<T>* roots, T* block) {
  T *front = block, *back = block + half * kElement<T>;
  const Parts<T> first = Element<T>::load(front).real, last = Element<T>::load(back).real;
  Element<T>{first - last, first + last}.store(front);
  for (int64_t k = 1; 2 * k <= half; ++k) {
    const Element<T> a = Element<T>::load(front += kElement<T>),
                     b = conjugate(Element<T>::load(back -= kElement<T>));
    const Element<T> even = a + b, odd = (a - b) * std::conj(roots[k]);
    plus_i_times(even, odd).exchanged().store(front);
    conjugate(minus_i_times(even, odd)).exchanged().store(back);
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
