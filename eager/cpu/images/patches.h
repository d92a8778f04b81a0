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

/// Images in memory: `count` x `channels` x sizes, contiguous. Their columns may be sorted by their remainder
/// modulo `phases`, each remainder as a part of the row of its own: what one tap of windows at this stride
/// sees lies side by side then.
template <class T>
struct Images {
  const T* data;
  int64_t count, channels;
  Spatial sizes;
  int64_t phases = 1;
  int64_t slack = 0;  ///< elements behind the last one that may be read

  /// Elements that may be read from `channel` of the first image on.
  int64_t readable_from(int64_t channel) const {
    return count * image_stride() - channel * channel_stride() + slack;
  }
  int64_t channel_stride() const { return volume(sizes); }
  int64_t image_stride() const { return channels * channel_stride(); }
};

/// Sizes of a canvas that the windows cover, whose columns are sorted by `phases`: 1 or the stride.
struct Canvas {
  Spatial sizes;
  int64_t phases;

  Canvas(const Window& window, int64_t phases);
};
/// Puts one channel of `sizes` into the middle of a canvas of zeros, `step` apart; cut where `padding`, which
/// is counted in elements of the canvas, is negative.
template <class T>
void copy_inside(const T* from, const Spatial& sizes, const Spatial& padding, const Spatial& step, T* to,
                 const Canvas& canvas);

/// `images` on canvases; themselves when nothing is to be done. `owner` keeps the copy.
template <class T>
Images<T> padded(const Images<T>& images, const Window& window, Tensor* owner);

/// Offsets of the first tap of each window in an array of `sizes`, in row-major order of the output.
std::vector<int64_t> window_offsets(const Window& window, const Spatial& sizes, int64_t phases = 1);
/// Offsets of the taps from the first one, in row-major order of the kernel.
std::vector<int64_t> tap_offsets(const Window& window, const Spatial& sizes, int64_t phases = 1);

}  // namespace framejit::eager::cpu
