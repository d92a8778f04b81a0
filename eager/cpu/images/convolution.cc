// Convolution and the gradient of its weight. Everything is a product of matrices over patches
// (patch_product.h), but where a group has few channels (plane_filter.h).
#include "eager/meta/convolution.h"

#include "eager/cpu/float_type.h"
#include "eager/cpu/images/convolve.h"
#include "eager/cpu/images/integer_convolution.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/images/patch_kernels.h"
#include "eager/cpu/images/patch_product.h"
#include "eager/cpu/images/patches.h"
#include "eager/cpu/images/plane_filter.h"

namespace framejit::eager {

using namespace cpu;

namespace {

template <class T>
Images<T> images_of(const Tensor& tensor) {
  const Dims& sizes = tensor.sizes();
  return {tensor.data_as<T>(), sizes[0], sizes[1], {spatial(spatial_sizes(sizes), 1)}};
}

/// Offsets in `images` of the taps of all channels of a group.
template <class T>
std::vector<int64_t> channel_taps(const Window& window, const Images<T>& images, int64_t channels) {
  const std::vector<int64_t> taps = tap_offsets(window, images.canvas);
  std::vector<int64_t> result;
  result.reserve(size_t(channels) * taps.size());
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t tap : taps) result.push_back(c * images.channel_stride() + tap);
  return result;
}

/// Offsets of the windows of all images of the batch.
template <class T>
std::vector<int64_t> batch_pixels(const Window& window, const Images<T>& images) {
  const std::vector<int64_t> pixels = window_offsets(window, images.canvas);
  std::vector<int64_t> result;
  result.reserve(size_t(images.count) * pixels.size());
  for (int64_t n = 0; n < images.count; ++n)
    for (int64_t pixel : pixels) result.push_back(n * images.image_stride() + pixel);
  return result;
}

/// Columns [first, first + count) of the pixels of all images, as stretches within one image:
/// `f(image, first pixel, how many, how far into the columns)`.
template <class F>
void for_each_image(int64_t first, int64_t count, int64_t pixels, F f) {
  for (int64_t done = 0; done < count;) {
    const int64_t image = (first + done) / pixels, pixel = (first + done) % pixels;
    const int64_t n = std::min(count - done, pixels - pixel);
    f(image, pixel, n, done);
    done += n;
  }
}

/// The result for all groups, by products of matrices.
template <class T>
void multiply_patches(const Shapes& shapes, const Images<T>& images, const WeightView<T>& weights,
                      int64_t group_stride, const T* bias, T* result) {
  const PatchProduct<T> product(shapes.pixel_channels,
                                channel_taps(shapes.window, images, shapes.image_channels),
                                batch_pixels(shapes.window, images));
  const int64_t rows = shapes.pixel_channels, pixels = shapes.pixels();
  const RowOps<T>& ops = RowOps<T>::get();
  std::vector<ReadyWeights<T>> ready;
  for (int64_t g = 0; g < shapes.groups; ++g)
    ready.push_back(product.ready_weights(
        {weights.base + g * group_stride, weights.row_stride, weights.channel_stride, weights.tap_stride},
        shapes.taps()));
  parallel_for(shapes.groups * product.blocks(), product.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / product.blocks();
      const T* from = images.data + group * shapes.image_channels * images.channel_stride();
      product.run_block(
          i % product.blocks(), ready[size_t(group)], from,
          images.readable_from(group * shapes.image_channels),
          [&](int64_t first, int64_t count, const T* block, int64_t stride) {
            for_each_image(first, count, pixels, [&](int64_t image, int64_t pixel, int64_t n, int64_t at) {
              const int64_t channel = (image * shapes.groups + group) * rows;
              for (int64_t r = 0; r < rows; ++r) {
                const T* row = block + r * stride + at;
                T* to = result + (channel + r) * pixels + pixel;
                bias ? ops.add(row, bias[group * rows + r], n, to) : void(std::copy_n(row, n, to));
              }
            });
          });
    }
  });
}

}  // namespace

namespace cpu {

template <class T>
void convolve(const Shapes& shapes, const Images<T>& input, const WeightView<T>& weights,
              int64_t group_stride, const T* bias, T* result) {
  if (are_few<T>(shapes.pixel_channels))
    return filter_planes(shapes, input, {1, 1, 1}, weights, group_stride, bias, result);
  Tensor owner;
  const Images<T> images = padded(input, shapes.window, &owner);
  multiply_patches(shapes, images, weights, group_stride, bias, result);
}

template void convolve(const Shapes&, const Images<float>&, const WeightView<float>&, int64_t, const float*,
                       float*);
template void convolve(const Shapes&, const Images<double>&, const WeightView<double>&, int64_t,
                       const double*, double*);

}  // namespace cpu

namespace {

/// Places of elements as stretches of neighbours.
class Places {
 public:
  void add(int64_t offset, int64_t count) {
    if (!offsets_.empty() && offsets_.back() + lengths_.back() == offset)
      lengths_.back() += count;
    else
      offsets_.push_back(offset), lengths_.push_back(count);
  }
  /// What lies there in each of `rows` arrays that begin at `from(row)`, as a row padded with zeros to `stride`.
  template <class T, class From>
  void pack(int64_t rows, From from, int64_t count, int64_t stride, T* to) const {
    for (int64_t r = 0; r < rows; ++r, to += stride) {
      patch_kernels<T>().copy_stretches(int64_t(offsets_.size()), from(r), offsets_.data(), lengths_.data(),
                                        to);
      std::fill(to + count, to + stride, T(0));
    }
  }

 private:
  std::vector<int64_t> offsets_, lengths_;
};

/// The gradient of the weight: products of rows of pixels of `grad` and of the patches they come from.
template <class T>
void correlate(const Shapes& shapes, const Images<T>& input, const T* grad, T* result) {
  if (are_few<T>(shapes.pixel_channels) && shapes.groups >= 8)
    return correlate_planes(shapes, input, grad, result);
  Tensor owner;
  const Images<T> images = padded(input, shapes.window, &owner);
  const std::vector<int64_t> taps = channel_taps(shapes.window, images, shapes.image_channels);
  const std::vector<int64_t> starts = window_offsets(shapes.window, images.canvas);
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const int64_t rows = shapes.pixel_channels, columns = int64_t(taps.size()), pixels = shapes.pixels();
  const int64_t total = shapes.batch * pixels, width = shapes.window.output[2];
  const int64_t piece = std::clamp<int64_t>((columns + num_threads() - 1) / num_threads(), 1, 64);
  const int64_t pieces = (columns + piece - 1) / piece;
  const int64_t at_once = std::min((total + 63) / 64 * 64,
                                   std::clamp<int64_t>(131072 / std::max(rows, piece) / 64 * 64, 128, 1024));
  std::fill_n(result, shapes.groups * rows * columns, T(0));

  const auto run_piece = [&](int64_t group, int64_t begin, int64_t end) {
    ScratchScope scope;
    T* left = Scratch::of_thread().take_array<T>(rows * at_once);
    T* right = Scratch::of_thread().take_array<T>((end - begin) * at_once);
    for (int64_t first = 0; first < total; first += at_once) {
      const int64_t count = std::min(at_once, total - first);
      const int64_t stride = (count + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
      Places grads, patches;
      for_each_image(first, count, pixels, [&](int64_t image, int64_t pixel, int64_t n, int64_t) {
        grads.add(image * shapes.groups * rows * pixels + pixel, n);
        for (int64_t in_row; n > 0; pixel += in_row, n -= in_row) {
          in_row = std::min(n, width - pixel % width);
          patches.add(image * images.image_stride() + starts[size_t(pixel)], in_row);
        }
      });
      const T* grads_of_group = grad + group * rows * pixels;
      const T* channels = images.data + group * shapes.image_channels * images.channel_stride();
      grads.pack(
          rows, [&](int64_t r) { return grads_of_group + r * pixels; }, count, stride, left);
      patches.pack(
          end - begin, [&](int64_t r) { return channels + taps[size_t(begin + r)]; }, count, stride, right);
      kernels.dot(rows, end - begin, stride, left, right, stride, result + group * rows * columns + begin,
                  columns);
    }
  };
  const int64_t work = rows * piece * total;
  parallel_for(shapes.groups * pieces, std::max<int64_t>(1, (1 << 17) / std::max<int64_t>(1, work)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t from = i % pieces * piece;
                   run_piece(i / pieces, from, std::min(columns, from + piece));
                 }
               });
}

/// Sums are made in float64 for that type and in float32 for the others.
DType compute_dtype(DType dtype) { return dtype == DType::float64 ? dtype : DType::float32; }

/// `result` itself, or what is to be converted into it.
Tensor result_buffer(const Tensor& result) {
  const DType dtype = compute_dtype(result.dtype());
  return dtype == result.dtype() ? result : Tensor::empty(result.sizes(), dtype);
}

}  // namespace

void convolution_kernel(const Op& op, const Value* args, Value* results) {
  const ConvolutionGeometry geometry = convolution_geometry(args);
  Tensor result = allocate_result(op, args);
  if (is_integral(result.dtype(), false)) {
    convolve_integers(args, geometry, result);
    return void(results[0] = std::move(result));
  }
  const DType dtype = compute_dtype(result.dtype());
  const Tensor input = contiguous_as(args[0].tensor(), dtype),
               weight = contiguous_as(args[1].tensor(), dtype);
  const Tensor bias = args[2].is_none() ? Tensor() : contiguous_as(args[2].tensor(), dtype);
  const Tensor buffer = result_buffer(result);
  const Dims kernel = spatial_sizes(weight.sizes());
  if (!(result.numel() == 0))
    for_float_type(dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* added = bias.defined() ? bias.data_as<T>() : nullptr;
      T* to = buffer.data_as<T>();
      const Images<T> images = images_of<T>(input);
      if (!geometry.transposed) {
        const Shapes shapes(input.sizes(), result.sizes(), kernel, geometry);
        const int64_t taps = shapes.taps(), row = shapes.image_channels * taps;
        convolve(shapes, images, WeightView<T>{weight.data_as<T>(), row, taps, 1},
                 shapes.pixel_channels * row, added, to);
        return;
      }
      const Shapes shapes(result.sizes(), input.sizes(), kernel, geometry);
      convolve_transposed(shapes, images, weight.data_as<T>(), added, to);
    });
  if (!(buffer == result)) copy_elements(buffer, result);
  results[0] = std::move(result);
}

/// args: grad_output, input, kernel_size, stride, padding, dilation, groups.
void convolution_weight_kernel(const Op& op, const Value* args, Value* results) {
  ConvolutionGeometry geometry;
  geometry.stride = args[3].dims(), geometry.padding = args[4].dims(), geometry.dilation = args[5].dims();
  geometry.groups = args[6].sym_int();
  Tensor result = allocate_result(op, args);
  const DType dtype = compute_dtype(result.dtype());
  const Tensor grad = contiguous_as(args[0].tensor(), dtype), input = contiguous_as(args[1].tensor(), dtype);
  const Tensor buffer = result_buffer(result);
  if (!(result.numel() == 0))
    for_float_type(dtype, [&](auto zero) {
      using T = decltype(zero);
      correlate(Shapes(input.sizes(), grad.sizes(), args[2].dims(), geometry), images_of<T>(input),
                grad.data_as<T>(), buffer.data_as<T>());
    });
  if (!(buffer == result)) copy_elements(buffer, result);
  results[0] = std::move(result);
}

}  // namespace framejit::eager
