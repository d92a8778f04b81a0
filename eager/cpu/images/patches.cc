#include "eager/cpu/images/patches.h"

#include <algorithm>
#include <numeric>

#include "eager/cpu/images/patch_kernels.h"
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

Canvas canvas_of(const Window& window, const Spatial& phases) {
  Canvas canvas{window.covered(), phases};
  for (size_t d = 0; d < kSpatial; ++d)
    canvas.sizes[d] = (canvas.sizes[d] + phases[d] - 1) / phases[d] * phases[d];
  return canvas;
}

namespace {

/// Rows whose elements become the columns from `first` on, `step` apart, of a canvas.
template <class T>
class RowsInside {
 public:
  RowsInside(int64_t width, int64_t first, int64_t step, const Canvas& canvas)
      : width_(width), first_(first), step_(step), canvas_(canvas) {}

  /// `rows` of them, `distance` apart, to rows of the canvas that are `to_distance` apart.
  void copy(int64_t rows, const T* from, int64_t distance, T* to, int64_t to_distance) const {
    const PatchKernels<T>& kernels = patch_kernels<T>();
    if (step_ == 1 && canvas_.phases[2] == 1)
      return kernels.copy_rows(rows, width_, from, distance, to + first_, to_distance);
    if (step_ != 1 || canvas_.phases[2] != 2) return copy_phases(rows, from, distance, to, to_distance);
    // Neighbours go to different phases, whichever the first one is in.
    kernels.split(rows, from, distance, width_ / 2, to + canvas_.column_offset(first_),
                  to + canvas_.column_offset(first_ + 1), to_distance);
    if (width_ % 2 == 1)
      kernels.copy_rows(rows, 1, from + width_ - 1, distance, to + canvas_.column_offset(first_ + width_ - 1),
                        to_distance);
  }

 private:
  void copy_phases(int64_t rows, const T* from, int64_t distance, T* to, int64_t to_distance) const {
    // From one column of a phase to the next: `stride` elements, `advance` places of the phase.
    const int64_t phases = canvas_.phases[2], common = std::gcd(step_, phases);
    const int64_t stride = phases / common, advance = step_ / common;
    for (int64_t r = 0; r < rows; ++r, from += distance, to += to_distance)
      for (int64_t x = 0; x < std::min(width_, stride); ++x) {
        T* target = to + canvas_.column_offset(first_ + x * step_);
        for (int64_t i = x; i < width_; i += stride, target += advance) *target = from[i];
      }
  }

  int64_t width_, first_, step_;
  const Canvas& canvas_;
};

}  // namespace

template <class T>
void copy_inside(const T* from, const Spatial& sizes, const Spatial& padding, const Spatial& step, T* to,
                 const Canvas& canvas) {
  std::fill_n(to, volume(canvas.sizes), T(0));
  Spatial begin, end;
  const auto divided_up = [](int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; };
  for (size_t d = 0; d < kSpatial; ++d) {
    begin[d] = divided_up(-padding[d], step[d]);
    end[d] = std::min(sizes[d], divided_up(canvas.sizes[d] - padding[d], step[d]));
  }
  if (end[2] <= begin[2]) return;
  const RowsInside<T> rows(end[2] - begin[2], begin[2] * step[2] + padding[2], step[2], canvas);
  // From one row of a phase to the next: `stride` rows of the image, `advance` rows of the phase.
  const int64_t common = std::gcd(step[1], canvas.phases[1]);
  const int64_t stride = canvas.phases[1] / common, advance = step[1] / common;
  for (int64_t z = begin[0]; z < end[0]; ++z)
    for (int64_t y = begin[1]; y < std::min(end[1], begin[1] + stride); ++y)
      rows.copy((end[1] - y + stride - 1) / stride, from + (z * sizes[1] + y) * sizes[2] + begin[2],
                stride * sizes[2], to + canvas.row_offset(z * step[0] + padding[0], y * step[1] + padding[1]),
                advance * canvas.row_distance());
}

template void copy_inside(const float*, const Spatial&, const Spatial&, const Spatial&, float*,
                          const Canvas&);
template void copy_inside(const double*, const Spatial&, const Spatial&, const Spatial&, double*,
                          const Canvas&);

template <class T>
Images<T> padded(const Images<T>& images, const Window& window, Tensor* owner) {
  const Canvas canvas = canvas_of(window, {1, 1, window.stride[2]});
  bool as_it_is = canvas.phases[2] == 1;
  for (size_t d = 0; d < kSpatial; ++d)
    as_it_is &= window.padding[d] == 0 && canvas.sizes[d] <= images.canvas.sizes[d];
  if (as_it_is) return images;
  const int64_t planes = images.count * images.channels, plane = volume(canvas.sizes);
  constexpr int64_t kSlack = 64;  // more than a panel of patches is wide
  *owner = Tensor::empty(Dims{planes * plane + kSlack}, dtype_of<T>());
  T* to = owner->data_as<T>();
  parallel_for(planes, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, plane)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   copy_inside(images.data + i * images.channel_stride(), images.canvas.sizes, window.padding,
                               {1, 1, 1}, to + i * plane, canvas);
               });
  std::fill_n(to + planes * plane, kSlack, T(0));
  return {to, images.count, images.channels, canvas, kSlack};
}

template Images<float> padded(const Images<float>&, const Window&, Tensor*);
template Images<double> padded(const Images<double>&, const Window&, Tensor*);

namespace {

/// Offsets of a grid of `counts` points that are `steps` apart.
std::vector<int64_t> grid_offsets(const Spatial& counts, const Spatial& steps, const Canvas& canvas) {
  std::vector<int64_t> offsets;
  offsets.reserve(size_t(volume(counts)));
  for (int64_t z = 0; z < counts[0]; ++z)
    for (int64_t y = 0; y < counts[1]; ++y) {
      const int64_t row = canvas.row_offset(z * steps[0], y * steps[1]);
      for (int64_t x = 0; x < counts[2]; ++x) offsets.push_back(row + canvas.column_offset(x * steps[2]));
    }
  return offsets;
}

}  // namespace

std::vector<int64_t> window_offsets(const Window& window, const Canvas& canvas) {
  return grid_offsets(window.output, window.stride, canvas);
}
std::vector<int64_t> tap_offsets(const Window& window, const Canvas& canvas) {
  return grid_offsets(window.kernel, window.dilation, canvas);
}

}  // namespace framejit::eager::cpu
