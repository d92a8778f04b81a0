#include "eager/cpu/images/integer_convolution.h"

#include <array>

#include "eager/cpu/kernel_support.h"

namespace framejit::eager::cpu {

namespace {

using Place = std::array<int64_t, 3>;

/// `values` in the last entries, before them `missing`.
Place place(const Dims& values, int64_t missing) {
  Place result{missing, missing, missing};
  for (int d = 0; d < values.size(); ++d) result[size_t(3 - values.size() + d)] = values[d];
  return result;
}
int64_t volume(const Place& sizes) { return sizes[0] * sizes[1] * sizes[2]; }
int64_t offset(const Place& at, const Place& sizes) { return (at[0] * sizes[1] + at[1]) * sizes[2] + at[2]; }

template <class F>
void for_each_place(const Place& sizes, F f) {
  for (int64_t i = 0; i < sizes[0]; ++i)
    for (int64_t j = 0; j < sizes[1]; ++j)
      for (int64_t k = 0; k < sizes[2]; ++k) f(Place{i, j, k});
}

/// What a window moves over (`image`) and its places (`pixels`): input and result of a convolution, result
/// and input of a transposed one.
struct Walk {
  Place image, pixels, kernel, stride, padding, dilation;

  /// Calls f(offset in the image, in the pixels, in the kernel) for every product.
  template <class F>
  void for_each(F f) const {
    for_each_place(pixels, [&](const Place& at) {
      for_each_place(kernel, [&](const Place& tap) {
        Place in_image;
        for (size_t d = 0; d < 3; ++d) {
          in_image[d] = at[d] * stride[d] - padding[d] + tap[d] * dilation[d];
          if (in_image[d] < 0 || in_image[d] >= image[d]) return;
        }
        f(offset(in_image, image), offset(at, pixels), offset(tap, kernel));
      });
    });
  }
};

template <class T>
void add_product(T& sum, T a, T b) {
  sum = T(uint64_t(sum) + uint64_t(a) * uint64_t(b));
}

/// Of one pair of channels.
template <class T>
void convolve_plane(const Walk& walk, bool transposed, const T* from, const T* weight, T* to) {
  if (transposed)
    walk.for_each([&](int64_t i, int64_t p, int64_t k) { add_product(to[i], from[p], weight[k]); });
  else
    walk.for_each([&](int64_t i, int64_t p, int64_t k) { add_product(to[p], from[i], weight[k]); });
}

template <class T>
void convolve(const Walk& walk, const ConvolutionGeometry& geometry, const Tensor& input,
              const Tensor& weight, const Tensor& bias, const Tensor& result) {
  const int64_t groups = geometry.groups.expect(), taps = volume(walk.kernel);
  const int64_t from = input.sizes()[1] / groups, to = result.sizes()[1] / groups;
  const bool transposed = geometry.transposed;
  const int64_t from_plane = volume(transposed ? walk.pixels : walk.image),
                to_plane = volume(transposed ? walk.image : walk.pixels);
  for (int64_t n = 0; n < result.sizes()[0]; ++n)
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t o = 0; o < to; ++o) {
        T* sums = result.data_as<T>() + ((n * groups + g) * to + o) * to_plane;
        std::fill_n(sums, to_plane, bias.defined() ? bias.data_as<T>()[g * to + o] : T(0));
        for (int64_t c = 0; c < from; ++c) {
          const int64_t pair = transposed ? (g * from + c) * to + o : (g * to + o) * from + c;
          convolve_plane(walk, transposed, input.data_as<T>() + ((n * groups + g) * from + c) * from_plane,
                         weight.data_as<T>() + pair * taps, sums);
        }
      }
}

}  // namespace

void convolve_integers(const Value* args, const ConvolutionGeometry& geometry, const Tensor& result) {
  const Tensor input = contiguous(args[0].tensor()), weight = contiguous(args[1].tensor());
  const Tensor bias = args[2].is_none() ? Tensor() : contiguous(args[2].tensor());
  const Place in = place(spatial_sizes(input.sizes()), 1), out = place(spatial_sizes(result.sizes()), 1);
  const Walk walk{
      geometry.transposed ? out : in, geometry.transposed ? in : out, place(spatial_sizes(weight.sizes()), 1),
      place(geometry.stride, 1),      place(geometry.padding, 0),     place(geometry.dilation, 1)};
  for_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      convolve<T>(walk, geometry, input, weight, bias, result);
  });
}

}  // namespace framejit::eager::cpu
