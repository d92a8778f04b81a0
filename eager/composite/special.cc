// Special functions in terms of others, and the longer derivatives.
#include <cmath>

#include "eager/autograd/special_formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/reduction.h"
#include "generated/ops/special.h"

namespace framejit::eager {

/// args: n, self.
void polygamma_composite(const Value* args, Value* results) {
  const int64_t n = args[0].integer();
  FRAMEJIT_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  results[0] = polygamma(args[1].tensor(), n);
}

/// log of pi ** (p (p - 1) / 4) * the product of gamma(self - i / 2) for i from 0 to p - 1.
void multigammaln_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int64_t p = args[1].integer();
  FRAMEJIT_CHECK(p >= 1, "p has to be greater than or equal to 1");
  FRAMEJIT_CHECK(p < 1 << 16, "mvlgamma: got p = ", p, ", expected less than 65536");  // a sum of p terms
  Tensor total = lgamma(self) + double(p * (p - 1)) / 4 * std::log(3.14159265358979323846);
  for (int64_t i = 1; i < p; ++i) total = total + lgamma(self - double(i) / 2);
  results[0] = total;
}

namespace ops {

Tensor gamma_density(const Value& a, const Value& x) {
  const Tensor logarithm = (a - 1) * log(x.is_tensor() ? x.tensor() : scalar_tensor(x)) - x;
  return exp(logarithm - lgamma(a.is_tensor() ? a.tensor() : scalar_tensor(a)));
}

namespace {

/// `self` with 1 in place of zeros, and where those were: for slopes whose limit there is a half.
struct AwayFromZero {
  Tensor is_zero, value;
  explicit AwayFromZero(const Tensor& self) : is_zero(eq(self, 0)), value(masked_fill(self, is_zero, 1)) {}
};

}  // namespace

Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const AwayFromZero x(self);
  return grad * masked_fill(i0(x.value) - result / x.value, x.is_zero, 0.5);
}
Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const AwayFromZero x(self);
  return grad *
         masked_fill(special_i0e(x.value) - result * (sign(x.value) + reciprocal(x.value)), x.is_zero, 0.5);
}

}  // namespace ops

}  // namespace framejit::eager
