// Dropout of channels, and alpha dropout (Klambauer et al., 2017).
#include <cmath>

#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/creation.h"
#include "generated/ops/random.h"
#include "generated/ops/regularization.h"

namespace framejit::eager {

namespace {

void check_probability(double p) {
  FRAMEJIT_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

/// Ones with probability 1 - p: for each element, or for each channel.
Tensor kept_mask(const Tensor& input, double p, bool channels) {
  Dims sizes = input.sizes();
  if (channels) {
    FRAMEJIT_CHECK(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
    for (int d = 2; d < sizes.size(); ++d) sizes[d] = 1;
  }
  return bernoulli_fill(empty(sizes, input.dtype(), input.device()), 1 - p);
}

/// args: input, p, train. With a the factor and b the shift that restore mean and variance.
Tensor alpha_dropped(const Value* args, bool channels) {
  constexpr double limit = -1.7580993408473766;  // of SELU
  const Tensor input = args[0].tensor();
  const double p = args[1].real();
  check_probability(p);
  if (!args[2].boolean() || p == 0) return input;
  if (p == 1) return input * zeros_like(input);
  const double a = 1 / std::sqrt((limit * limit * p + 1) * (1 - p)), b = -a * limit * p;
  const Tensor kept = kept_mask(input, p, channels);
  return input * (kept * a) + (rsub(kept, 1) * (a * limit) + b);
}

}  // namespace

/// args: input, p, train.
void feature_dropout_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  const double p = args[1].real();
  check_probability(p);
  if (!args[2].boolean() || p == 0) return void(results[0] = input);
  if (p == 1) return void(results[0] = input * zeros_like(input));
  results[0] = input * (kept_mask(input, p, true) * (1 / (1 - p)));
}
void alpha_dropout_composite(const Value* args, Value* results) { results[0] = alpha_dropped(args, false); }
void feature_alpha_dropout_composite(const Value* args, Value* results) {
  results[0] = alpha_dropped(args, true);
}

}  // namespace framejit::eager
