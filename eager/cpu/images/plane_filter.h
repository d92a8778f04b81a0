// Convolutions of few channels, depthwise ones above all: too narrow for products of matrices. Planes of a
// group are copied with their padding into the cache, sorted by the remainders of rows and columns modulo the
// stride. There a plane of the result is a weighted sum of shifted stretches.
#pragma once

#include "eager/cpu/images/patch_product.h"
#include "eager/cpu/images/patches.h"
#include "eager/meta/convolution.h"

namespace framejit::eager::cpu {

/// Sizes of a convolution's arguments. `images` are what the window moves over, `pixels` has one element for
/// each of its places: input and result of a convolution, result and input of a transposed one.
struct Shapes {
  int64_t batch, groups, image_channels, pixel_channels;  ///< channels of one group
  Window window;

  Shapes(const Dims& images, const Dims& pixels, const Dims& kernel, const ConvolutionGeometry& geometry);
  int64_t taps() const { return volume(window.kernel); }
  int64_t pixels() const { return volume(window.output); }
};

/// Those of the convolution that a transposed convolution is: of stride 1, with the mirrored kernel, over an
/// input with zeros between its pixels.
Shapes mirrored_shapes(const Shapes& shapes);

/// The result of a convolution; pixels of the input count as `step` apart, with zeros between. The weights of
/// a group are `group_stride` after those of the one before it.
template <class T>
void filter_planes(const Shapes& shapes, const Images<T>& input, const Spatial& step,
                   const WeightView<T>& weights, int64_t group_stride, const T* bias, T* result);

/// The gradient of the weight.
template <class T>
void correlate_planes(const Shapes& shapes, const Images<T>& input, const T* grad, T* result);

}  // namespace framejit::eager::cpu
