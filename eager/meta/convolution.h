// What the shape rule, the kernels and the derivatives of convolutions share.
#pragma once

#include "eager/op.h"

namespace framejit::eager {

/// How the window moves: one entry for each spatial dim.
struct ConvolutionGeometry {
  Dims stride, padding, dilation, output_padding;
  bool transposed = false;
  SymInt groups = 1;
};
/// Arguments 3 to 8 of `convolution`; a list of one entry counts for all dims.
ConvolutionGeometry convolution_geometry(const Value* args);

/// `sizes` without batch and channels.
Dims spatial_sizes(const Dims& sizes);

/// `values` for `count` dims, one entry being repeated.
Dims expanded_list(const Dims& values, int count, const char* name);

/// How many places a window has along a dim; not positive where it does not fit.
SymInt window_places(SymInt input, SymInt kernel, SymInt stride, SymInt padding, SymInt dilation);
/// Along a dim, the size that a transposed convolution without output padding has.
SymInt transposed_size(SymInt input, SymInt kernel, SymInt stride, SymInt padding, SymInt dilation);

}  // namespace framejit::eager
