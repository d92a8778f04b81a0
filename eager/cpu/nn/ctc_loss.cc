// Connectionist temporal classification (Graves et al., 2006): the forward-backward algorithm over the target
// with blanks between its labels, in logarithms.
#include <cmath>
#include <limits>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The logarithm of a sum of exponentials.
double add_logs(double a, double b) {
  const double largest = std::max(a, b);
  if (largest == kNever) return a + b;
  return largest + std::log(std::exp(a - largest) + std::exp(b - largest));
}
double add_logs(double a, double b, double c) {
  const double largest = std::max(std::max(a, b), c);
  if (largest == kNever) return a + b + c;
  return largest + std::log(std::exp(a - largest) + std::exp(b - largest) + std::exp(c - largest));
}

/// The arguments log_probs (T, N, C), targets (N, S) or one after the other, and lengths.
struct CtcInput {
  Tensor log_probs, targets, input_lengths, target_lengths;
  int64_t times, batch, classes, blank;
  std::vector<int64_t> starts;  ///< where each target begins

  CtcInput(const Value* args, int64_t blank_label)
      : log_probs(contiguous_as(args[0].tensor(), DType::float64)),
        targets(contiguous_as(args[1].tensor(), DType::int64)),
        input_lengths(contiguous_as(args[2].tensor(), DType::int64)),
        target_lengths(contiguous_as(args[3].tensor(), DType::int64)),
        times(log_probs.sizes()[0]),
        batch(log_probs.sizes()[1]),
        classes(log_probs.sizes()[2]),
        blank(blank_label) {
    int64_t start = 0;
    for (int64_t n = 0; n < batch; ++n) {
      starts.push_back(targets.dim() == 2 ? n * targets.sizes()[1] : start);
      start += target_length(n);
      check(n, start);
    }
  }

  int64_t target_length(int64_t n) const { return target_lengths.data_as<int64_t>()[n]; }
  int64_t input_length(int64_t n) const { return input_lengths.data_as<int64_t>()[n]; }
  int64_t states(int64_t n) const { return 2 * target_length(n) + 1; }
  /// The label of a state: every other one is blank.
  int64_t label(int64_t n, int64_t state) const {
    return state % 2 == 0 ? blank : targets.data_as<int64_t>()[starts[size_t(n)] + state / 2];
  }
  /// A state may follow the one two before it when a blank between equal labels is not skipped.
  bool may_skip(int64_t n, int64_t state) const {
    return state % 2 == 1 && state >= 2 && label(n, state) != label(n, state - 2);
  }
  const double* log_probs_at(int64_t t, int64_t n) const {
    return log_probs.data_as<double>() + (t * batch + n) * classes;
  }

 private:
  void check(int64_t n, int64_t end) const {
    FRAMEJIT_CHECK(input_length(n) >= 0 && input_length(n) <= times,
                   "Expected input_lengths to have value at most ", times, ", but got value ",
                   input_length(n), " (while checking arguments for ctc_loss)");
    const int64_t most =
        targets.dim() == 2 ? targets.sizes()[1] : targets.sizes()[0] - (end - target_length(n));
    FRAMEJIT_CHECK(target_length(n) >= 0 && target_length(n) <= most, "Expected targets to have at least ",
                   target_length(n), " labels for batch element ", n, ", but got ", most,
                   " (while checking arguments for ctc_loss)");
    for (int64_t s = 1; s < states(n); s += 2)
      FRAMEJIT_CHECK(uint64_t(label(n, s)) < uint64_t(classes), "ctc_loss: target label ", label(n, s),
                     " is out of range for ", classes, " classes");
  }
};

/// What the states of one sequence are.
struct Sequence {
  std::vector<int64_t> labels;
  std::vector<char> may_skip;

  Sequence(const CtcInput& in, int64_t n) {
    for (int64_t s = 0; s < in.states(n); ++s) {
      labels.push_back(in.label(n, s));
      may_skip.push_back(in.may_skip(n, s));
    }
  }
  int64_t states() const { return int64_t(labels.size()); }
};

/// Forward variables of one sequence: `alpha` is times x stride.
double forward(const CtcInput& in, int64_t n, double* alpha, int64_t stride) {
  const Sequence sequence(in, n);
  const int64_t states = sequence.states(), times = in.input_length(n);
  if (times == 0) return in.target_length(n) == 0 ? 0 : -kNever;
  for (int64_t s = 0; s < std::min<int64_t>(states, 2); ++s)
    alpha[s] = in.log_probs_at(0, n)[sequence.labels[size_t(s)]];
  for (int64_t t = 1; t < times; ++t) {
    const double* last = alpha + (t - 1) * stride;
    const double* log_probs = in.log_probs_at(t, n);
    for (int64_t s = 0; s < states; ++s) {
      double before = last[s];
      if (sequence.may_skip[size_t(s)])
        before = add_logs(before, last[s - 1], last[s - 2]);
      else if (s >= 1)
        before = add_logs(before, last[s - 1]);
      alpha[t * stride + s] = before + log_probs[sequence.labels[size_t(s)]];
    }
  }
  const double* last = alpha + (times - 1) * stride;
  return -(states > 1 ? add_logs(last[states - 1], last[states - 2]) : last[0]);
}

/// Adds the gradient of one sequence's loss: probability minus the share of the label, at each time.
void backward(const CtcInput& in, int64_t n, const double* alpha, int64_t stride, double loss, double grad,
              double* to) {
  const Sequence sequence(in, n);
  const int64_t states = sequence.states(), times = in.input_length(n);
  std::vector<double> beta(size_t(states), kNever), next(beta), shares(size_t(in.classes));
  for (int64_t t = times - 1; t >= 0; --t) {
    beta.swap(next);
    // Of an infinite loss no label has a share that makes sense.
    std::fill(shares.begin(), shares.end(), std::isinf(loss) ? std::nan("") : 0);
    const double* log_probs = in.log_probs_at(t, n);
    for (int64_t s = 0; s < states; ++s) {
      double after = t == times - 1 ? (s >= states - 2 ? 0 : kNever) : next[size_t(s)];
      if (t < times - 1 && s + 2 < states && sequence.may_skip[size_t(s + 2)])
        after = add_logs(after, next[size_t(s + 1)], next[size_t(s + 2)]);
      else if (t < times - 1 && s + 1 < states)
        after = add_logs(after, next[size_t(s + 1)]);
      const int64_t label = sequence.labels[size_t(s)];
      beta[size_t(s)] = after + log_probs[label];
      shares[size_t(label)] += std::exp(alpha[t * stride + s] + after + loss);
    }
    for (int64_t c = 0; c < in.classes; ++c)
      to[(t * in.batch + n) * in.classes + c] = grad * (std::exp(log_probs[c]) - shares[size_t(c)]);
  }
}

}  // namespace

/// args: log_probs, targets, input_lengths, target_lengths, blank, zero_infinity.
void meta_ctc_loss(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &log_probs = args[0].impl()->meta, &targets = args[1].impl()->meta;
  FRAMEJIT_CHECK(log_probs.sizes.size() == 3, "ctc_loss: log_probs must be 2- or 3-dimensional, got ",
                 sizes_text(log_probs.sizes));
  FRAMEJIT_CHECK_TYPE(is_floating(log_probs.dtype), not_implemented, "\"ctc_loss\" not implemented for '",
                      dtype_name(log_probs.dtype), "'");
  FRAMEJIT_CHECK(targets.sizes.size() == 1 || targets.sizes.size() == 2,
                 "ctc_loss: targets must have 1 or 2 dims, got ", sizes_text(targets.sizes));
  const SymInt batch = log_probs.sizes.sym(1), blank = args[4].sym_int();
  FRAMEJIT_CHECK(targets.sizes.size() == 1 || targets.sizes.sym(0) == batch, "ctc_loss: expected targets of ",
                 batch.str(), " rows, as log_probs has batch elements, got ", sizes_text(targets.sizes));
  FRAMEJIT_CHECK(blank >= 0 && blank < log_probs.sizes.sym(2), "blank must be in label range");
  for (int i : {2, 3}) {
    const TensorMeta& lengths = args[i].impl()->meta;
    FRAMEJIT_CHECK(!is_floating(lengths.dtype) && lengths.sizes.size() == 1 && lengths.sizes.sym(0) == batch,
                   i == 2 ? "input" : "target", "_lengths must be of size batch_size (", batch.str(),
                   ") and integral, got ", sizes_text(lengths.sizes));
  }
  Dims losses, alpha;
  losses.push_back(batch);
  // Enough states for any target of this tensor.
  for (const SymInt size :
       {batch, log_probs.sizes.sym(0), targets.sizes.sym(targets.sizes.size() - 1) * 2 + 1})
    alpha.push_back(size);
  results.push_back(contiguous_meta(losses, log_probs.dtype, log_probs.device));
  results.push_back(contiguous_meta(alpha, DType::float64, log_probs.device));
}

void ctc_loss_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_ctc_loss(op, args, metas);
  const CtcInput in(args, args[4].integer());
  Tensor losses = Tensor::empty(metas[0].sizes, DType::float64), alpha = Tensor::empty(metas[1]);
  const double nothing = kNever;
  fill_elements(alpha, &nothing, DType::float64);
  const int64_t stride = alpha.sizes()[2];
  parallel_for(in.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const double loss = forward(in, n, alpha.data_as<double>() + n * in.times * stride, stride);
      losses.data_as<double>()[n] = loss;
    }
  });
  results[0] = contiguous_as(losses, metas[0].dtype);
  results[1] = std::move(alpha);
}

/// args: grad_output, log_probs, ...
void meta_ctc_loss_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& log_probs = args[1].impl()->meta;
  results.push_back(contiguous_meta(log_probs.sizes, log_probs.dtype, log_probs.device));
}

/// args: grad_output, log_probs, targets, input_lengths, target_lengths, loss, log_alpha, blank,
/// zero_infinity.
void ctc_loss_backward_kernel(const Op& op, const Value* args, Value* results) {
  const CtcInput in(args + 1, args[7].integer());
  const Tensor grad = contiguous_as(args[0].tensor(), DType::float64), alpha = args[6].tensor(),
               losses = contiguous_as(args[5].tensor(), DType::float64);
  Tensor result = Tensor::empty(in.log_probs.sizes(), DType::float64);
  const int64_t zero = 0, stride = alpha.sizes()[2];
  fill_elements(result, &zero, DType::int64);
  const bool zero_infinity = args[8].boolean();
  parallel_for(in.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const double loss = losses.data_as<double>()[n];
      if (zero_infinity && std::isinf(loss)) continue;
      backward(in, n, alpha.data_as<double>() + n * in.times * stride, stride, loss,
               grad.data_as<double>()[n], result.data_as<double>());
    }
  });
  results[0] = contiguous_as(result, args[1].impl()->meta.dtype);
}

}  // namespace framejit::eager
