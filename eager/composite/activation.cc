// Activation functions that are made of others.
#include <array>

#include "eager/autograd/activation_formulas.h"
#include "eager/autograd/autograd.h"
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/complex.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/joining.h"
#include "generated/ops/random.h"
#include "generated/ops/view.h"

namespace framejit::eager {

/// args: self, weight.
void prelu_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor weight = args[1].tensor();
  FRAMEJIT_CHECK(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got ",
                 dtype_name(self.dtype()), " and ", dtype_name(weight.dtype()));
  FRAMEJIT_CHECK(weight.dim() <= 1,
                 "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
  if (!(weight.numel() == 1)) {
    FRAMEJIT_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const SymInt channels = self.dim() > 1 ? self.size(1) : SymInt(1);
    FRAMEJIT_CHECK(channels == weight.numel(),
                   "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
                   weight.numel().str(), " and channel size = ", channels.str(), ".");
  }
  // One dim for each of self's, all 1 but the channels.
  Dims shape(self.dim(), 1);
  if (self.dim() > 1) shape[1] = weight.numel().bits();
  results[0] = prelu_elements(self, reshape(weight, shape));
}

namespace {

std::array<Tensor, 2> halves_of(const Tensor& input, SymInt dim) {
  const SymInt half = floor_div(input.size(int(dim.expect())), 2);
  return {narrow(input, dim, 0, half), narrow(input, dim, half, half)};
}

}  // namespace

/// args: input, dim.
void glu_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  FRAMEJIT_CHECK(input.dim() > 0, "glu does not support 0-dimensional tensors");
  const int dim = wrap_dim(args[1].integer(), input.dim());
  const SymInt size = input.size(dim);
  FRAMEJIT_CHECK(floor_mod(size, 2) == 0, "Halving dimension must be even, but dimension ", dim, " is size ",
                 size.str());
  if (!input.is_symbolic() && !needs_no_graph({input})) return void(results[0] = gated_halves(input, dim));
  const auto [half, gate] = halves_of(input, dim);
  results[0] = gated(half, gate);
}

/// args of both: self, dim.
void meta_gated_halves(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const int dim = int(args[1].integer());
  Dims sizes = self.sizes;
  sizes[dim] = floor_div(self.sizes.sym(dim), 2).bits();
  results.push_back(contiguous_meta(std::move(sizes), self.dtype, self.device));
}
void gated_halves_kernel(const Op&, const Value* args, Value* results) {
  const GradModeScope scope(false);
  const auto [half, gate] = halves_of(args[0].tensor(), args[1].integer());
  results[0] = gated(half, gate);
}

/// args: self, lower, upper, training, generator.
void rrelu_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const double lower = args[1].real(), upper = args[2].real();
  FRAMEJIT_CHECK(lower <= upper, "Lower bound should be less than or equal to the upper bound");
  if (!args[3].boolean()) return void(results[0] = leaky_relu(self, (lower + upper) / 2));
  const Tensor slope = uniform(empty(self.sizes(), self.dtype(), self.device()), lower, upper, args[4]);
  results[0] = where(gt(self, 0), self, self * slope);
}

namespace ops {

Tensor gated_halves_backward(const Tensor& grad, const Tensor& self, SymInt dim) {
  const auto [half, gate] = halves_of(self, dim);
  return cat({gated(grad, gate), grad * gated_slope(half, gate)}, dim);
}

Tensor softsign_backward(const Tensor& grad, const Tensor& input) {
  const Tensor divisor = abs(input) + 1;
  if (!is_complex(input.dtype())) return grad / square(divisor);
  // Of the modulus, which is real, only the real part of what arrives counts.
  const Tensor of_modulus = real(conj(grad) * input) / square(divisor);
  return grad / divisor - sgn(input) * of_modulus;
}

}  // namespace ops

}  // namespace framejit::eager
