// The windows of pooling along each dim, as tables; one and two spatial dims are three with sizes of 1.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "eager/cpu/images/patches.h"
#include "eager/meta/pooling.h"

namespace framejit::eager::cpu {

/// Along one dim: window i holds begin[i], begin[i] + step, ... below end[i].
struct AxisWindows {
  std::vector<int64_t> begin, end;
  std::vector<int64_t> padded_count;  ///< how many elements each has with those in the padding
  int64_t step = 1;

  int64_t count() const { return int64_t(begin.size()); }
};
using Windows = std::array<AxisWindows, kSpatial>;

/// The last `count` sizes.
inline Spatial last_spatial(const Dims& sizes, int count) {
  return spatial(Dims(sizes.span().last(size_t(count))), 1);
}

/// Windows at even distances over images of `input`, `output` of them.
Windows even_windows(const PoolGeometry& geometry, const Spatial& input, const Spatial& output);
/// Windows that cover the image: from floor(i * input / output) to ceil((i + 1) * input / output). None where
/// `result` is empty: of no images there may be any number of windows.
Windows adaptive_windows(const Spatial& input, const Spatial& output, const Tensor& result);

/// `result`, in row-major order, laid out as `meta` says.
Tensor laid_out(Tensor result, const TensorMeta& meta);

/// Windows of one image.
inline int64_t output_count(const Windows& windows) {
  return windows[0].count() * windows[1].count() * windows[2].count();
}

/// Calls `f(index of the element)` for each element of window (z, y, x) in an image of `sizes`, in order.
template <class F>
void for_each_in_window(const Windows& w, const Spatial& sizes, size_t z, size_t y, size_t x, F f) {
  for (int64_t k = w[0].begin[z]; k < w[0].end[z]; k += w[0].step)
    for (int64_t j = w[1].begin[y]; j < w[1].end[y]; j += w[1].step)
      for (int64_t i = w[2].begin[x]; i < w[2].end[x]; i += w[2].step) f((k * sizes[1] + j) * sizes[2] + i);
}
/// Calls `f(index of the window, z, y, x)` for all windows.
template <class F>
void for_each_window(const Windows& w, F f) {
  int64_t at = 0;
  for (size_t z = 0; z < w[0].begin.size(); ++z)
    for (size_t y = 0; y < w[1].begin.size(); ++y)
      for (size_t x = 0; x < w[2].begin.size(); ++x) f(at++, z, y, x);
}

/// How many images one thread should take at a time, of which each is so much work.
inline int64_t planes_per_piece(int64_t plane_work) {
  return std::max<int64_t>(1, 32768 / std::max<int64_t>(1, plane_work));
}

}  // namespace framejit::eager::cpu
