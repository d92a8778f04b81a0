// Helpers of the derivative formulas in the op table, for what takes more than an expression. Like all of
// autograd they compute through ops, so that they can be traced and differentiated again.
//   formulas.cc                  shapes: undoing broadcasting, reductions and permutations
//   ../composite/*_formulas.cc   the derivatives of single ops
#pragma once

#include <optional>
#include <vector>

#include "eager/autograd/nn_formulas.h"
#include "generated/ops/creation.h"

namespace framejit::eager::ops {

/// An operand that may be a Python number, as formulas see it: an operand of other pointwise ops as it is,
/// and a 0-dim tensor where one is asked for.
class NumberOrTensor : public Value {
 public:
  NumberOrTensor(Value value) : Value(std::move(value)) {}  // NOLINT: implicit on purpose
  operator Tensor() const { return is_tensor() ? tensor() : scalar_tensor(*this); }
};

/// In a formula, `shapes_of(tensors)` keeps sizes and dtypes of a tensor list but not its data.
inline const std::vector<Tensor>& shapes_of(const std::vector<Tensor>& tensors) { return tensors; }

Dims dim_list(SymInt dim);
Dims inverse_permutation(const Dims& dims);
/// Zeros with the dtype and device of `like`.
Tensor zeros_of(const Tensor& like, const Dims& sizes);
/// Sums over the dims that broadcasting from `sizes` added or stretched.
FRAMEJIT_API Tensor sum_to_size(const Tensor& self, const Dims& sizes);
/// Spreads the gradient of a reduction over the reduced dims. No dims: all.
Tensor expand_reduced(const Tensor& grad, const Dims& sizes, const std::optional<Dims>& dim, bool keepdim);
/// How many elements go into one element of a reduction's result.
SymInt reduced_count(const Dims& sizes, const std::optional<Dims>& dim);

// Of single ops (eager/composite/).
Tensor complex_of_parts(const Tensor& parts);
Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor pow_backward_self(const Tensor& grad, const Value& self, const Value& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Value& self, const Value& exponent,
                             const Tensor& result);
Tensor index_put_backward_self(const Tensor& grad, const std::vector<Tensor>& indices,
                               const Dims& values_sizes, bool accumulate);
std::vector<Tensor> cat_backward(const Tensor& grad, const std::vector<Tensor>& tensors, SymInt dim);
Tensor softmax_backward(const Tensor& grad, const Tensor& result, SymInt dim);
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, SymInt dim);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                     const std::optional<Dims>& dim, bool keepdim);
Tensor extremum_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                         const std::optional<Dims>& dim, bool keepdim);
Tensor var_backward(const Tensor& grad, const Tensor& self, const std::optional<Dims>& dim,
                    const Value& correction, bool keepdim);
/// grad * factor; grad itself where that is the number 1, and not one that a trace may vary.
Tensor times_factor(const Tensor& grad, const Value& factor);
Tensor cumprod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, SymInt dim);
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, SymInt dim);
/// `as_strided` of a tensor that would have the given sizes and strides; `offset` counts from its first
/// element.
Tensor as_strided_of_strided(const Tensor& self, const Dims& sizes, const Dims& strides, const Dims& size,
                             const Dims& stride, SymInt offset);
Tensor scatter_reduce_backward_self(const Tensor& grad, const Tensor& self, SymInt dim, const Tensor& index,
                                    const Tensor& src, const std::string& reduce, bool include_self,
                                    const Tensor& result);
Tensor scatter_reduce_backward_src(const Tensor& grad, const Tensor& self, SymInt dim, const Tensor& index,
                                   const Tensor& src, const std::string& reduce, bool include_self,
                                   const Tensor& result);

}  // namespace framejit::eager::ops
