// ctc_loss over ctc_loss_rows: lengths, batches of one, and the reduction.
#include <limits>

#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/losses.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// args: log_probs, targets, ..., ..., blank, reduction, zero_infinity.
Tensor ctc(const Value* args, Tensor input_lengths, Tensor target_lengths) {
  Tensor log_probs = args[0].tensor(), targets = args[1].tensor();
  const bool batched = log_probs.dim() != 2;
  if (!batched) {
    log_probs = unsqueeze(log_probs, 1);
    if (targets.dim() == 1) targets = unsqueeze(targets, 0);
    input_lengths = reshape(input_lengths, {1});
    target_lengths = reshape(target_lengths, {1});
  }
  const bool zero_infinity = args[6].boolean();
  Tensor loss =
      ctc_loss_rows(log_probs, targets, input_lengths, target_lengths, args[4].sym_int(), zero_infinity)[0];
  if (zero_infinity) loss = masked_fill(loss, eq(loss, std::numeric_limits<double>::infinity()), 0);
  const std::string& reduction = args[5].string();
  if (reduction == "mean") return mean(loss / clamp_min(cast(target_lengths, loss.dtype()), 1));
  if (reduction == "none" && !batched) return squeeze(loss, one_dim(0));
  return reduce_loss(loss, reduction);
}

Tensor lengths_tensor(const Value& lengths) {
  std::vector<Tensor> entries;
  for (const SymInt length : lengths.int_list()) entries.push_back(full({1}, Value(length), DType::int64));
  return entries.empty() ? zeros({0}, DType::int64) : cat(entries, 0);
}

}  // namespace

void ctc_loss_composite(const Value* args, Value* results) {
  results[0] = ctc(args, lengths_tensor(args[2]), lengths_tensor(args[3]));
}
void ctc_loss_tensor_composite(const Value* args, Value* results) {
  results[0] = ctc(args, args[2].tensor(), args[3].tensor());
}

}  // namespace framejit::eager
