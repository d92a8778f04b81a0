#include "eager/cpu/patches.h"

#include <algorithm>

#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

Spatial spatial(const Dims& values, int64_t fill) {
  Spatial result;
  result.fill(fill);
  for (int i = 0; i < values.size(); ++i) result[size_t(kSpatial - values.size() + i)] = values[i];
  return result;
}

Spatial Window::covered() const {
  Spatial sizes;
  for (size_t d = 0; d < kSpatial; ++d)
    sizes[d] = (output[d] - 1) * stride[d] + dilation[d] * (kernel[d] - 1) + 1;
  return sizes;
}

namespace {

/// Copies one channel into the middle of one that is `to_sizes` large and zero.
template <class T>
void copy_inside(const T* from, const Spatial& sizes, const Spatial& padding, T* to,
                 const Spatial& to_sizes) {
  Spatial begin, end;
  for (size_t d = 0; d < kSpatial; ++d) {
    begin[d] = std::max<int64_t>(0, -padding[d]);
    end[d] = std::min(sizes[d], to_sizes[d] - padding[d]);
  }
  if (end[2] <= begin[2]) return;
  for (int64_t z = begin[0]; z < end[0]; ++z)
    for (int64_t y = begin[1]; y < end[1]; ++y) {
      const T* row = from + (z * sizes[1] + y) * sizes[2];
      std::copy(row + begin[2], row + end[2],
                to + ((z + padding[0]) * to_sizes[1] + y + padding[1]) * to_sizes[2] + padding[2] + begin[2]);
    }
}

}  // namespace

template <class T>
Images<T> padded(const Images<T>& images, const Window& window, std::vector<T>* owner) {
  const Spatial sizes = window.covered();
  bool as_it_is = true;
  for (size_t d = 0; d < kSpatial; ++d) as_it_is &= window.padding[d] == 0 && sizes[d] <= images.sizes[d];
  if (as_it_is) return images;
  const int64_t planes = images.count * images.channels, plane = volume(sizes);
  owner->assign(size_t(planes * plane), T(0));
  T* to = owner->data();
  parallel_for(planes, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, plane)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   copy_inside(images.data + i * images.channel_stride(), images.sizes, window.padding,
                               to + i * plane, sizes);
               });
  return {to, images.count, images.channels, sizes};
}

template Images<float> padded(const Images<float>&, const Window&, std::vector<float>*);
template Images<double> padded(const Images<double>&, const Window&, std::vector<double>*);

namespace {

/// Offsets of a grid of `counts` points that are `steps` apart in an array of `sizes`.
std::vector<int64_t> grid_offsets(const Spatial& counts, const Spatial& steps, const Spatial& sizes) {
  std::vector<int64_t> offsets;
  offsets.reserve(size_t(volume(counts)));
  for (int64_t z = 0; z < counts[0]; ++z)
    for (int64_t y = 0; y < counts[1]; ++y)
      for (int64_t x = 0; x < counts[2]; ++x)
        offsets.push_back((z * steps[0] * sizes[1] + y * steps[1]) * sizes[2] + x * steps[2]);
  return offsets;
}

}  // namespace

std::vector<int64_t> window_offsets(const Window& window, const Spatial& sizes) {
  return grid_offsets(window.output, window.stride, sizes);
}
std::vector<int64_t> tap_offsets(const Window& window, const Spatial& sizes) {
  return grid_offsets(window.kernel, window.dilation, sizes);
}

}  // namespace framejit::eager::cpu
