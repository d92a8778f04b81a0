// group_norm and its derivative.
#include "eager/autograd/formulas.h"
#include "eager/composite/channels.h"
#include "eager/composite/halves.h"
#include "eager/cpu/kernel_support.h"
#include "generated/ops/neural.h"
#include "generated/ops/normalization.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

namespace {

/// The channels of each group, of each image, as one row.
Tensor group_rows(const Tensor& input, SymInt groups) {
  SymInt length = floor_div(input.size(1), groups);
  for (int d = 2; d < input.dim(); ++d) length = length * input.size(d);
  const SymInt rows = input.size(0) * groups;
  return reshape(input, {rows.bits(), length.bits()});
}
/// Statistics (N, groups) as one of each row.
Tensor row_statistics(const Tensor& statistics) {
  return reshape(statistics, {statistics.numel().bits(), 1});
}
Dims row_shape_of(const Tensor& rows) { return one_dim(rows.size(1)); }

}  // namespace

/// args: input, num_groups, weight, bias, eps.
void group_norm_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  FRAMEJIT_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ",
                 input.dim());
  const SymInt groups = args[1].sym_int(), channels = input.size(1);
  FRAMEJIT_CHECK(groups > 0, "Expected num groups to be greater than 0, got ", groups.str());
  FRAMEJIT_CHECK(
      floor_mod(channels, groups) == 0,
      "Expected number of channels in input to be divisible by num_groups, but got input of shape ",
      sizes_text(input.sizes()), " and num_groups=", groups.str());
  check_channels(args[2],
                 "Expected weight to be a vector of size equal to the number of channels in input: weight",
                 channels);
  check_channels(args[3],
                 "Expected bias to be a vector of size equal to the number of channels in input: bias",
                 channels);
  results[0] = group_norm_train(input, groups, args[2].tensor(), args[3].tensor(), args[4].real())[0];
}

/// args: input, num_groups, weight, bias, eps.
void group_norm_decompose(const Value* args, Value* results) {
  const DType dtype = args[0].impl()->meta.dtype;
  const Tensor input = widened(args[0].tensor()), rows = group_rows(input, args[1].sym_int());
  const auto [normal, average, rstd] = native_layer_norm(rows, row_shape_of(rows), {}, {}, args[4].real());
  const Dims groups{input.size(0).bits(), args[1].sym_int().bits()};
  results[0] = narrowed(with_weight_and_bias(reshape(normal, input.sizes()), args[2], args[3]), dtype);
  results[1] = narrowed(reshape(average, groups), dtype);
  results[2] = narrowed(reshape(rstd, groups), dtype);
}

namespace ops {

/// That of the input is that of a layer norm of the groups' rows.
NormGradients group_norm_backward(const Tensor& grad, const Tensor& input, SymInt groups,
                                  const Tensor& weight, const Tensor& saved_mean, const Tensor& saved_rstd,
                                  double eps, const std::array<bool, 3>& needed) {
  if (is_half(input.dtype()))
    return narrowed_all(
        group_norm_backward(widened(grad), widened(input), groups, widened_if(weight), {}, {}, eps, needed),
        input.dtype());
  if (norm_by_kernel(grad, input, weight, saved_mean))
    return cpu::group_norm_planes_backward(cpu::contiguous(grad), input, weight, saved_mean, saved_rstd,
                                           needed[0]);
  NormGradients gradients;
  const Tensor rows = group_rows(input, groups);
  const auto of_rows = [](const Tensor& saved) { return saved.defined() ? row_statistics(saved) : saved; };
  const Tensor mean = of_rows(saved_mean), rstd = of_rows(saved_rstd);
  if (needed[0]) {
    const Tensor scaled = weight.defined() ? grad * over_channels(weight, grad.dim()) : grad;
    const Tensor of_groups = layer_norm_backward(group_rows(scaled, groups), rows, row_shape_of(rows), {},
                                                 mean, rstd, eps, {true, false, false})[0];
    gradients[0] = reshape(of_groups, input.sizes());
  }
  const Dims dims = all_but_channels(input.dim());
  if (needed[1]) {
    const bool again = modes().grad_enabled || !mean.defined();
    const Tensor normal =
        again ? native_layer_norm(rows, row_shape_of(rows), {}, {}, eps)[0] : (rows - mean) * rstd;
    gradients[1] = sum(grad * reshape(normal, input.sizes()), dims);
  }
  if (needed[2]) gradients[2] = sum(grad, dims);
  return gradients;
}

}  // namespace ops

}  // namespace framejit::eager
