#include "eager/cpu/images/patches.h"

#include <algorithm>
#include <numeric>

#include "eager/cpu/matmul/panels.h"
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

Canvas::Canvas(const Window& window, int64_t phases) : sizes(window.covered()), phases(phases) {
  sizes[2] = (sizes[2] + phases - 1) / phases * phases;
}

namespace {

/// Columns [begin, end) of a row, sorted by the remainder of where they go on the canvas.
template <class T>
void copy_phases(const T* row, int64_t begin, int64_t end, int64_t step, int64_t padding,
                 const Canvas& canvas, T* target) {
  const int64_t phases = canvas.phases, width = canvas.sizes[2] / phases;
  // From one column of a phase to the next: `stride` columns, `advance` places of the phase.
  const int64_t common = std::gcd(step, phases), stride = phases / common, advance = step / common;
  for (int64_t first = begin; first < std::min(end, begin + stride); ++first) {
    const int64_t at = first * step + padding;
    T* to = target + at % phases * width + at / phases;
    for (int64_t x = first; x < end; x += stride, to += advance) *to = row[x];
  }
}

/// The same for neighbouring columns and two phases.
template <class T>
void copy_two_phases(const T* row, int64_t begin, int64_t end, int64_t padding, const Canvas& canvas,
                     T* target) {
  T* odd = target + canvas.sizes[2] / 2;
  int64_t x = begin;
  if ((x + padding) % 2 == 1) odd[(x + padding) / 2] = row[x], ++x;
  const int64_t pairs = (end - x) / 2, at = (x + padding) / 2;
  panel_kernels<T>().split(row + x, pairs, target + at, odd + at);
  if (x + 2 * pairs < end) target[at + pairs] = row[x + 2 * pairs];
}

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
  for (int64_t z = begin[0]; z < end[0]; ++z)
    for (int64_t y = begin[1]; y < end[1]; ++y) {
      const T* row = from + (z * sizes[1] + y) * sizes[2];
      T* target =
          to + ((z * step[0] + padding[0]) * canvas.sizes[1] + y * step[1] + padding[1]) * canvas.sizes[2];
      if (canvas.phases == 1 && step[2] == 1) {
        std::copy(row + begin[2], row + end[2], target + padding[2] + begin[2]);
      } else if (canvas.phases == 2 && step[2] == 1) {
        copy_two_phases(row, begin[2], end[2], padding[2], canvas, target);
      } else {
        copy_phases(row, begin[2], end[2], step[2], padding[2], canvas, target);
      }
    }
}

template void copy_inside(const float*, const Spatial&, const Spatial&, const Spatial&, float*,
                          const Canvas&);
template void copy_inside(const double*, const Spatial&, const Spatial&, const Spatial&, double*,
                          const Canvas&);

template <class T>
Images<T> padded(const Images<T>& images, const Window& window, Tensor* owner) {
  const Canvas canvas(window,
                      window.kernel[2] > 1 ? window.stride[2] : 1);  // a single tap is no reason to sort
  bool as_it_is = canvas.phases == 1;
  for (size_t d = 0; d < kSpatial; ++d)
    as_it_is &= window.padding[d] == 0 && canvas.sizes[d] <= images.sizes[d];
  if (as_it_is) return images;
  const int64_t planes = images.count * images.channels, plane = volume(canvas.sizes);
  constexpr int64_t kSlack = 64;  // more than a panel of patches is wide
  *owner = Tensor::empty(Dims{planes * plane + kSlack}, dtype_of<T>());
  T* to = owner->data_as<T>();
  parallel_for(planes, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, plane)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   copy_inside(images.data + i * images.channel_stride(), images.sizes, window.padding,
                               {1, 1, 1}, to + i * plane, canvas);
               });
  std::fill_n(to + planes * plane, kSlack, T(0));
  return {to, images.count, images.channels, canvas.sizes, canvas.phases, kSlack};
}

template Images<float> padded(const Images<float>&, const Window&, Tensor*);
template Images<double> padded(const Images<double>&, const Window&, Tensor*);

namespace {

/// Offsets of a grid of `counts` points that are `steps` apart in an array of `sizes`; `column(x)` is where
/// points of column x lie in a row.
template <class Column>
std::vector<int64_t> grid_offsets(const Spatial& counts, const Spatial& steps, const Spatial& sizes,
                                  Column column) {
  std::vector<int64_t> offsets;
  offsets.reserve(size_t(volume(counts)));
  for (int64_t z = 0; z < counts[0]; ++z)
    for (int64_t y = 0; y < counts[1]; ++y)
      for (int64_t x = 0; x < counts[2]; ++x)
        offsets.push_back((z * steps[0] * sizes[1] + y * steps[1]) * sizes[2] + column(x * steps[2]));
  return offsets;
}

}  // namespace

std::vector<int64_t> window_offsets(const Window& window, const Spatial& sizes, int64_t phases) {
  return grid_offsets(window.output, window.stride, sizes, [&](int64_t x) { return x / phases; });
}
std::vector<int64_t> tap_offsets(const Window& window, const Spatial& sizes, int64_t phases) {
  return grid_offsets(window.kernel, window.dilation, sizes,
                      [&](int64_t x) { return x % phases * (sizes[2] / phases) + x / phases; });
}

}  // namespace framejit::eager::cpu
