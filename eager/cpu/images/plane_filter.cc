#include "eager/cpu/images/plane_filter.h"

#include <algorithm>

#include "eager/cpu/images/patch_kernels.h"

namespace framejit::eager::cpu {

Shapes::Shapes(const Dims& images, const Dims& pixels, const Dims& kernel,
               const ConvolutionGeometry& geometry)
    : batch(images[0]),
      groups(geometry.groups.expect()),
      image_channels(images[1] / groups),
      pixel_channels(pixels[1] / groups) {
  window.input = spatial(spatial_sizes(images), 1);
  window.output = spatial(spatial_sizes(pixels), 1);
  window.kernel = spatial(kernel, 1);
  window.stride = spatial(geometry.stride, 1);
  window.dilation = spatial(geometry.dilation, 1);
  window.padding = spatial(geometry.padding, 0);
}

Shapes mirrored_shapes(const Shapes& shapes) {
  Shapes mirrored = shapes;
  std::swap(mirrored.image_channels, mirrored.pixel_channels);
  std::swap(mirrored.window.input, mirrored.window.output);
  const Window& window = shapes.window;
  for (size_t d = 0; d < kSpatial; ++d)
    mirrored.window.padding[d] = window.dilation[d] * (window.kernel[d] - 1) - window.padding[d];
  mirrored.window.stride = {1, 1, 1};
  return mirrored;
}

namespace {

constexpr int64_t kWork = 1 << 16;  ///< multiplications worth a thread

/// Elements of a canvas that stay in the cache.
constexpr int64_t kCanvas = 32 * 1024;

/// One group of one image, in bands of rows of the result: the part of the image that a band needs, on a
/// canvas, and where its taps and runs of pixels are there.
template <class T>
class Bands {
 public:
  Bands(const Shapes& shapes, const Images<T>& input, const Spatial& step)
      : shapes_(shapes),
        input_(input),
        step_(step),
        height_(height_of(shapes)),
        canvas_(canvas_of(band_window(0, height_), {1, shapes.window.stride[1], shapes.window.stride[2]})),
        lanes_(panel_kernels<T>().lanes) {
    plane_ = volume(canvas_.sizes);
    const std::vector<int64_t> one_channel = tap_offsets(shapes.window, canvas_);
    for (int64_t c = 0; c < shapes.image_channels; ++c)
      for (int64_t tap : one_channel) taps.push_back(c * plane_ + tap);
    run_length_ = length_of(height_);
  }

  int64_t count() const { return (shapes_.window.output[1] + height_ - 1) / height_; }
  int64_t run_length() const { return run_length_; }
  int64_t height() const { return height_; }                                          ///< rows of a band
  int64_t rounded_up(int64_t n) const { return (n + lanes_ - 1) / lanes_ * lanes_; }  ///< to whole vectors
  std::vector<int64_t> taps;  ///< of all channels of the group

  /// Copies what band `b` sees of group `group` of image `n`. In scratch memory.
  const T* draw(int64_t n, int64_t group, int64_t b) const {
    const int64_t first = b * height_;
    const Window window = band_window(first, height_);
    // A run reads beyond its end, up to whole vectors.
    T* to = Scratch::of_thread().take_array<T>(shapes_.image_channels * plane_ + run_length_);
    for (int64_t c = 0; c < shapes_.image_channels; ++c) {
      const T* from = input_.data + n * input_.image_stride() +
                      (group * shapes_.image_channels + c) * input_.channel_stride();
      copy_inside(from, input_.canvas.sizes, window.padding, step_, to + c * plane_, canvas_);
    }
    std::fill_n(to + shapes_.image_channels * plane_, run_length_, T(0));
    return to;
  }

  /// Calls `f(offset in the canvas, rows, offset in a plane of pixels)` for each run of band `b`: rows that
  /// lie `row_distance` apart in the canvas.
  template <class F>
  void for_each_run(int64_t b, F f) const {
    const Window& window = shapes_.window;
    const int64_t first = b * height_, rows = std::min(height_, window.output[1] - first);
    for (int64_t z = 0; z < window.output[0]; ++z)
      f(canvas_.row_offset(z * window.stride[0], 0), rows, (z * window.output[1] + first) * window.output[2]);
  }
  int64_t row_distance() const { return canvas_.row_distance(); }
  /// Elements of a run of so many rows, as whole vectors.
  int64_t length_of(int64_t rows) const {
    return rounded_up((rows - 1) * row_distance() + shapes_.window.output[2]);
  }

 private:
  /// Rows of a band; all of them in volumes.
  static int64_t height_of(const Shapes& shapes) {
    const Window& window = shapes.window;
    if (window.output[0] > 1) return window.output[1];
    const int64_t per_row =
        shapes.image_channels * window.covered()[0] * window.covered()[2] * window.stride[1];
    return std::clamp<int64_t>(kCanvas / std::max<int64_t>(1, per_row), 1, window.output[1]);
  }
  Window band_window(int64_t first, int64_t rows) const {
    Window window = shapes_.window;
    window.output[1] = rows;
    window.padding[1] -= first * window.stride[1];
    return window;
  }

  const Shapes& shapes_;
  const Images<T>& input_;
  Spatial step_;
  int64_t height_;
  Canvas canvas_;
  int64_t lanes_, plane_, run_length_;
};

/// Whether rows of the result share what they see: of one channel, with a kernel that is tall.
bool shares_rows(const Shapes& shapes) {
  const Window& window = shapes.window;
  return shapes.image_channels == 1 && window.kernel[0] == 1 && window.kernel[1] >= 5 &&
         window.stride[1] == 1 && window.stride[2] == 1 && window.dilation[1] == 1;
}

}  // namespace

template <class T>
void filter_planes(const Shapes& shapes, const Images<T>& input, const Spatial& step,
                   const WeightView<T>& weights, int64_t group_stride, const T* bias, T* result) {
  const PatchKernels<T>& kernels = patch_kernels<T>();
  const Bands<T> bands(shapes, input, step);
  const Window& window = shapes.window;
  const int64_t rows = shapes.pixel_channels, taps = int64_t(bands.taps.size()), pixels = shapes.pixels();
  const bool by_rows = shares_rows(shapes);
  const int64_t width = window.output[2], distance = by_rows ? bands.rounded_up(width) : bands.row_distance();
  std::vector<T> packed(size_t(shapes.groups * rows * taps));
  for (int64_t i = 0; i < shapes.groups * rows; ++i)
    for (int64_t k = 0; k < taps; ++k)
      packed[size_t(i * taps + k)] =
          weights.base[i / rows * group_stride + i % rows * weights.row_stride +
                       k / shapes.taps() * weights.channel_stride + k % shapes.taps() * weights.tap_stride];
  const int64_t work = std::max<int64_t>(1, rows * taps * pixels / bands.count());
  parallel_for(
      shapes.batch * shapes.groups * bands.count(), std::max<int64_t>(1, kWork / work),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          ScratchScope scope;
          const int64_t band = i % bands.count(), plane = i / bands.count(), group = plane % shapes.groups;
          const T* canvas = bands.draw(plane / shapes.groups, group, band);
          T* run =
              Scratch::of_thread().take_array<T>(std::max(bands.run_length(), bands.height() * distance));
          for (int64_t r = 0; r < rows; ++r) {
            const int64_t channel = group * rows + r;
            const T *own = packed.data() + channel * taps, added = bias ? bias[channel] : T(0);
            T* to = result + (plane * rows + r) * pixels;
            bands.for_each_run(band, [&](int64_t from, int64_t run_rows, int64_t pixel) {
              if (by_rows)
                kernels.filter_rows(canvas + from, bands.row_distance(), run_rows, width, window.kernel[1],
                                    window.kernel[2], window.dilation[2], own, added, run, distance);
              else
                kernels.filter(canvas + from, bands.taps.data(), own, taps, added, bands.length_of(run_rows),
                               run);
              kernels.copy_rows(run_rows, width, run, distance, to + pixel, width);
            });
          }
        }
      });
}

template <class T>
void correlate_planes(const Shapes& shapes, const Images<T>& input, const T* grad, T* result) {
  const Bands<T> bands(shapes, input, {1, 1, 1});
  const int64_t rows = shapes.pixel_channels, taps = int64_t(bands.taps.size()), pixels = shapes.pixels();
  const int64_t width = shapes.window.output[2];
  const int64_t work = std::max<int64_t>(1, rows * taps * pixels * shapes.batch);
  parallel_for(shapes.groups, std::max<int64_t>(1, kWork / work), [&](int64_t begin, int64_t end) {
    std::vector<double> sums(size_t(rows * taps));
    for (int64_t group = begin; group < end; ++group) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t i = 0; i < shapes.batch * bands.count(); ++i) {
        ScratchScope scope;
        const int64_t n = i / bands.count(), band = i % bands.count();
        const T* canvas = bands.draw(n, group, band);
        T* run = Scratch::of_thread().take_array<T>(bands.run_length());
        std::fill_n(run, bands.run_length(), T(0));  // what is between rows stays zero
        for (int64_t r = 0; r < rows; ++r) {
          const T* from = grad + ((n * shapes.groups + group) * rows + r) * pixels;
          bands.for_each_run(band, [&](int64_t at, int64_t run_rows, int64_t pixel) {
            patch_kernels<T>().copy_rows(run_rows, width, from + pixel, width, run, bands.row_distance());
            patch_kernels<T>().correlate(canvas + at, bands.taps.data(), taps, run, bands.length_of(run_rows),
                                         sums.data() + r * taps);
          });
        }
      }
      for (int64_t k = 0; k < rows * taps; ++k) result[group * rows * taps + k] = T(sums[size_t(k)]);
    }
  });
}

template void filter_planes(const Shapes&, const Images<float>&, const Spatial&, const WeightView<float>&,
                            int64_t, const float*, float*);
template void filter_planes(const Shapes&, const Images<double>&, const Spatial&, const WeightView<double>&,
                            int64_t, const double*, double*);
template void correlate_planes(const Shapes&, const Images<float>&, const float*, float*);
template void correlate_planes(const Shapes&, const Images<double>&, const double*, double*);

}  // namespace framejit::eager::cpu
