// Transposed convolutions, each by one of four ways:
//   convolve_mirrored  a convolution with the mirrored kernel; for strides, over pixels with zeros between them, which
//                      a product of matrices with many channels would not be worth
//   convolve_residues  elements of the result whose places have the same remainder modulo the stride see the same
//                      taps: a convolution of its own for each remainder
//   spread             a product of matrices that gives what each pixel adds to each tap; for large strides
#include <numeric>

#include "eager/cpu/images/convolve.h"
#include "eager/cpu/images/patch_kernels.h"

namespace framejit::eager::cpu {

namespace {

/// As the convolution that it is, of pixels with zeros between them.
template <class T>
void convolve_mirrored(const Shapes& shapes, const Images<T>& input, const T* weight, const T* bias,
                       T* result) {
  const Shapes mirrored = mirrored_shapes(shapes);
  const Window& window = shapes.window;
  const int64_t taps = shapes.taps(), row = shapes.image_channels * taps;
  const WeightView<T> weights{weight + taps - 1, taps, row, -1};
  if (volume(window.stride) == 1)
    return convolve(mirrored, input, weights, shapes.pixel_channels * row, bias, result);
  filter_planes(mirrored, input, window.stride, weights, shapes.pixel_channels * row, bias, result);
}

/// Adds up, for one channel, what each pixel gives to each tap: `columns` is taps x pixels.
template <class T>
void add_up(const Window& window, const T* columns, T bias, T* result) {
  Spatial canvas_sizes = window.covered();
  for (size_t d = 0; d < kSpatial; ++d)
    canvas_sizes[d] = std::max(canvas_sizes[d], window.padding[d] + window.input[d]);
  const std::vector<int64_t> taps = tap_offsets(window, {canvas_sizes}),
                             starts = window_offsets(window, {canvas_sizes});
  const int64_t width = window.output[2], step = window.stride[2];
  ScratchScope scope;
  T* canvas = Scratch::of_thread().take_array<T>(volume(canvas_sizes));
  std::fill_n(canvas, volume(canvas_sizes), T(0));
  for (int64_t tap : taps)
    for (size_t row = 0; row < starts.size(); row += size_t(width), columns += width) {
      T* to = canvas + tap + starts[row];
      for (int64_t i = 0; i < width; ++i) to[i * step] += columns[i];
    }
  const Spatial& sizes = window.input;
  for (int64_t z = 0; z < sizes[0]; ++z)
    for (int64_t y = 0; y < sizes[1]; ++y) {
      const T* from =
          canvas + ((z + window.padding[0]) * canvas_sizes[1] + y + window.padding[1]) * canvas_sizes[2];
      for (int64_t x = 0; x < sizes[2]; ++x) *result++ = from[x + window.padding[2]] + bias;
    }
}

/// A transposed convolution of any stride, image by image: what each pixel gives to each tap is a product of
/// matrices, which is then added up where the taps lie.
template <class T>
void spread(const Shapes& shapes, const Images<T>& input, const T* weight, const T* bias, T* result) {
  const int64_t taps = shapes.taps(), pixels = shapes.pixels(), size = volume(shapes.window.input);
  const int64_t rows = shapes.image_channels * taps;
  std::vector<int64_t> channel_offsets(size_t(shapes.pixel_channels), 0), pixel_offsets(size_t(pixels), 0);
  for (int64_t c = 0; c < shapes.pixel_channels; ++c) channel_offsets[size_t(c)] = c * pixels;
  std::iota(pixel_offsets.begin(), pixel_offsets.end(), 0);
  const PatchProduct<T> product(rows, std::move(channel_offsets), std::move(pixel_offsets));
  const Tensor owner = Tensor::empty(Dims{rows * pixels}, dtype_of<T>());
  T* columns = owner.data_as<T>();
  for (int64_t group = 0; group < shapes.groups; ++group) {
    const ReadyWeights<T> ready =
        product.ready_weights({weight + group * shapes.pixel_channels * rows, 1, rows, 0}, 1);
    for (int64_t n = 0; n < shapes.batch; ++n) {
      const T* from = input.data + n * input.image_stride() + group * shapes.pixel_channels * pixels;
      parallel_for(product.blocks(), product.grain(), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b)
          product.run_block(b, ready, from, shapes.pixel_channels * pixels,
                            [&](int64_t first, int64_t count, const T* block, int64_t stride) {
                              for (int64_t r = 0; r < rows; ++r)
                                std::copy_n(block + r * stride, count, columns + r * pixels + first);
                            });
      });
      const int64_t first = group * shapes.image_channels;
      T* to = result + (n * shapes.groups * shapes.image_channels + first) * size;
      parallel_for(shapes.image_channels, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, taps * pixels)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t c = begin; c < end; ++c)
                       add_up(shapes.window, columns + c * taps * pixels, bias ? bias[first + c] : T(0),
                              to + c * size);
                   });
    }
  }
}

/// Along one dim, the convolution that makes the elements with remainder `residue`.
struct Axis {
  int64_t taps = 0, first_tap = 0, tap_step, dilation, padding = 0, outputs;

  Axis(const Window& window, size_t d, int64_t residue) {
    const int64_t stride = window.stride[d], place = residue + window.padding[d];
    const int64_t common = std::gcd(window.dilation[d], stride);
    tap_step = stride / common, dilation = window.dilation[d] / common;
    outputs = std::max<int64_t>(0, (window.input[d] - residue + stride - 1) / stride);
    // Taps k with k * dilation = place modulo the stride.
    while (first_tap < tap_step && (first_tap * window.dilation[d] - place) % stride != 0) ++first_tap;
    if (first_tap == tap_step || first_tap >= window.kernel[d]) return;
    taps = (window.kernel[d] - first_tap + tap_step - 1) / tap_step;
    padding = (taps - 1) * dilation - (place - first_tap * window.dilation[d]) / stride;
  }
};
using Axes = std::array<Axis, kSpatial>;

Shapes shapes_of(const Shapes& shapes, const Axes& axes) {
  Shapes part = shapes;
  std::swap(part.image_channels, part.pixel_channels);
  std::swap(part.window.input, part.window.output);
  part.window.stride = {1, 1, 1};
  for (size_t d = 0; d < kSpatial; ++d) {
    part.window.kernel[d] = axes[d].taps, part.window.dilation[d] = axes[d].dilation;
    part.window.padding[d] = axes[d].padding, part.window.output[d] = axes[d].outputs;
  }
  return part;
}

/// The weights of a part, mirrored: channels of the result, channels of the pixels, taps.
template <class T>
std::vector<T> weights_of(const Shapes& shapes, const Axes& axes, const T* weight) {
  const auto tap = [&](size_t d, int64_t t) {
    return axes[d].first_tap + (axes[d].taps - 1 - t) * axes[d].tap_step;
  };
  std::vector<int64_t> taps;
  for (int64_t z = 0; z < axes[0].taps; ++z)
    for (int64_t y = 0; y < axes[1].taps; ++y)
      for (int64_t x = 0; x < axes[2].taps; ++x)
        taps.push_back((tap(0, z) * shapes.window.kernel[1] + tap(1, y)) * shapes.window.kernel[2] +
                       tap(2, x));
  std::vector<T> result;
  result.reserve(size_t(shapes.groups * shapes.image_channels * shapes.pixel_channels) * taps.size());
  for (int64_t g = 0; g < shapes.groups; ++g)
    for (int64_t to = 0; to < shapes.image_channels; ++to)
      for (int64_t from = 0; from < shapes.pixel_channels; ++from) {
        const T* kernel =
            weight + ((g * shapes.pixel_channels + from) * shapes.image_channels + to) * shapes.taps();
        for (int64_t k : taps) result.push_back(kernel[k]);
      }
  return result;
}

/// Elements of one remainder, as contiguous images.
template <class T>
Tensor convolve_residue(const Shapes& shapes, const Axes& axes, const Images<T>& input, const T* weight,
                        const T* bias) {
  const Shapes part = shapes_of(shapes, axes);
  const int64_t channels = part.groups * part.pixel_channels, pixels = part.pixels();
  Tensor result = Tensor::empty(Dims{part.batch * channels * pixels}, dtype_of<T>());
  T* to = result.data_as<T>();
  if (part.taps() > 0 && pixels > 0) {
    const std::vector<T> weights = weights_of(shapes, axes, weight);
    const int64_t row = part.image_channels * part.taps();
    convolve(part, input, WeightView<T>{weights.data(), row, part.taps(), 1}, part.pixel_channels * row, bias,
             to);
  } else {
    for (int64_t i = 0; i < part.batch * channels; ++i)
      std::fill_n(to + i * pixels, pixels, bias ? bias[i % channels] : T(0));
  }
  return result;
}

/// Rows of the result from rows of each remainder of columns.
template <class T>
void interleave(int64_t rows, int64_t width, const std::vector<Tensor>& columns, int64_t first_row, T* to,
                int64_t distance) {
  const int64_t step = int64_t(columns.size());
  for (int64_t x = 0; x < step; ++x) {
    const int64_t count = (width - x + step - 1) / step;
    const T* from = columns[size_t(x)].data_as<T>() + first_row * count;
    if (step == 2 && x == 0) {  // both at once
      const T* odd = columns[1].data_as<T>() + first_row * (width / 2);
      patch_kernels<T>().zip(rows, from, count, odd, width / 2, width / 2, to, distance);
      for (int64_t r = 0; width % 2 && r < rows; ++r)
        to[r * distance + width - 1] = from[r * count + count - 1];
      return;
    }
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < count; ++i) to[r * distance + x + i * step] = from[r * count + i];
  }
}

template <class T>
void convolve_residues(const Shapes& shapes, const Images<T>& input, const T* weight, const T* bias,
                       T* result) {
  const Window& window = shapes.window;
  const Spatial &sizes = window.input, &stride = window.stride;
  const int64_t planes = shapes.batch * shapes.groups * shapes.image_channels;
  for (int64_t z = 0; z < std::min(stride[0], sizes[0]); ++z)
    for (int64_t y = 0; y < std::min(stride[1], sizes[1]); ++y) {
      std::vector<Tensor> columns;
      const Axis depth(window, 0, z), height(window, 1, y);
      for (int64_t x = 0; x < stride[2]; ++x)
        columns.push_back(
            convolve_residue(shapes, Axes{depth, height, Axis(window, 2, x)}, input, weight, bias));
      parallel_for(planes, std::max<int64_t>(1, 16384 / volume(sizes)), [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          for (int64_t i = 0; i < depth.outputs; ++i)
            interleave(height.outputs, sizes[2], columns, (p * depth.outputs + i) * height.outputs,
                       result + ((p * sizes[0] + i * stride[0] + z) * sizes[1] + y) * sizes[2],
                       stride[1] * sizes[2]);
      });
    }
}

}  // namespace

template <class T>
void convolve_transposed(const Shapes& shapes, const Images<T>& input, const T* weight, const T* bias,
                         T* result) {
  constexpr int64_t kMostResidues = 8;
  const int64_t residues = volume(shapes.window.stride);
  const bool few = are_few<T>(shapes.image_channels) && are_few<T>(shapes.pixel_channels);
  if (residues == 1 || few) return convolve_mirrored(shapes, input, weight, bias, result);
  (residues <= kMostResidues ? convolve_residues<T> : spread<T>)(shapes, input, weight, bias, result);
}

template void convolve_transposed(const Shapes&, const Images<float>&, const float*, const float*, float*);
template void convolve_transposed(const Shapes&, const Images<double>&, const double*, const double*,
                                  double*);

}  // namespace framejit::eager::cpu
