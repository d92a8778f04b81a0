// Where the channels of a batch lie, and loops over them.
#pragma once

#include <algorithm>

#include "eager/cpu/nn/norm_rows.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

/// Where the elements of a channel lie: `planes` stretches of `plane` elements, `distance` apart.
struct Channels {
  int64_t count, planes, plane, distance;

  explicit Channels(const Tensor& input) : count(input.sizes()[1]), planes(input.sizes()[0]) {
    plane = input.numel().expect() / (planes * count);
    distance = plane * count;
  }
  int64_t elements() const { return planes * plane; }
  /// Images of one pixel: a channel is a column.
  bool are_columns() const { return plane == 1; }
  /// Stretches so short that a channel is gathered first.
  bool are_gathered() const { return plane < 16; }
  Stretches stretches() const {
    return are_gathered() ? Stretches{1, elements(), 0} : Stretches{planes, plane, distance};
  }
  /// The channel that begins at `x`, as `stretches` says.
  template <class T>
  const T* gather(const T* x) const {
    if (!are_gathered()) return x;
    T* side_by_side = Scratch::of_thread().take_array<T>(elements());
    for (int64_t i = 0; i < planes; ++i) std::copy_n(x + i * distance, plane, side_by_side + i * plane);
    return side_by_side;
  }
  template <class T>
  void scatter(const T* side_by_side, T* to) const {
    for (int64_t i = 0; i < planes; ++i) std::copy_n(side_by_side + i * plane, plane, to + i * distance);
  }
  /// Calls `write(offset, n, to + offset)` for each stretch of the channel that begins at `to`.
  template <class T, class Write>
  void write(T* to, Write write) const {
    const Stretches all = stretches();
    T* target = are_gathered() ? Scratch::of_thread().take_array<T>(elements()) : to;
    for (int64_t i = 0; i < all.count; ++i) write(i * all.distance, all.length, target + i * all.distance);
    if (are_gathered()) scatter(target, to);
  }
};

/// Room for the gradients of the input, where it is wanted, and of two parameters of each channel.
inline NormGradients empty_gradients(const Channels& channels, const Tensor& input, bool of_input) {
  NormGradients gradients;
  if (of_input) gradients[0] = Tensor::empty(input.sizes(), input.dtype());
  for (size_t i : {1, 2}) gradients[i] = Tensor::empty(Dims{channels.count}, input.dtype());
  return gradients;
}

template <class F>
void for_each_channel(const Channels& channels, F f) {
  parallel_for(channels.count, norm_rows_per_piece(channels.elements()), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      ScratchScope scope;
      f(c);
    }
  });
}
/// `f(first channel, columns)` for tiles of channels that are columns.
template <class T, class F>
void for_each_tile(const Channels& channels, F f) {
  constexpr int64_t kTile = NormRows<T>::kMostColumns;
  const int64_t tiles = (channels.count + kTile - 1) / kTile;
  parallel_for(tiles, norm_rows_per_piece(channels.planes * kTile), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      ScratchScope scope;
      f(t * kTile, Columns{channels.planes, std::min(kTile, channels.count - t * kTile), channels.count});
    }
  });
}

/// A vector of scratch memory, f(i) for each i.
template <class T, class F>
T* fill(int64_t n, F f) {
  T* vector = Scratch::of_thread().take_array<T>(n);
  for (int64_t i = 0; i < n; ++i) vector[i] = T(f(i));
  return vector;
}

}  // namespace framejit::eager::cpu
