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

/// Where the elements of one channel lie. Rows and columns may be sorted by their remainders modulo `phases`, 1 or
/// the stride, each pair of remainders as a plane of its own: what one tap of windows at this stride sees lies
/// side by side then. Sizes are multiples of the phases.
struct Canvas {
  Spatial sizes;
  Spatial phases = {1, 1, 1};

  /// From one row of a remainder to the next.
  int64_t row_distance() const { return sizes[2] / phases[2]; }
  int64_t row_offset(int64_t z, int64_t y) const {
    return (z * sizes[1] + y % phases[1] * (sizes[1] / phases[1])) * sizes[2] +
           y / phases[1] * row_distance();
  }
  int64_t column_offset(int64_t x) const {
    return x % phases[2] * (sizes[1] / phases[1]) * row_distance() + x / phases[2];
  }
};
/// One that the windows cover.
Canvas canvas_of(const Window& window, const Spatial& phases);

/// Images in memory: `count` x `channels` of them, one behind the other.
template <class T>
struct Images {
  const T* data;
  int64_t count, channels;
  Canvas canvas;
  int64_t slack = 0;  ///< elements behind the last one that may be read

  /// Elements that may be read from `channel` of the first image on.
  int64_t readable_from(int64_t channel) const {
    return count * image_stride() - channel * channel_stride() + slack;
  }
  int64_t channel_stride() const { return volume(canvas.sizes); }
  int64_t image_stride() const { return channels * channel_stride(); }
};

/// Puts one channel of `sizes` into the middle of a canvas of zeros, `step` apart; cut where `padding`, which
/// is counted in elements of the canvas, is negative.
template <class T>
void copy_inside(const T* from, const Spatial& sizes, const Spatial& padding, const Spatial& step, T* to,
                 const Canvas& canvas);

/// `images` on canvases; themselves when nothing is to be done. `owner` keeps the copy.
template <class T>
Images<T> padded(const Images<T>& images, const Window& window, Tensor* owner);

/// Offsets of the first tap of each window, in row-major order of the output.
std::vector<int64_t> window_offsets(const Window& window, const Canvas& canvas);
/// Offsets of the taps from the first one, in row-major order of the kernel.
std::vector<int64_t> tap_offsets(const Window& window, const Canvas& canvas);

}  // namespace framejit::eager::cpu
