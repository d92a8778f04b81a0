// Helpers of the derivative formulas of neural-network rows (eager/composite/nn_formulas.cc).
#pragma once

#include <array>
#include <vector>

#include "eager/dispatch.h"

namespace framejit::eager::ops {

Dims negated(const Dims& values);
Dims last_sizes(const Dims& sizes, int count);
/// Every dim but the second.
Dims all_but_channels(int rank);
Tensor convolution_backward_input(const Tensor& grad, const Dims& input_sizes, const Tensor& weight,
                                  const Dims& stride, const Dims& padding, const Dims& dilation,
                                  bool transposed, SymInt groups);
Tensor convolution_backward_weight(const Tensor& grad, const Tensor& input, const Dims& weight_sizes,
                                   const Dims& stride, const Dims& padding, const Dims& dilation,
                                   bool transposed, SymInt groups);
/// `convolution` whose result has the given sizes: with the output padding that makes it so, or cut.
Tensor convolution_of_size(const Tensor& input, const Tensor& weight, const Dims& sizes, const Dims& stride,
                           const Dims& padding, const Dims& dilation, bool transposed, SymInt groups);

/// The gradients of input, weight and bias of a normalisation; those that are not `needed` may be undefined.
using NormGradients = std::array<Tensor, 3>;
NormGradients layer_norm_backward(const Tensor& grad, const Tensor& input, const Dims& normalized_shape,
                                  const Tensor& weight, const Tensor& saved_mean, const Tensor& saved_rstd,
                                  double eps, const std::array<bool, 3>& needed);
NormGradients batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const Tensor& saved_mean, const Tensor& saved_variance, double eps,
                                  const std::array<bool, 3>& needed);
NormGradients scale_channels_backward(const Tensor& grad, const Tensor& input, const Tensor& scale,
                                      const std::array<bool, 3>& needed);
NormGradients group_norm_backward(const Tensor& grad, const Tensor& input, SymInt groups,
                                  const Tensor& weight, const Tensor& saved_mean, const Tensor& saved_rstd,
                                  double eps, const std::array<bool, 3>& needed);
Tensor class_losses_backward(const Tensor& grad, const Tensor& input, const Tensor& target, SymInt ignored,
                             const Tensor& largest, const Tensor& logs);
Tensor target_losses_backward(const Tensor& grad, const Dims& sizes, const Tensor& target,
                              const Tensor& weights, SymInt ignored);

}  // namespace framejit::eager::ops
