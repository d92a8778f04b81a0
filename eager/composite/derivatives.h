// Helpers of the derivative formulas in eager/ops/*.toml, for what does not fit on a line there. They compute through ops,
// so that they can be traced and differentiated again.
#pragma once

#include <optional>
#include <vector>

#include "eager/value.h"

namespace framejit::eager::ops {

inline Dims dim_list(SymInt dim) { return Dims{dim.bits()}; }
Dims inverse_permutation(const Dims& dims);
/// Zeros of the given sizes, in the dtype of `example`.
Tensor zeros_of(const Tensor& example, const Dims& sizes);
/// `grad` summed over the dims that broadcasting from `sizes` has added or repeated.
FRAMEJIT_API Tensor sum_to_size(const Tensor& grad, const Dims& sizes);

/// Gradient of a reduction brought back to the shape of its input (expanded, without copying).
Tensor expand_reduced(const Tensor& grad, const Dims& sizes, const std::optional<Dims>& dim, bool keepdim);
/// Number of elements that a reduction of a tensor of these sizes takes in per result.
SymInt reduced_count(const Dims& sizes, const std::optional<Dims>& dim);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, const std::optional<Dims>& dim,
                     bool keepdim);
Tensor extremum_backward(const Tensor& grad, const Tensor& self, const Tensor& result, const std::optional<Dims>& dim,
                         bool keepdim);
Tensor var_backward(const Tensor& grad, const Tensor& self, const std::optional<Dims>& dim, const Value& correction,
                    bool keepdim);
Tensor cumprod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, SymInt dim);

Tensor pow_backward_self(const Tensor& grad, const Value& self, const Value& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Value& self, const Value& exponent, const Tensor& result);

Tensor index_put_backward_self(const Tensor& grad, const std::vector<Tensor>& indices, const Dims& value_sizes,
                               bool accumulate);
std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<Tensor>& tensors, SymInt dim);

Tensor softmax_backward(const Tensor& grad, const Tensor& result, SymInt dim);
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, SymInt dim);
Tensor layer_norm_backward_input(const std::vector<Tensor>& grads, const Tensor& input, const Dims& shape,
                                 const Tensor& weight, const Tensor& mean, const Tensor& rstd);
Tensor layer_norm_backward_weight(const Tensor& grad, const Tensor& input, const Dims& shape, const Tensor& mean,
                                  const Tensor& rstd);
Tensor layer_norm_backward_bias(const Tensor& grad, const Dims& shape);

}  // namespace framejit::eager::ops
