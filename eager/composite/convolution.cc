// conv1d ... conv_transpose3d, and the derivatives of `convolution`.
#include "eager/meta/convolution.h"

#include "eager/autograd/formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/complex.h"
#include "generated/ops/convolution.h"
#include "generated/ops/joining.h"
#include "generated/ops/padding.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// Calls `f` with a batch, adding and taking away the batch dim of a single image.
template <class F>
Tensor with_batch(const char* name, const Tensor& input, int spatial, F f) {
  FRAMEJIT_CHECK(input.dim() == spatial + 1 || input.dim() == spatial + 2, "Expected ", spatial + 1,
                 "D (unbatched) or ", spatial + 2, "D (batched) input to ", name,
                 ", but got input of size: ", sizes_text(input.sizes()));
  if (input.dim() == spatial + 2) return f(input);
  return squeeze(f(unsqueeze(input, 0)), one_dim(0));
}

void check_weight(const char* name, const Tensor& weight, int spatial) {
  FRAMEJIT_CHECK(weight.dim() == spatial + 2, "weight of ", name, " should have ", spatial + 2,
                 " dimensions, but got weight of size ", sizes_text(weight.sizes()));
}

Tensor with_bias(const Tensor& result, const Tensor& bias) {
  if (!bias.defined()) return result;
  Dims shape(result.dim(), 1);
  shape[1] = bias.numel().bits();
  return result + reshape(bias, shape);
}

/// Of complex numbers: real and imaginary part, as one batch, with either part of the weight.
Tensor complex_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                           const Dims& padding, const Dims& dilation, bool transposed,
                           const Dims& output_padding, SymInt groups) {
  const auto of_real = [&](const Tensor& x, const Tensor& w) {
    return convolution(x, w, {}, stride, padding, dilation, transposed, output_padding, groups);
  };
  const SymInt batch = input.size(0);
  const Tensor parts = cat({real(input), imag(input)}, 0);
  const Tensor with_real = of_real(parts, real(weight)), with_imag = of_real(parts, imag(weight));
  const auto half = [&](const Tensor& x, int i) { return narrow(x, 0, batch * i, batch); };
  return with_bias(complex(half(with_real, 0) - half(with_imag, 1), half(with_real, 1) + half(with_imag, 0)),
                   bias);
}

/// `convolution` of any dtype.
Tensor convolution_of_any(const Tensor& input, const Tensor& weight, const Tensor& bias, const Dims& stride,
                          const Dims& padding, const Dims& dilation, bool transposed,
                          const Dims& output_padding, SymInt groups) {
  const bool same = input.dtype() == weight.dtype() && (!bias.defined() || bias.dtype() == input.dtype());
  if (same && is_complex(input.dtype()))
    return complex_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                               groups);
  return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

/// args: input, weight, bias, stride, padding, dilation, groups.
Tensor conv(const char* name, int spatial, const Value* args) {
  const Tensor weight = args[1].tensor();
  check_weight(name, weight, spatial);
  return with_batch(name, args[0].tensor(), spatial, [&](const Tensor& input) {
    return convolution_of_any(input, weight, args[2].tensor(), args[3].dims(), args[4].dims(), args[5].dims(),
                              false, Dims{0}, args[6].sym_int());
  });
}

/// The same with padding 'same' or 'valid'. Where the two sides of 'same' differ, the right one is longer.
Tensor conv_with_named_padding(const char* name, int spatial, const Value* args) {
  const std::string& mode = args[4].string();
  const Tensor weight = args[1].tensor();
  check_weight(name, weight, spatial);
  FRAMEJIT_CHECK_TYPE(mode == "same" || mode == "valid", runtime, "Invalid padding string: '", mode,
                      "'; padding must be one of 'valid', 'same'");
  const Dims stride = expanded_list(args[3].dims(), spatial, "stride"),
             dilation = expanded_list(args[5].dims(), spatial, "dilation");
  Dims padding(spatial, 0), extra(2 * spatial, 0);
  bool uneven = false;
  for (int d = 0; d < spatial && mode == "same"; ++d) {
    FRAMEJIT_CHECK(stride.sym(d) == 1, "padding='same' is not supported for strided convolutions");
    const SymInt total = dilation.sym(d) * (weight.size(d + 2) - 1);
    padding[d] = floor_div(total, 2).bits();
    const SymInt rest = floor_mod(total, 2);
    extra[2 * (spatial - 1 - d) + 1] = rest.bits();
    uneven = uneven || !(rest == 0);
  }
  return with_batch(name, args[0].tensor(), spatial, [&](const Tensor& batch) {
    const Tensor input = uneven ? constant_pad_nd(batch, extra, 0) : batch;
    return convolution_of_any(input, weight, args[2].tensor(), stride, padding, dilation, false, Dims{0},
                              args[6].sym_int());
  });
}

/// args: input, weight, bias, stride, padding, output_padding, groups, dilation.
Tensor conv_transpose(const char* name, int spatial, const Value* args) {
  const Tensor weight = args[1].tensor();
  check_weight(name, weight, spatial);
  return with_batch(name, args[0].tensor(), spatial, [&](const Tensor& input) {
    return convolution_of_any(input, weight, args[2].tensor(), args[3].dims(), args[4].dims(), args[7].dims(),
                              true, args[5].dims(), args[6].sym_int());
  });
}

}  // namespace

void conv1d_composite(const Value* args, Value* results) { results[0] = conv("conv1d", 1, args); }
void conv2d_composite(const Value* args, Value* results) { results[0] = conv("conv2d", 2, args); }
void conv3d_composite(const Value* args, Value* results) { results[0] = conv("conv3d", 3, args); }
void conv1d_padding_composite(const Value* args, Value* results) {
  results[0] = conv_with_named_padding("conv1d", 1, args);
}
void conv2d_padding_composite(const Value* args, Value* results) {
  results[0] = conv_with_named_padding("conv2d", 2, args);
}
void conv3d_padding_composite(const Value* args, Value* results) {
  results[0] = conv_with_named_padding("conv3d", 3, args);
}
void conv_transpose1d_composite(const Value* args, Value* results) {
  results[0] = conv_transpose("conv_transpose1d", 1, args);
}
void conv_transpose2d_composite(const Value* args, Value* results) {
  results[0] = conv_transpose("conv_transpose2d", 2, args);
}
void conv_transpose3d_composite(const Value* args, Value* results) {
  results[0] = conv_transpose("conv_transpose3d", 3, args);
}

namespace ops {

Dims all_but_channels(int rank) {
  Dims dims;
  for (int d = 0; d < rank; ++d)
    if (d != 1) dims.push_back(int64_t(d));
  return dims;
}

Tensor convolution_of_size(const Tensor& input, const Tensor& weight, const Dims& sizes,
                           const Dims& stride_list, const Dims& padding_list, const Dims& dilation_list,
                           bool transposed, SymInt groups) {
  const int spatial = sizes.size() - 2;
  const Dims stride = expanded_list(stride_list, spatial, "stride"),
             padding = expanded_list(padding_list, spatial, "padding"),
             dilation = expanded_list(dilation_list, spatial, "dilation");
  Dims output_padding(spatial, 0);
  for (int d = 0; d < spatial && transposed; ++d)
    output_padding[d] = (sizes.sym(d + 2) - transposed_size(input.size(d + 2), weight.size(d + 2),
                                                            stride.sym(d), padding.sym(d), dilation.sym(d)))
                            .bits();
  Tensor result =
      convolution(input, weight, {}, stride, padding, dilation, transposed, output_padding, groups);
  for (int d = 2; d < sizes.size(); ++d)
    if (result.size(d) > sizes.sym(d)) result = narrow(result, d, 0, sizes.sym(d));
  return result;
}

Tensor convolution_backward_input(const Tensor& grad, const Dims& input_sizes, const Tensor& weight,
                                  const Dims& stride, const Dims& padding, const Dims& dilation,
                                  bool transposed, SymInt groups) {
  return convolution_of_size(grad, weight, input_sizes, stride, padding, dilation, !transposed, groups);
}

/// In a transposed convolution, input and result change places.
Tensor convolution_backward_weight(const Tensor& grad, const Tensor& input, const Dims& weight_sizes,
                                   const Dims& stride, const Dims& padding, const Dims& dilation,
                                   bool transposed, SymInt groups) {
  const int spatial = weight_sizes.size() - 2;
  return convolution_weight(transposed ? input : grad, transposed ? grad : input, spatial_sizes(weight_sizes),
                            expanded_list(stride, spatial, "stride"),
                            expanded_list(padding, spatial, "padding"),
                            expanded_list(dilation, spatial, "dilation"), groups);
}

}  // namespace ops

}  // namespace framejit::eager
