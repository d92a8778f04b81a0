// Averages over windows, and their gradients.
#include "eager/cpu/float_type.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/images/plane_filter.h"
#include "eager/cpu/images/pool_rows.h"
#include "eager/cpu/images/pool_windows.h"
#include "eager/cpu/images/pooled_values.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// What the sum of each window is divided by: `divisor`, or its size, with or without what is padding.
struct Divisors {
  bool with_padding = false;
  int64_t divisor = 0;

  int64_t of(const Windows& w, size_t z, size_t y, size_t x) const {
    if (divisor != 0) return divisor;
    if (with_padding) return w[0].padded_count[z] * w[1].padded_count[y] * w[2].padded_count[x];
    return (w[0].end[z] - w[0].begin[z]) * (w[1].end[y] - w[1].begin[y]) * (w[2].end[x] - w[2].begin[x]);
  }
};

/// What the sums of all windows of an image are divided by.
template <class T>
std::vector<T> all_divisors(const Windows& windows, const Divisors& divisors) {
  std::vector<T> all(size_t(output_count(windows)));
  for_each_window(windows, [&](int64_t at, size_t z, size_t y, size_t x) {
    all[size_t(at)] = T(divisors.of(windows, z, y, x));
  });
  return all;
}

/// Shorter rows of images are taken window by window: a loop over a row is not worth its call.
constexpr int64_t kLeastRow = 16;

bool is_half(DType dtype) { return is_floating(dtype) && wider_type(dtype) != dtype; }

/// Halves are summed in float32 and rounded once.
template <class Run>
void in_float32(const Tensor& from, const Tensor& result, Run run) {
  const Tensor wide = Tensor::empty(result.sizes(), DType::float32);
  run(contiguous_as(from, DType::float32), wide);
  copy_elements(wide, result);
}

/// The averages of one image of floats: rows are added up first, by vectors, then what is side by side.
template <class T>
void average_rows(const Windows& windows, const Spatial& sizes, const Divisors& divisors, const T* image,
                  T* to) {
  const RowOps<T>& ops = RowOps<T>::get();
  const int64_t width = sizes[2];
  ScratchScope scope;
  T* sums = Scratch::of_thread().take_array<T>(width);
  for (size_t z = 0; z < windows[0].begin.size(); ++z)
    for (size_t y = 0; y < windows[1].begin.size(); ++y) {
      std::fill_n(sums, width, T(0));
      for (int64_t k = windows[0].begin[z]; k < windows[0].end[z]; k += windows[0].step)
        for (int64_t j = windows[1].begin[y]; j < windows[1].end[y]; j += windows[1].step)
          ops.add(sums, image + (k * sizes[1] + j) * width, width, sums);
      for (size_t x = 0; x < windows[2].begin.size(); ++x) {
        T sum = 0;
        for (int64_t i = windows[2].begin[x]; i < windows[2].end[x]; i += windows[2].step) sum += sums[i];
        *to++ = sum / T(divisors.of(windows, z, y, x));
      }
    }
}

/// From images of `sizes` to one element for each window.
void average(const Tensor& self, const Windows& windows, const Spatial& sizes, const Divisors& divisors,
             const Tensor& result) {
  if (is_half(self.dtype()))
    return in_float32(self, result, [&](const Tensor& wide, const Tensor& to) {
      average(wide, windows, sizes, divisors, to);
    });
  const Tensor from = contiguous(self);
  const int64_t plane = volume(sizes), out = output_count(windows);
  const int64_t planes = plane == 0 ? 0 : from.numel().expect() / plane;
  for_dtype(from.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(planes, std::max<int64_t>(1, 16384 / (plane + out)), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const T* image = from.data_as<T>() + p * plane;
        T* to = result.data_as<T>() + p * out;
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          if (sizes[2] >= kLeastRow) {
            average_rows(windows, sizes, divisors, image, to);
            continue;
          }
        }
        for_each_window(windows, [&](int64_t at, size_t z, size_t y, size_t x) {
          T sum = T(0);
          for_each_in_window(windows, sizes, z, y, x, [&](int64_t i) { sum = wrapping_sum(sum, image[i]); });
          to[at] = T(sum / T(divisors.of(windows, z, y, x)));
        });
      }
    });
  });
}

/// The transpose of `average`.
void average_backward(const Tensor& grad, const Windows& windows, const Spatial& sizes,
                      const Divisors& divisors, const Tensor& result) {
  if (is_half(grad.dtype()))
    return in_float32(grad, result, [&](const Tensor& wide, const Tensor& to) {
      average_backward(wide, windows, sizes, divisors, to);
    });
  const Tensor from = contiguous(grad);
  const int64_t plane = volume(sizes), out = output_count(windows);
  const int64_t planes = plane == 0 ? 0 : result.numel().expect() / plane;
  for_dtype(from.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(planes, std::max<int64_t>(1, 16384 / (plane + out)), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const T* pooled = from.data_as<T>() + p * out;
        T* image = result.data_as<T>() + p * plane;
        std::fill_n(image, plane, T(0));
        for_each_window(windows, [&](int64_t at, size_t z, size_t y, size_t x) {
          const T share = T(pooled[at] / T(divisors.of(windows, z, y, x)));
          for_each_in_window(windows, sizes, z, y, x,
                             [&](int64_t i) { image[i] = wrapping_sum(image[i], share); });
        });
      }
    });
  });
}

/// Windows at even distances over floats are a convolution with weights of one.
Shapes convolution_shapes(const PoolGeometry& geometry, int64_t planes, const Spatial& sizes,
                          const Spatial& output) {
  ConvolutionGeometry same;
  same.stride = geometry.stride, same.padding = geometry.padding, same.dilation = geometry.dilation;
  same.groups = 1;
  Dims images{planes, 1}, pixels{planes, 1};
  for (size_t d = 0; d < kSpatial; ++d) images.push_back(sizes[d]), pixels.push_back(output[d]);
  return Shapes(images, pixels, geometry.kernel, same);
}

/// A few elements are averaged before a convolution is planned.
constexpr int64_t kFewElements = 512;
bool are_filtered(const Tensor& tensor) {
  return is_float_type(tensor.dtype()) && tensor.numel().expect() > kFewElements;
}

void even_average(const Tensor& self, const PoolGeometry& geometry, const Spatial& sizes,
                  const Spatial& output, const Divisors& divisors, const Tensor& result) {
  const Windows windows = even_windows(geometry, sizes, output);
  if (!are_filtered(self) || result.numel() == 0) return average(self, windows, sizes, divisors, result);
  const Tensor from = contiguous(self);
  const int64_t plane = volume(sizes), out = output_count(windows), planes = from.numel().expect() / plane;
  const Shapes shapes = convolution_shapes(geometry, planes, sizes, output);
  for_float_type(from.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> ones(size_t(shapes.taps()), T(1)), divisor = all_divisors<T>(windows, divisors);
    T* to = result.data_as<T>();
    filter_planes(shapes, Images<T>{from.data_as<T>(), planes, 1, {sizes}}, {1, 1, 1},
                  WeightView<T>{ones.data(), 0, 0, 1}, 0, static_cast<const T*>(nullptr), to);
    parallel_for(planes, std::max<int64_t>(1, 16384 / out), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        for (int64_t i = 0; i < out; ++i) to[p * out + i] /= divisor[size_t(i)];
    });
  });
}

/// The transposed convolution of the shares.
void even_average_backward(const Tensor& grad, const PoolGeometry& geometry, const Spatial& sizes,
                           const Spatial& output, const Divisors& divisors, const Tensor& result) {
  const Windows windows = even_windows(geometry, sizes, output);
  if (!are_filtered(grad) || result.numel() == 0)
    return average_backward(grad, windows, sizes, divisors, result);
  const Tensor from = contiguous(grad), shares = Tensor::empty(grad.sizes(), grad.dtype());
  const int64_t plane = volume(sizes), out = output_count(windows), planes = result.numel().expect() / plane;
  for_float_type(from.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> divisor = all_divisors<T>(windows, divisors);
    parallel_for(planes, std::max<int64_t>(1, 16384 / out), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        for (int64_t i = 0; i < out; ++i)
          shares.data_as<T>()[p * out + i] = from.data_as<T>()[p * out + i] / divisor[size_t(i)];
    });
    const Shapes shapes = mirrored_shapes(convolution_shapes(geometry, planes, sizes, output));
    const std::vector<T> ones(size_t(shapes.taps()), T(1));
    filter_planes(shapes, Images<T>{shares.data_as<T>(), planes, 1, {output}}, spatial(geometry.stride, 1),
                  WeightView<T>{ones.data(), 0, 0, 1}, 0, static_cast<const T*>(nullptr),
                  result.data_as<T>());
  });
}

/// args: ..., count_include_pad, divisor_override.
Divisors divisors_of(const Value* args) {
  return {args[0].boolean(), args[1].is_none() ? 0 : args[1].integer()};
}

}  // namespace

namespace cpu {

bool are_small_images(const Tensor& self, int spatial) {
  return volume(last_spatial(self.sizes(), spatial)) <= 256;
}

Tensor means_of_images(const Tensor& self, int spatial) {
  Dims sizes = self.sizes();
  for (int d = 0; d < spatial; ++d) sizes[sizes.size() - 1 - d] = 1;
  const Tensor result = Tensor::empty(sizes, self.dtype());
  const int64_t plane = volume(last_spatial(self.sizes(), spatial));
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(result.numel().expect(), std::max<int64_t>(1, 32768 / plane),
                 [&](int64_t begin, int64_t end) {
                   pool_rows<T>().means(self.data_as<T>() + begin * plane, end - begin, plane,
                                        result.data_as<T>() + begin);
                 });
  });
  return result;
}

}  // namespace cpu

/// args: self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override.
void pool_average_kernel(const Op& op, const Value* args, Value* results) {
  const PoolGeometry geometry = average_geometry(args + 1);
  const TensorMeta meta = infer_single(op, args);
  const Tensor result = Tensor::empty(meta.sizes, meta.dtype);
  const Spatial sizes = last_spatial(args[0].impl()->meta.sizes, geometry.spatial()),
                output = last_spatial(result.sizes(), geometry.spatial());
  even_average(args[0].tensor(), geometry, sizes, output, divisors_of(args + 5), result);
  results[0] = laid_out(result, meta);
}

/// args: self, sizes, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override.
void pool_average_backward_kernel(const Op& op, const Value* args, Value* results) {
  const PoolGeometry geometry = average_geometry(args + 2);
  Tensor result = allocate_result(op, args);
  const Spatial sizes = spatial(args[1].dims(), 1),
                output = last_spatial(args[0].impl()->meta.sizes, geometry.spatial());
  even_average_backward(args[0].tensor(), geometry, sizes, output, divisors_of(args + 6), result);
  results[0] = std::move(result);
}

/// args: self, output_size.
void pool_adaptive_average_kernel(const Op& op, const Value* args, Value* results) {
  const TensorMeta meta = infer_single(op, args);
  const Tensor result = Tensor::empty(meta.sizes, meta.dtype);
  const Dims output = args[1].dims();
  const Spatial sizes = last_spatial(args[0].impl()->meta.sizes, output.size());
  average(args[0].tensor(), adaptive_windows(sizes, spatial(output, 1), result), sizes, {}, result);
  results[0] = laid_out(result, meta);
}

/// args: self, sizes.
void pool_adaptive_average_backward_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Dims input = args[1].dims();
  const Spatial sizes = spatial(input, 1), output = last_spatial(args[0].impl()->meta.sizes, input.size());
  average_backward(args[0].tensor(), adaptive_windows(sizes, output, result), sizes, {}, result);
  results[0] = std::move(result);
}

}  // namespace framejit::eager
