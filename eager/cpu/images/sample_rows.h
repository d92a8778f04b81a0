// Inner loops of grid_sample, over blocks of places, compiled once per instruction set (tile/sample_rows.cc).
#pragma once

#include <cstdint>
#include <type_traits>

namespace framejit::eager::cpu {

/// As PyTorch numbers them.
enum class SampleMode { linear, nearest, cubic };
enum class SamplePadding { zeros, border, reflection };

/// One spatial dim of the images.
struct SampledDim {
  int64_t size, stride;
  SampleMode mode;
  SamplePadding padding;
  bool align_corners;
  int taps() const { return mode == SampleMode::linear ? 2 : mode == SampleMode::nearest ? 1 : 4; }
};

/// T: float or double. Offsets are integers of its size. "tap k of place i" is element [k * kPlaces + i].
template <class T>
struct SampleRows {
  using Offset = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  static constexpr int64_t kPlaces = 128;
  static constexpr int64_t kMostTaps = 16;  ///< of all dims together: 4 x 4, or 2 x 2 x 2
  static constexpr int64_t kMostDimTaps = 4;

  /// What n <= kPlaces coordinates, `step` apart, read along one dim: offsets (-1: outside of the image), weights,
  /// and by how much these change with the coordinate (null: nobody asks).
  void (*taps)(const SampledDim& dim, const T* coordinates, int64_t step, int64_t n, Offset* offsets,
               T* weights, T* slopes);
  /// The taps of two dims together: `count` times `inner_count`.
  void (*combine)(const Offset* outer, const T* outer_weights, int64_t count, const Offset* inner,
                  const T* inner_weights, int64_t inner_count, int64_t n, Offset* offsets, T* weights);
  /// out[i] = sum over taps of weight * plane[offset].
  void (*gather)(const T* plane, const Offset* offsets, const T* weights, int64_t taps, int64_t n, T* out);
  /// plane[offset] += weight * grad[i], for each tap.
  void (*scatter)(T* plane, const Offset* offsets, const T* weights, int64_t taps, int64_t n, const T* grad);
  /// sums += grad[i] * plane[offset], for each tap.
  void (*correlate)(const T* plane, const Offset* offsets, int64_t taps, int64_t n, const T* grad, T* sums);
};

/// Those of the chosen instruction set.
template <class T>
const SampleRows<T>& sample_rows();

}  // namespace framejit::eager::cpu
