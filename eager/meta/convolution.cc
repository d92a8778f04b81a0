#include "eager/meta/convolution.h"

#include "eager/error.h"
#include "eager/meta/shapes.h"

namespace framejit::eager {

Dims spatial_sizes(const Dims& sizes) { return Dims(sizes.span().subspan(2)); }

Dims expanded_list(const Dims& values, int count, const char* name) {
  if (values.size() == count) return values;
  FRAMEJIT_CHECK(values.size() == 1, "expected ", name, " to be a single integer value or a list of ", count,
                 " values to match the convolution dimensions, but got ", name, "=", sizes_text(values));
  return Dims(count, values[0]);
}

ConvolutionGeometry convolution_geometry(const Value* args) {
  const int count = args[1].impl()->meta.sizes.size() - 2;
  ConvolutionGeometry geometry;
  geometry.stride = expanded_list(args[3].dims(), count, "stride");
  geometry.padding = expanded_list(args[4].dims(), count, "padding");
  geometry.dilation = expanded_list(args[5].dims(), count, "dilation");
  geometry.transposed = args[6].boolean();
  geometry.output_padding = expanded_list(args[7].dims(), count, "output_padding");
  geometry.groups = args[8].sym_int();
  return geometry;
}

SymInt window_places(SymInt input, SymInt kernel, SymInt stride, SymInt padding, SymInt dilation) {
  return floor_div(input + padding * 2 - dilation * (kernel - 1) - 1, stride) + 1;
}
SymInt transposed_size(SymInt input, SymInt kernel, SymInt stride, SymInt padding, SymInt dilation) {
  return (input - 1) * stride - padding * 2 + dilation * (kernel - 1) + 1;
}

namespace {

void check_geometry(const ConvolutionGeometry& geometry) {
  for (int d = 0; d < geometry.stride.size(); ++d) {
    FRAMEJIT_CHECK(geometry.stride.sym(d) > 0,
                   "non-positive stride is not supported, got stride=", sizes_text(geometry.stride));
    FRAMEJIT_CHECK(geometry.padding.sym(d) >= 0,
                   "negative padding is not supported, got padding=", sizes_text(geometry.padding));
    FRAMEJIT_CHECK(geometry.dilation.sym(d) > 0,
                   "dilation should be greater than zero, got dilation=", sizes_text(geometry.dilation));
    FRAMEJIT_CHECK(geometry.output_padding.sym(d) >= 0, "negative output_padding is not supported");
    FRAMEJIT_CHECK(!geometry.transposed || geometry.output_padding.sym(d) < geometry.stride.sym(d) ||
                       geometry.output_padding.sym(d) < geometry.dilation.sym(d),
                   "output padding must be smaller than either stride or dilation, but got output_padding: ",
                   sizes_text(geometry.output_padding), ", stride: ", sizes_text(geometry.stride),
                   " and dilation: ", sizes_text(geometry.dilation));
  }
  FRAMEJIT_CHECK(geometry.groups > 0, "groups must be a positive integer, got ", geometry.groups.str());
}

void check_dtypes(const TensorMeta& input, const TensorMeta& weight, const Value& bias) {
  FRAMEJIT_CHECK(input.dtype == weight.dtype, "Input type (", dtype_name(input.dtype), ") and weight type (",
                 dtype_name(weight.dtype), ") should be the same");
  FRAMEJIT_CHECK(bias.is_none() || bias.impl()->meta.dtype == input.dtype, "Input type (",
                 dtype_name(input.dtype), ") and bias type (",
                 bias.is_none() ? "" : dtype_name(bias.impl()->meta.dtype), ") should be the same");
  FRAMEJIT_CHECK_TYPE(is_floating(input.dtype) || is_integral(input.dtype, false), not_implemented,
                      "\"convolution\" not implemented for '", dtype_name(input.dtype),
                      "'; call .float() first");
}

/// Weights are (out, in / groups, kernel...), those of transposed convolutions (in, out / groups, kernel...).
void check_channels(const TensorMeta& input, const TensorMeta& weight, const Value& bias,
                    const ConvolutionGeometry& geometry) {
  const bool transposed = geometry.transposed;
  const SymInt groups = geometry.groups;
  const SymInt expected = transposed ? weight.sizes.sym(0) : weight.sizes.sym(1) * groups;
  const SymInt produced = transposed ? weight.sizes.sym(1) * groups : weight.sizes.sym(0);
  FRAMEJIT_CHECK(floor_mod(weight.sizes.sym(0), groups) == 0 && weight.sizes.sym(0) >= groups, "Given ",
                 transposed ? "transposed=1, " : "", "weight of size ", sizes_text(weight.sizes),
                 ", expected the first dimension to be divisible by groups=", groups.str());
  FRAMEJIT_CHECK(input.sizes.sym(1) == expected, "Given ",
                 transposed ? "transposed=1" : "groups=", transposed ? "" : groups.str(), ", weight of size ",
                 sizes_text(weight.sizes), ", expected input", sizes_text(input.sizes), " to have ",
                 expected.str(), " channels, but got ", input.sizes.sym(1).str(), " channels instead");
  if (bias.is_none()) return;
  const Dims& sizes = bias.impl()->meta.sizes;
  FRAMEJIT_CHECK(sizes.size() == 1 && sizes.sym(0) == produced, "Given weight of size ",
                 sizes_text(weight.sizes), ", expected bias to be 1-dimensional with ", produced.str(),
                 " elements, but got bias of size ", sizes_text(sizes), " instead");
}

}  // namespace

void meta_convolution(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &input = args[0].impl()->meta, &weight = args[1].impl()->meta;
  FRAMEJIT_CHECK(weight.sizes.size() >= 3 && weight.sizes.size() <= 5,
                 "weight should have 3 to 5 dimensions, but got weight of size ", sizes_text(weight.sizes));
  FRAMEJIT_CHECK(input.sizes.size() == weight.sizes.size(), "Expected ", weight.sizes.size(),
                 "-dimensional input for ", weight.sizes.size(), "-dimensional weight ",
                 sizes_text(weight.sizes), ", but got input of size ", sizes_text(input.sizes), " instead");
  const ConvolutionGeometry geometry = convolution_geometry(args);
  check_geometry(geometry);
  check_dtypes(input, weight, args[2]);
  check_channels(input, weight, args[2], geometry);
  Dims sizes;
  sizes.push_back(input.sizes.sym(0));
  sizes.push_back(geometry.transposed ? weight.sizes.sym(1) * geometry.groups : weight.sizes.sym(0));
  for (int d = 0; d < geometry.stride.size(); ++d) {
    const SymInt size = input.sizes.sym(d + 2), kernel = weight.sizes.sym(d + 2),
                 stride = geometry.stride.sym(d), padding = geometry.padding.sym(d),
                 dilation = geometry.dilation.sym(d);
    const SymInt made = geometry.transposed ? transposed_size(size, kernel, stride, padding, dilation) +
                                                  geometry.output_padding.sym(d)
                                            : window_places(size, kernel, stride, padding, dilation);
    FRAMEJIT_CHECK(geometry.transposed || made > 0,
                   "Calculated padded input size per channel: ", (size + padding * 2).str(),
                   " in spatial dim ", d, ". Kernel size: ", (dilation * (kernel - 1) + 1).str(),
                   ". Kernel size can't be greater than actual input size");
    FRAMEJIT_CHECK(made > 0, "Given input size per channel: ", sizes_text(spatial_sizes(input.sizes)),
                   ". Calculated output size in spatial dim ", d, ": ", made.str(),
                   ". Output size is too small");
    sizes.push_back(made);
  }
  results.push_back(contiguous_meta(std::move(sizes), input.dtype, input.device));
}

/// args: grad_output, input, kernel_size, stride, padding, dilation, groups.
void meta_convolution_weight(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &grad = args[0].impl()->meta, &input = args[1].impl()->meta;
  Dims sizes;
  sizes.push_back(grad.sizes.sym(1));
  sizes.push_back(floor_div(input.sizes.sym(1), args[6].sym_int()));
  for (const SymInt size : args[2].int_list()) sizes.push_back(size);
  results.push_back(contiguous_meta(std::move(sizes), grad.dtype, grad.device));
}

}  // namespace framejit::eager
