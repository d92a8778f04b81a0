// embedding_bag, and the renormalisation of rows that max_norm asks for.
#include "eager/composite/support.h"
#include "eager/cpu/nn/embedding_bag.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/embedding.h"
#include "generated/ops/indexing.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

/// args: self, indices, max_norm, norm_type.
void embedding_renorm_composite(const Value* args, Value* results) {
  const Tensor weight = args[0].tensor(), indices = reshape(args[1].tensor(), {-1});
  const GradModeScope no_grad(false);
  const Tensor rows = index_select(weight, 0, indices);
  const Tensor length = norm(rows, args[3], one_dim(1), true);
  const Tensor scale = where(gt(length, args[2]), div(args[2], length + 1e-7), 1);
  index_put_(weight, {indices}, rows * scale, false);
  results[0] = weight;
}

namespace {

/// The arguments of embedding_bag as a list of indices with the bag of each.
struct Bags {
  Tensor indices, bag, weights;
  SymInt count = 0;

  Bags(const Value* args) {
    const Tensor input = args[0].tensor(), given_weights = args[8].tensor();
    FRAMEJIT_CHECK_TYPE(!given_weights.defined() || given_weights.sizes() == input.sizes(), value,
                        "embedding_bag: If per_sample_weights (",
                        given_weights.defined() ? sizes_text(given_weights.sizes()) : "",
                        ") is not None, then it must have the same shape as the input (",
                        sizes_text(input.sizes()), ")");
    if (input.dim() == 2) {
      FRAMEJIT_CHECK_TYPE(args[2].is_none(), value,
                          "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                          "of fixed length sequences.");
      count = input.size(0);
      bag = reshape(expand(unsqueeze(arange(Value(count), DType::int64, std::nullopt), 1), input.sizes()),
                    {-1});
    } else {
      FRAMEJIT_CHECK_TYPE(input.dim() == 1, value,
                          "input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim());
      FRAMEJIT_CHECK_TYPE(!args[2].is_none(), value, "offsets has to be a 1D Tensor but got None");
      by_offsets(args[2].tensor(), input.size(0), args[9].boolean());
    }
    indices = reshape(input, {-1});
    if (given_weights.defined()) weights = reshape(given_weights, {-1});
  }

 private:
  /// A position's bag is the number of offsets up to it, minus one.
  void by_offsets(const Tensor& offsets, SymInt length, bool include_last) {
    FRAMEJIT_CHECK_TYPE(offsets.dim() == 1, value, "offsets has to be a 1D Tensor");
    count = include_last ? offsets.size(0) - 1 : offsets.size(0);
    const Tensor starts = cast(narrow(offsets, 0, 0, count), DType::int64);
    const Tensor begun = index_add(zeros(one_dim(length + 1), DType::int64), 0, starts, ones_like(starts));
    bag = narrow(cumsum(begun, 0), 0, 0, length) - 1;
  }
};

}  // namespace

/// args: input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights,
/// include_last_offset, padding_idx.
void embedding_bag_composite(const Value* args, Value* results) {
  const Tensor weight = args[1].tensor();
  const std::string& mode = args[6].string();
  FRAMEJIT_CHECK_TYPE(mode == "sum" || mode == "mean" || mode == "max", value,
                      "mode has to be one of sum, mean or max");
  FRAMEJIT_CHECK_TYPE(args[8].is_none() || mode == "sum", not_implemented,
                      "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
                      "for mode='sum' (got mode='",
                      mode, "'). Please open a feature request on GitHub.");
  FRAMEJIT_CHECK_TYPE(
      !args[5].boolean() && !args[7].boolean(), not_implemented,
      "embedding_bag: scale_grad_by_freq and sparse gradients are not implemented; leave them False");
  const Tensor input = args[0].tensor(), offsets = args[2].tensor();
  if (mode != "max" && args[3].is_none() && args[8].is_none() && !input.is_symbolic() &&
      !weight.is_symbolic() && !(offsets.defined() && offsets.is_symbolic())) {
    const auto padding = args[10].is_none() ? std::nullopt : std::optional(args[10].integer());
    if (const auto bags = cpu::find_bags(input, weight, offsets, args[9].boolean(), padding))
      return void(results[0] = bag_sums(weight, bags->indices, bags->limits, mode == "mean"));
  }
  Bags bags(args);
  if (!args[3].is_none()) embedding_renorm_(weight, bags.indices, args[3].real(), args[4].real());
  // What is padding goes into one more bag, which is then left out.
  SymInt total = bags.count;
  if (!args[10].is_none()) {
    const int64_t padding = args[10].integer();
    const SymInt row = padding < 0 ? weight.size(0) + padding : SymInt(padding);
    bags.bag = where(eq(bags.indices, Value(row)), Value(bags.count), bags.bag);
    total = total + 1;
  }
  Tensor rows = embedding(weight, bags.indices);
  const auto kept = [&](const Tensor& all) {
    return args[10].is_none() ? all : narrow(all, 0, 0, bags.count);
  };
  Dims sizes;
  sizes.push_back(total);
  sizes.push_back(weight.size(1));
  if (mode == "max") {
    const Tensor place = kept(segment_argmax(rows, bags.bag, total)), none = lt(place, 0);
    if (rows.numel() == 0) return void(results[0] = kept(zeros(sizes, weight.dtype(), weight.device())));
    return void(results[0] = masked_fill(gather(rows, 0, masked_fill(place, none, 0)), none, 0));
  }
  if (bags.weights.defined()) rows = rows * unsqueeze(bags.weights, 1);
  Tensor result = kept(index_add(zeros(sizes, rows.dtype(), rows.device()), 0, bags.bag, rows));
  if (mode == "mean") {
    const Tensor counts = index_add(zeros(one_dim(total), rows.dtype()), 0, bags.bag,
                                    ones(one_dim(rows.size(0)), rows.dtype()));
    result = result / unsqueeze(clamp_min(kept(counts), 1), 1);
  }
  results[0] = result;
}

}  // namespace framejit::eager
