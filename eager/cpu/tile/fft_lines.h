// Blocks of lines (cpu/fft/kernels.h) from memory, and back.
#pragma once

#include <algorithm>

#include "eager/cpu/fft/kernels.h"
#include "eager/cpu/tile/butterflies.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
using Complexes = Square<T, kFftLanes<T>, 2>;  ///< half as many complex numbers as a block has lines
/// Elements that are loaded or stored at once where lines are rows.
template <class T>
inline constexpr int64_t kChunk = Complexes<T>::kSize;

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
  if (lines.step == 2 && lines.imaginary == 1) return Layout::complex_rows;
  if (lines.count == 1) return Layout::other;
  const int64_t distance = lines.offsets[1] - lines.offsets[0];
  for (int64_t l = 2; l < lines.count; ++l)
    if (lines.offsets[l] - lines.offsets[l - 1] != distance) return Layout::other;
  if (distance == 2 && lines.imaginary == 1) return Layout::complex_columns;
  return distance == 1 ? Layout::part_columns : Layout::other;
}

/// Lines whose elements are read or written range by range; element `begin` comes first in `block`.
template <class T>
class Range {
 public:
  /// Lanes without a line may read what the last line reads.
  explicit Range(const cpu::Lines<T>& lines) : lines_(lines), layout_(layout_of(lines)) {
    for (int64_t l = 0; l < kFftLanes<T>; ++l) offsets_[l] = lines.offsets[std::min(l, lines.count - 1)];
  }

  void load(int64_t begin, int64_t count, T* block) const {
    if (layout_ == Layout::other || (layout_ == Layout::complex_rows && count < kChunk<T>))
      return load_elements(begin, count, block);
    if (layout_ == Layout::complex_rows)
      return in_chunks(begin, count, block, [&](int64_t k, T* at) { load_square(k, at); });
    for (int64_t k = 0; k < count; ++k) load_column(begin + k, block + k * kElement<T>);
  }
  void store(int64_t begin, int64_t count, const T* block, T factor) const {
    if (layout_ == Layout::other || (layout_ == Layout::complex_rows && count < kChunk<T>))
      return store_elements(begin, count, block, factor);
    if (layout_ == Layout::complex_rows)
      return in_chunks(begin, count, block, [&](int64_t k, const T* at) { store_square(k, at, factor); });
    for (int64_t k = 0; k < count; ++k) store_column(begin + k, block + k * kElement<T>, factor);
  }

 private:
  using Small = Complexes<T>;

  /// The last chunk overlaps the one before.
  template <class Pointer, class F>
  static void in_chunks(int64_t begin, int64_t count, Pointer block, F f) {
    for (int64_t k = 0; k < count; k += kChunk<T>) {
      const int64_t first = std::min(k, count - kChunk<T>);
      f(begin + first, block + first * kElement<T>);
    }
  }

  Element<T> in_order(const Element<T>& x) const { return lines_.exchanged ? x.exchanged() : x; }
  T* line(int64_t l, int64_t k) const { return lines_.base + offsets_[l] + k * lines_.step; }

  /// Asks for what the next block, or the one after that when reading, has in place of a square: what is read early may
  /// wait in a larger cache, what is written should be in the smallest.
  template <bool kToWrite>
  void foresee(int64_t k) const {
    if (lines_.ahead == 0) return;
    for (int64_t l = 0; l < kFftLanes<T>; ++l)
      __builtin_prefetch(line(l, k) + (kToWrite ? 1 : 2) * lines_.ahead, kToWrite, /*locality=*/2);
  }

  /// Squares of complex numbers of the first and of the second half of the lines.
  void load_square(int64_t k, T* block) const {
    constexpr int size = Small::kSize;
    typename Small::Row first[size], second[size];
#pragma GCC unroll 8
    for (int l = 0; l < size; ++l) {
      first[l] = Small::load(line(l, k));
      second[l] = Small::load(line(l + size, k));
    }
    foresee</*kToWrite=*/false>(k);
    Small::transpose(first);
    Small::transpose(second);
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i)
      in_order(sorted_parts<T>(first[i], second[i], EachLane<T>())).store(block + i * kElement<T>);
  }
  void store_square(int64_t k, const T* block, T factor) const {
    constexpr int size = Small::kSize;
    typename Small::Row first[size], second[size];
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i)
      merge_parts<T>(in_order(Element<T>::load(block + i * kElement<T>) * factor), first[i], second[i],
                     EachLane<T>());
    Small::transpose(first);
    Small::transpose(second);
    foresee</*kToWrite=*/true>(k);
#pragma GCC unroll 8
    for (int l = 0; l < size; ++l) {
      if (l < lines_.count) Small::store(first[l], line(l, k));
      if (l + size < lines_.count) Small::store(second[l], line(l + size, k));
    }
  }

  /// Of `kCount` vectors the part that lines have; the rest is zero.
  template <int kCount>
  void load_part(const T* from, Parts<T> (&x)[kCount]) const {
    if (lines_.count == kFftLanes<T>) return void(std::memcpy(x, from, sizeof x));
    std::memset(x, 0, sizeof x);
    std::copy_n(from, lines_.count * kCount, reinterpret_cast<T*>(x));
  }
  template <int kCount>
  void store_part(const Parts<T> (&x)[kCount], T* to) const {
    if (lines_.count == kFftLanes<T>) return void(std::memcpy(to, x, sizeof x));
    std::copy_n(reinterpret_cast<const T*>(x), lines_.count * kCount, to);
  }

  void load_column(int64_t k, T* block) const {
    const T* from = line(0, k);
    Element<T> x{};
    if (layout_ == Layout::complex_columns) {
      Parts<T> halves[2];
      load_part(from, halves);
      x = sorted_parts<T>(halves[0], halves[1], EachLane<T>());
    } else {
      Parts<T> real[1], imaginary[1] = {};
      load_part(from, real);
      if (lines_.imaginary != 0) load_part(from + lines_.imaginary, imaginary);
      x = {real[0], imaginary[0]};
    }
    in_order(x).store(block);
  }
  void store_column(int64_t k, const T* block, T factor) const {
    T* to = line(0, k);
    const Element<T> x = in_order(Element<T>::load(block) * factor);
    if (layout_ == Layout::complex_columns) {
      Parts<T> halves[2];
      merge_parts<T>(x, halves[0], halves[1], EachLane<T>());
      store_part(halves, to);
    } else {
      store_part({x.real}, to);
      if (lines_.imaginary != 0) store_part({x.imaginary}, to + lines_.imaginary);
    }
  }

  void load_elements(int64_t begin, int64_t count, T* to) const {
    const int real = lines_.exchanged ? kFftLanes<T> : 0, imaginary = kFftLanes<T> - real;
    for (int64_t k = begin; k < begin + count; ++k, to += kElement<T>) {
      std::fill_n(to, kElement<T>, T(0));
      for (int64_t l = 0; l < lines_.count; ++l) {
        to[l + real] = line(l, k)[0];
        if (lines_.imaginary != 0) to[l + imaginary] = line(l, k)[lines_.imaginary];
      }
    }
  }
  void store_elements(int64_t begin, int64_t count, const T* from, T factor) const {
    const int real = lines_.exchanged ? kFftLanes<T> : 0, imaginary = kFftLanes<T> - real;
    for (int64_t k = begin; k < begin + count; ++k, from += kElement<T>)
      for (int64_t l = 0; l < lines_.count; ++l) {
        line(l, k)[0] = from[l + real] * factor;
        if (lines_.imaginary != 0) line(l, k)[lines_.imaginary] = from[l + imaginary] * factor;
      }
  }

  const cpu::Lines<T>& lines_;
  const Layout layout_;
  int64_t offsets_[kFftLanes<T>];
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
