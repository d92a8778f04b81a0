// Convolutions of integers, for which there are no products of matrices: one product after the other.
#pragma once

#include "eager/meta/convolution.h"
#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// args of `convolution`, whose dtype is an integer's. Sums wrap.
void convolve_integers(const Value* args, const ConvolutionGeometry& geometry, const Tensor& result);

}  // namespace framejit::eager::cpu
