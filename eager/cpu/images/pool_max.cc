// Largest elements of windows and where they are.
#include <limits>

#include "eager/cpu/float_type.h"
#include "eager/cpu/images/patch_kernels.h"
#include "eager/cpu/images/pooled_values.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/images/pool_rows.h"
#include "eager/cpu/images/pool_windows.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

template <class T>
T lowest() {
  if constexpr (is_floating_type<T>)
    return T(-std::numeric_limits<float>::infinity());
  else
    return std::numeric_limits<T>::lowest();
}
template <class T>
bool is_nan(T value) {
  return value != value;
}

/// Rows of fewer windows than this are taken window by window: a loop over a row is not worth its call.
constexpr int64_t kLeastRow = 9;

/// One image, window by window. `places`: null where nobody asks for them.
template <class T>
void max_by_windows(const Windows& windows, const Spatial& sizes, const T* image, T* best, int64_t* places) {
  for_each_window(windows, [&](int64_t at, size_t z, size_t y, size_t x) {
    T largest = lowest<T>();
    int64_t place = (windows[0].begin[z] * sizes[1] + windows[1].begin[y]) * sizes[2] + windows[2].begin[x];
    for_each_in_window(windows, sizes, z, y, x, [&](int64_t i) {
      const T value = image[i];
      const bool larger = (value > largest) | is_nan(value);
      largest = larger ? value : largest;
      place = larger ? i : place;
    });
    best[at] = largest;
    if (places) places[at] = place;
  });
}

/// One image with windows at even distances, a row of windows at a time. The image's columns are sorted by
/// their remainder modulo the stride first, so that what one tap of the windows sees lies side by side.
template <class T>
class MaxByRows {
  using Place = typename PoolRows<T>::Place;

 public:
  MaxByRows(const PoolGeometry& geometry, const Windows& windows, const Spatial& sizes)
      : windows_(windows),
        sizes_(sizes),
        kernel_(spatial(geometry.kernel, 1)[2]),
        stride_(spatial(geometry.stride, 1)[2]),
        padding_(spatial(geometry.padding, 0)[2]),
        dilation_(spatial(geometry.dilation, 1)[2]),
        phase_(volume(sizes) / sizes[2] * phase_width()) {}

  /// `places`: null where nobody asks for them.
  void run(const T* image, T* best, int64_t* places) const {
    ScratchScope scope;
    const T* sorted = stride_ == 1 ? image : sorted_columns(image);
    const int64_t width = windows_[2].count();
    Place* row_places = places ? Scratch::of_thread().take_array<Place>(width) : nullptr;
    for (size_t z = 0; z < windows_[0].begin.size(); ++z)
      for (size_t y = 0; y < windows_[1].begin.size(); ++y, best += width) {
        std::fill_n(best, width, lowest<T>());
        const int64_t corner = (windows_[0].begin[z] * sizes_[1] + windows_[1].begin[y]) * sizes_[2];
        for (int64_t x = 0; places && x < width; ++x)
          row_places[x] = Place(corner + windows_[2].begin[size_t(x)]);
        for (int64_t k = windows_[0].begin[z]; k < windows_[0].end[z]; k += windows_[0].step)
          for (int64_t j = windows_[1].begin[y]; j < windows_[1].end[y]; j += windows_[1].step)
            update_row(sorted, k * sizes_[1] + j, best, row_places);
        if (places) places = std::copy_n(row_places, width, places);
      }
  }

 private:
  int64_t phase_width() const { return (sizes_[2] + stride_ - 1) / stride_; }

  const T* sorted_columns(const T* image) const {
    const int64_t rows = volume(sizes_) / sizes_[2], phase_width = this->phase_width();
    T* sorted = Scratch::of_thread().take_array<T>(phase_ * stride_);
    if (stride_ == 2) {
      const int64_t width = sizes_[2];
      patch_kernels<T>().split(rows, image, width, width / 2, sorted, sorted + phase_, phase_width);
      if (width % 2)
        for (int64_t row = 0; row < rows; ++row)
          sorted[(row + 1) * phase_width - 1] = image[(row + 1) * width - 1];
      return sorted;
    }
    for (int64_t phase = 0; phase < stride_; ++phase)
      for (int64_t row = 0; row < rows; ++row) {
        const T* from = image + row * sizes_[2];
        T* to = sorted + phase * phase_ + row * phase_width;
        for (int64_t x = phase, i = 0; x < sizes_[2]; x += stride_, ++i) to[i] = from[x];
      }
    return sorted;
  }

  /// Lets all windows of a row see what is in image row `row`.
  void update_row(const T* sorted, int64_t row, T* best, Place* places) const {
    const int64_t width = windows_[2].count(), row_width = phase_width();
    for (int64_t tap = 0; tap < kernel_; ++tap) {
      const int64_t offset = tap * dilation_ - padding_;  // window x sees column x * stride + offset
      const int64_t phase = ((offset % stride_) + stride_) % stride_, shift = (offset - phase) / stride_;
      const int64_t begin = std::max<int64_t>(0, -shift);
      const int64_t columns = phase < sizes_[2] ? (sizes_[2] - phase + stride_ - 1) / stride_ : 0;
      const int64_t end = std::min(width, columns - shift);
      if (end <= begin) continue;
      const T* from = sorted + phase * phase_ + row * row_width + begin + shift;
      if (places)
        pool_rows<T>().update(from, Place(row * sizes_[2] + begin * stride_ + offset), Place(stride_),
                              end - begin, best + begin, places + begin);
      else
        pool_rows<T>().update_values(from, end - begin, best + begin);
    }
  }

  const Windows& windows_;
  Spatial sizes_;
  int64_t kernel_, stride_, padding_, dilation_;
  int64_t phase_;  ///< elements of one remainder
};

/// Runs `f(image, result, places)` for each image of `self`.
template <class T, class F>
void for_each_plane(const Tensor& self, int64_t plane, const Tensor& best, const Tensor& places, int64_t out,
                    F f) {
  const int64_t planes = plane == 0 ? 0 : self.numel().expect() / plane;
  parallel_for(planes, planes_per_piece(plane), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      f(i, self.data_as<T>() + i * plane, best.data_as<T>() + i * out, places.data_as<int64_t>() + i * out);
  });
}

struct PoolResults {
  Tensor best, places;  ///< in row-major order

  PoolResults(const Op& op, const Value* args) {
    op.meta(op, args, metas_);
    best = Tensor::empty(metas_[0].sizes, metas_[0].dtype);
    places = Tensor::empty(metas_[1].sizes, metas_[1].dtype);
  }
  void store(Value* results) {
    results[0] = laid_out(std::move(best), metas_[0]);
    results[1] = laid_out(std::move(places), metas_[1]);
  }

 private:
  std::vector<TensorMeta> metas_;
};

}  // namespace

namespace cpu {

bool are_pooled_by_rows(const Tensor& self, int spatial) {
  return is_float_type(self.dtype()) && self.is_contiguous() && !(self.numel() == 0) &&
         volume(last_spatial(self.sizes(), spatial)) <= std::numeric_limits<int32_t>::max();
}

namespace {

/// Whether windows over lines of `length` fill them exactly: it does not matter then where a line ends.
bool fill_lines(const PoolGeometry& geometry, int64_t length) {
  return geometry.spatial() == 1 && geometry.kernel == geometry.stride && geometry.padding[0] == 0 &&
         geometry.dilation[0] == 1 && length % geometry.kernel[0] == 0;
}

/// Of how many lines one can be made without changing what windows see.
int64_t lines_to_join(const PoolGeometry& geometry, int64_t length, int64_t lines) {
  if (!fill_lines(geometry, length)) return 1;
  int64_t count = std::clamp<int64_t>(4096 / length, 1, lines);
  while (lines % count != 0) --count;
  return count;
}

void largest_of_pairs(const Tensor& self, const Tensor& result) {
  constexpr int64_t kPiece = 16384;  // elements worth a thread
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(result.numel().expect(), kPiece, [&](int64_t begin, int64_t end) {
      pool_rows<T>().largest_of_pairs(self.data_as<T>() + 2 * begin, end - begin,
                                      result.data_as<T>() + begin);
    });
  });
}

}  // namespace

Tensor largest_of_windows(const Tensor& self, const PoolGeometry& geometry) {
  const Tensor result = Tensor::empty(pooled_sizes(self.meta(), geometry), self.dtype());
  Spatial sizes = last_spatial(self.sizes(), geometry.spatial()),
          output = last_spatial(result.sizes(), geometry.spatial());
  if (fill_lines(geometry, sizes[2]) && geometry.kernel[0] == 2) {
    largest_of_pairs(self, result);
    return result;
  }
  const int64_t joined = lines_to_join(geometry, sizes[2], self.numel().expect() / volume(sizes));
  sizes[2] *= joined, output[2] *= joined;
  const Windows windows = even_windows(geometry, sizes, output);
  const int64_t plane = volume(sizes), out = volume(output);
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const MaxByRows<T> rows(geometry, windows, sizes);
    parallel_for(self.numel().expect() / plane, planes_per_piece(plane), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* image = self.data_as<T>() + i * plane;
        T* best = result.data_as<T>() + i * out;
        if (output[2] < kLeastRow)
          max_by_windows<T>(windows, sizes, image, best, nullptr);
        else
          rows.run(image, best, nullptr);
      }
    });
  });
  return result;
}

}  // namespace cpu

void pool_max_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  const PoolGeometry geometry = max_geometry(args);
  PoolResults pooled(op, args);
  const Spatial sizes = last_spatial(self.sizes(), geometry.spatial()),
                output = last_spatial(pooled.best.sizes(), geometry.spatial());
  const Windows windows = even_windows(geometry, sizes, output);
  const int64_t plane = volume(sizes), out = volume(output);
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      if (output[2] >= kLeastRow && (sizeof(T) == 8 || plane <= std::numeric_limits<int32_t>::max())) {
        const MaxByRows<T> rows(geometry, windows, sizes);
        return for_each_plane<T>(
            self, plane, pooled.best, pooled.places, out,
            [&](int64_t, const T* image, T* best, int64_t* places) { rows.run(image, best, places); });
      }
    }
    for_each_plane<T>(self, plane, pooled.best, pooled.places, out,
                      [&](int64_t, const T* image, T* best, int64_t* places) {
                        max_by_windows(windows, sizes, image, best, places);
                      });
  });
  pooled.store(results);
}

void pool_adaptive_max_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  const int spatial_dims = args[1].dims().size();
  PoolResults pooled(op, args);
  const Spatial sizes = last_spatial(self.sizes(), spatial_dims),
                output = last_spatial(pooled.best.sizes(), spatial_dims);
  const Windows windows = adaptive_windows(sizes, output, pooled.best);
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_plane<T>(self, volume(sizes), pooled.best, pooled.places, volume(output),
                      [&](int64_t, const T* image, T* best, int64_t* places) {
                        max_by_windows(windows, sizes, image, best, places);
                      });
  });
  pooled.store(results);
}

namespace {

/// Starts that grow by `alpha` on average, from a random phase on; the last window ends with the image.
AxisWindows fractional_axis(double sample, int64_t input, int64_t output, int64_t kernel) {
  AxisWindows axis;
  const double alpha = output > 1 ? double(input - kernel) / double(output - 1) : 0;
  for (int64_t i = 0; i < output; ++i) {
    const int64_t start =
        i + 1 == output ? input - kernel : int64_t((double(i) + sample) * alpha) - int64_t(sample * alpha);
    axis.begin.push_back(
        std::clamp<int64_t>(start, 0, input - kernel));  // a sample may be any number, or none
    axis.end.push_back(axis.begin.back() + kernel);
  }
  return axis;
}

}  // namespace

/// args: self, kernel_size, output_size, samples. Samples are for (x, y) in 2d and for (z, y, x) in 3d.
void pool_fractional_max_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), samples = contiguous_as(args[3].tensor(), DType::float64);
  const int spatial_dims = args[1].dims().size();
  PoolResults pooled(op, args);
  const Spatial sizes = last_spatial(self.sizes(), spatial_dims), kernel = spatial(args[1].dims(), 1),
                output = last_spatial(pooled.best.sizes(), spatial_dims);
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_plane<T>(self, volume(sizes), pooled.best, pooled.places, volume(output),
                      [&](int64_t plane, const T* image, T* best, int64_t* places) {
                        const double* sample = samples.data_as<double>() + plane * spatial_dims;
                        Windows windows;
                        for (size_t d = 0; d < kSpatial; ++d) {
                          const int at = spatial_dims == 2 ? 2 - int(d) : int(d);
                          windows[d] = fractional_axis(d + size_t(spatial_dims) < kSpatial ? 0.0 : sample[at],
                                                       sizes[d], output[d], kernel[d]);
                        }
                        max_by_windows(windows, sizes, image, best, places);
                      });
  });
  pooled.store(results);
}

}  // namespace framejit::eager
