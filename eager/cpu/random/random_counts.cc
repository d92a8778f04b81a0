// Poisson and binomial numbers. Each element has a stream of its own, whose key the generator's number for it
// gives: how many numbers an element needs is not known beforehand.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/random/random_kernels.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"
#include "eager/random/generator.h"
#include "eager/random/philox.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Two numbers come of each block of Philox; the block that holds the key has the first one.
class ElementStream {
 public:
  /// `key`: the generator's block for the element, four words.
  explicit ElementStream(const uint32_t* key) {
    key_ = uint64_t(key[0]) << 32 | key[1];
    waiting_ = uniform_double(key[2], key[3]);
  }
  /// In [0, 1).
  double next() {
    if (std::exchange(has_waiting_, !has_waiting_)) return waiting_;
    const PhiloxBlock block = philox(key_, next_++);
    waiting_ = uniform_double(block[2], block[3]);
    return uniform_double(block[0], block[1]);
  }

 private:
  uint64_t key_, next_ = 0;
  double waiting_;
  bool has_waiting_ = true;
};

double log_factorial(double k) { return std::lgamma(k + 1); }

/// Below this, Poisson numbers of a rate of at most 10 are all but certain: beyond, a probability is below 2^-60, which a
/// uniform number does not tell from 0.
constexpr int kMostOfFew = 56;

constexpr std::array<double, kMostOfFew + 1> reciprocals() {
  std::array<double, kMostOfFew + 1> values{};
  for (int k = 1; k <= kMostOfFew; ++k) values[size_t(k)] = 1.0 / k;
  return values;
}

/// The first count whose cumulative probability exceeds a uniform number.
double small_poisson(double rate, ElementStream& stream) {
  static constexpr auto kReciprocals = reciprocals();
  double left = stream.next(), probability = std::exp(-rate);
  size_t count = 0;
  while (left >= probability && count < kMostOfFew) {
    left -= probability;
    probability *= rate * kReciprocals[++count];
  }
  return double(count);
}

/// Transformed rejection (Hoermann, "The transformed rejection method for generating Poisson random
/// variables", 1993): PTRS.
double large_poisson(double rate, ElementStream& stream) {
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.next() - 0.5, v = stream.next(), edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= v_r) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    const double bound = k * std::log(rate) - rate - log_factorial(k);
    if (std::log(v * inverse_alpha / (a / (edge * edge) + b)) <= bound) return k;
  }
}

double poisson_number(double rate, ElementStream& stream) {
  FRAMEJIT_CHECK(rate >= 0, "invalid Poisson rate, expected rate to be non-negative");
  if (rate == 0) return 0;
  return rate < 10 ? small_poisson(rate, stream) : large_poisson(rate, stream);
}

/// Adds up the waiting times between successes.
double small_binomial(double count, double p, ElementStream& stream) {
  const double log_failure = std::log1p(-p);
  double successes = 0, trials = 0;
  for (;;) {
    trials += std::floor(std::log1p(-stream.next()) / log_failure) + 1;
    if (trials > count) return successes;
    ++successes;
  }
}

/// Transformed rejection (Hoermann, "The generation of binomial random variates", 1993): BTRS. p is at most a
/// half.
double large_binomial(double count, double p, ElementStream& stream) {
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double v_r = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = std::floor((count + 1) * p), log_odds = std::log(p / (1 - p));
  const double at_mode = log_factorial(mode) + log_factorial(count - mode);
  for (;;) {
    const double u = stream.next() - 0.5, v = stream.next(), edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + count * p + 0.5);
    if (k < 0 || k > count) continue;
    if (edge >= 0.07 && v <= v_r) return k;
    const double bound = at_mode - log_factorial(k) - log_factorial(count - k) + (k - mode) * log_odds;
    if (std::log(v * alpha / (a / (edge * edge) + b)) <= bound) return k;
  }
}

double binomial_number(double count, double p, ElementStream& stream) {
  FRAMEJIT_CHECK(count >= 0 && p >= 0 && p <= 1,
                 "binomial: expected counts of at least 0 and probabilities of [0, 1], got ", count, " and ",
                 p);
  if (p > 0.5) return count - binomial_number(count, 1 - p, stream);
  if (count == 0 || p == 0) return 0;
  return count * p < 10 ? small_binomial(count, p, stream) : large_binomial(count, p, stream);
}

constexpr int64_t kGrain = 512;

/// Calls `draw(i, stream)` for each of `count` elements.
template <class Draw>
void for_each_stream(RandomState state, int64_t count, const Draw& draw) {
  parallel_for((count + kGrain - 1) / kGrain, 1, [&](int64_t first, int64_t last) {
    std::array<uint32_t, 4 * kGrain> keys;
    for (int64_t begin = first * kGrain; begin < std::min(last * kGrain, count); begin += kGrain) {
      const int64_t n = std::min(kGrain, count - begin);
      random_kernels().words(state.seed, state.offset + uint64_t(begin), n, keys.data());
      for (int64_t i = 0; i < n; ++i) {
        ElementStream stream(keys.data() + 4 * i);
        draw(begin + i, stream);
      }
    }
  });
}

}  // namespace

void meta_counts(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  FRAMEJIT_CHECK_TYPE(is_floating(self.dtype), not_implemented, "\"", op.schema.name,
                      "\" not implemented for '", dtype_name(self.dtype), "'");
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

/// args: rates, generator.
void poisson_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor rates = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t count = rates.numel().expect();
  const RandomState state = generator_of(args[1]).take(uint64_t(count));
  for_dtype(rates.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_stream(state, count, [&](int64_t i, ElementStream& stream) {
      result.data_as<T>()[i] = T(poisson_number(double(rates.data_as<T>()[i]), stream));
    });
  });
  results[0] = std::move(result);
}

/// args: counts, probabilities, generator.
void binomial_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor trials = contiguous(args[0].tensor()), probabilities = contiguous(args[1].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t count = trials.numel().expect();
  const RandomState state = generator_of(args[2]).take(uint64_t(count));
  for_dtype(trials.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_stream(state, count, [&](int64_t i, ElementStream& stream) {
      result.data_as<T>()[i] =
          T(binomial_number(double(trials.data_as<T>()[i]), double(probabilities.data_as<T>()[i]), stream));
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
