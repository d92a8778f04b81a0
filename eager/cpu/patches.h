// Geometry of convolutions and of what else slides a window over images: which elements of an image a window
// covers, as offsets. Three spatial dims always; the leading ones of a 1d or 2d op have size 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

inline constexpr int kSpatial = 3;
using Spatial = std::array<int64_t, kSpatial>;

/// The last entries of `values`, `fill` before them.
Spatial spatial(const Dims& values, int64_t fill);
inline int64_t volume(const Spatial& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/// A window of `kernel` taps that moves over an image of `input` (padded) to `output` places.
struct Window {
  Spatial input, kernel, stride, dilation, padding, output;

  /// Size of the image that the windows cover, padding included.
  Spatial covered() const;
};

/// Images in memory: `count` x `channels` x sizes, contiguous.
template <class T>
struct Images {
  const T* data;
  int64_t count, channels;
  Spatial sizes;

  int64_t channel_stride() const { return volume(sizes); }
  int64_t image_stride() const { return channels * channel_stride(); }
};

/// `images` with zeros around, cut where padding is negative; themselves when nothing is to be done. `owner`
/// keeps the copy.
template <class T>
Images<T> padded(const Images<T>& images, const Window& window, std::vector<T>* owner);

/// Offsets of the first tap of each window in an array of `sizes`, in row-major order of the output.
std::vector<int64_t> window_offsets(const Window& window, const Spatial& sizes);
/// Offsets of the taps from the first one, in row-major order of the kernel.
std::vector<int64_t> tap_offsets(const Window& window, const Spatial& sizes);

}  // namespace framejit::eager::cpu
