// Kernels of random rows. Number i of an op is made from counter i / kPerCounter of what the op took from its
// generator, whatever the thread; a tensor is filled in row-major order of its elements.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/random/random_kernels.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"
#include "eager/meta/overlap.h"
#include "eager/random/generator.h"
#include "eager/random/philox.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kGrain = 4096;  ///< counters per piece of work
constexpr int64_t kChunk = 256;   ///< counters whose words are made at once
/// Integers below this are made from 32 bits each, with a bias below 2^-12.
constexpr uint64_t kShortRange = 1 << 20;

void check_floating(const char* name, const Tensor& self) {
  FRAMEJIT_CHECK_TYPE(is_inexact(self.dtype()), not_implemented, "\"", name, "\" not implemented for '",
                      dtype_name(self.dtype()), "'");
}

/// Fills `result` with numbers of which a counter gives kPerCounter: `make(words, n, out)` makes n of them
/// from the words of their counters. The last counter may give more than fit.
template <class T, int kPerCounter, class Make>
void fill(const Tensor& result, Generator& generator, Make make) {
  const bool direct = result.is_contiguous() && result.dtype() == dtype_of<T>();
  Tensor out = direct ? result : Tensor::empty(result.sizes(), dtype_of<T>());
  const int64_t count = result.numel().expect(), counters = (count + kPerCounter - 1) / kPerCounter;
  const RandomState state = generator.take(uint64_t(counters));
  T* to = out.data_as<T>();
  parallel_for(counters, kGrain, [&](int64_t begin, int64_t end) {
    uint32_t words[4 * kChunk];
    T numbers[kPerCounter * kChunk];
    for (int64_t c = begin; c < end; c += kChunk) {
      const int64_t chunk = std::min(kChunk, end - c);
      random_kernels().words(state.seed, state.offset + uint64_t(c), chunk, words);
      const int64_t n = kPerCounter * chunk, wanted = std::min(n, count - c * kPerCounter);
      T* out = to + c * kPerCounter;
      make(words, n, n == wanted ? out : numbers);
      if (n != wanted) std::copy_n(numbers, wanted, out);
    }
  });
  if (!direct) copy_elements(out, result);
}

/// Fills real and imaginary parts of a complex `result`, one after the other.
template <class Fill>
void fill_parts(const Tensor& result, Fill fill_real) {
  Tensor parts = Tensor::empty(Dims{2 * result.numel().expect()}, real_type(result.dtype()));
  fill_real(parts);
  copy_elements(Tensor::from_storage(parts->storage, 0,
                                     contiguous_meta(result.sizes(), result.dtype(), result.device())),
                result);
}

void fill_uniform(const Tensor& result, Generator& generator, double low, double high) {
  if (is_complex(result.dtype()))
    return fill_parts(result, [&](const Tensor& parts) { fill_uniform(parts, generator, low, high); });
  if (result.dtype() == DType::float64)
    fill<double, 2>(result, generator, [=](const uint32_t* words, int64_t n, double* out) {
      for (int64_t i = 0; i < n; ++i)
        out[i] = low + (high - low) * uniform_double(words[2 * i], words[2 * i + 1]);
    });
  else
    fill<float, 4>(result, generator, [=](const uint32_t* words, int64_t n, float* out) {
      random_kernels().uniform(words, n, float(low), float(high - low), out);
    });
}

/// Box and Muller: two normal numbers from two uniform ones, the first of which is made to be in (0, 1].
void normal_pair(double u, double v, double* out) {
  const double radius = std::sqrt(-2 * std::log(1 - u)), angle = 2 * std::numbers::pi * v;
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}

void fill_normal(const Tensor& result, Generator& generator, double mean, double std) {
  if (is_complex(result.dtype()))  // the variance is shared by the parts
    return fill_parts(result, [&](const Tensor& parts) {
      fill_normal(parts, generator, mean, std * std::numbers::sqrt2 / 2);
    });
  if (result.dtype() == DType::float64)
    fill<double, 2>(result, generator, [=](const uint32_t* words, int64_t n, double* out) {
      for (int64_t i = 0; i < n; i += 2) {
        const uint32_t* block = words + 2 * i;
        normal_pair(uniform_double(block[0], block[1]), uniform_double(block[2], block[3]), out + i);
        for (int k = 0; k < 2; ++k) out[i + k] = mean + std * out[i + k];
      }
    });
  else
    fill<float, 4>(result, generator, [=](const uint32_t* words, int64_t n, float* out) {
      random_kernels().normal(words, n, float(mean), float(std), out);
    });
}

/// A new tensor like args[0] for the functional row.
template <class Fill>
void new_like_self(const Value* args, Value* results, Fill fill_result) {
  Tensor result = Tensor::empty(preserved_meta(args[0].impl()->meta));
  fill_result(result);
  results[0] = std::move(result);
}

void uniform_into(const Tensor& to, const Value* args) {
  const double low = args[1].real(), high = args[2].real();
  check_floating("uniform_", to);
  FRAMEJIT_CHECK(low <= high, "uniform_ expects to return a [from, to) range, but found from=", low,
                 " > to=", high);
  fill_uniform(to, generator_of(args[3]), low, high);
}
void normal_into(const Tensor& to, const Value* args) {
  check_floating("normal_", to);
  FRAMEJIT_CHECK(args[2].real() >= 0, "normal expects std >= 0.0, but found std ", args[2].real());
  fill_normal(to, generator_of(args[3]), args[1].real(), args[2].real());
}
void random_into(const Tensor& to, const Value* args) {
  const int64_t low = args[1].integer(), high = args[2].integer();
  FRAMEJIT_CHECK(low < high, "random_ expects 'from' to be less than 'to', but got from=", low,
                 " >= to=", high);
  const uint64_t range = uint64_t(high) - uint64_t(low);
  for_dtype(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (range <= kShortRange)
      return fill<T, 4>(to, generator_of(args[3]), [=](const uint32_t* words, int64_t n, T* out) {
        for (int64_t i = 0; i < n; ++i) out[i] = T(low + int64_t(words[i] * range >> 32));
      });
    fill<T, 2>(to, generator_of(args[3]), [=](const uint32_t* words, int64_t n, T* out) {
      for (int64_t i = 0; i < n; ++i)
        out[i] = T(int64_t(uint64_t(low) + uniform_below(words[2 * i], words[2 * i + 1], range)));
    });
  });
}
void bernoulli_into(const Tensor& to, const Value* args) {
  const double p = args[1].real();
  FRAMEJIT_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  for_dtype(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    fill<T, 4>(to, generator_of(args[2]), [threshold = float(p)](const uint32_t* words, int64_t n, T* out) {
      for (int64_t i = 0; i < n; ++i) out[i] = T(uniform_float(words[i]) < threshold);
    });
  });
}

}  // namespace

void uniform_kernel(const Op& op, const Value* args, Value* results) {
  new_like_self(args, results, [&](const Tensor& to) { uniform_into(to, args); });
}
void uniform_into_kernel(const Op& op, const Value* args, Value* results) {
  check_writable(op, args[0].tensor());
  uniform_into(args[0].tensor(), args);
  results[0] = args[0];
}
void normal_kernel(const Op& op, const Value* args, Value* results) {
  new_like_self(args, results, [&](const Tensor& to) { normal_into(to, args); });
}
void normal_into_kernel(const Op& op, const Value* args, Value* results) {
  check_writable(op, args[0].tensor());
  normal_into(args[0].tensor(), args);
  results[0] = args[0];
}
void random_kernel(const Op& op, const Value* args, Value* results) {
  new_like_self(args, results, [&](const Tensor& to) { random_into(to, args); });
}
void random_into_kernel(const Op& op, const Value* args, Value* results) {
  check_writable(op, args[0].tensor());
  random_into(args[0].tensor(), args);
  results[0] = args[0];
}
void bernoulli_fill_kernel(const Op& op, const Value* args, Value* results) {
  new_like_self(args, results, [&](const Tensor& to) { bernoulli_into(to, args); });
}

void meta_randperm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  FRAMEJIT_CHECK(args[0].sym_int() >= 0, "n must be non-negative, got", args[0].sym_int().str());
  results.push_back(
      contiguous_meta({args[0].sym_int().bits()}, dtype_or(args[2], DType::int64), device_or(args[3], {})));
}

namespace {

/// Fisher and Yates. Place i takes two words, so that a counter serves two places.
template <class Index>
std::vector<Index> shuffled(int64_t n, RandomState state) {
  std::vector<Index> order(size_t(n), 0);
  std::iota(order.begin(), order.end(), Index(0));
  uint32_t words[4 * kChunk];
  uint64_t targets[2 * kChunk];
  for (int64_t end = n; end > 0;) {
    const int64_t counters = std::min((end + 1) / 2, kChunk), first = (end + 1) / 2 - counters;
    random_kernels().words(state.seed, state.offset + uint64_t(first), counters, words);
    for (int64_t i = 2 * first; i < end; ++i) {
      const uint32_t* pair = words + 2 * (i - 2 * first);
      targets[i - 2 * first] = uniform_below(pair[0], pair[1], uint64_t(i) + 1);
      __builtin_prefetch(&order[targets[i - 2 * first]], 1);
    }
    for (int64_t i = end - 1; i >= 2 * first; --i) std::swap(order[size_t(i)], order[targets[i - 2 * first]]);
    end = 2 * first;
  }
  return order;
}

void write_permutation(const auto& order, const Tensor& result) {
  for_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(order.begin(), order.end(), result.data_as<T>(), [](auto i) { return T(int64_t(i)); });
  });
}

}  // namespace

void randperm_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const int64_t n = args[0].integer();
  const RandomState state = generator_of(args[1]).take(uint64_t(n));
  if (n <= int64_t(std::numeric_limits<uint32_t>::max()))
    write_permutation(shuffled<uint32_t>(n, state), result);
  else
    write_permutation(shuffled<int64_t>(n, state), result);
  results[0] = std::move(result);
}

void meta_multinomial(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const int rank = self.sizes.size();
  FRAMEJIT_CHECK(rank == 1 || rank == 2, "prob_dist must be 1 or 2 dim, got ", rank);
  FRAMEJIT_CHECK(is_floating(self.dtype),
                 "multinomial only supports floating-point dtypes for input, got: ", dtype_name(self.dtype));
  FRAMEJIT_CHECK(args[1].sym_int() > 0, "cannot sample n_sample <= 0 samples, got ", args[1].sym_int().str());
  FRAMEJIT_CHECK(args[2].boolean() || args[1].sym_int() <= self.sizes.sym(rank - 1),
                 "cannot sample n_sample > prob_dist.size(-1) samples without replacement, got n_sample=",
                 args[1].sym_int().str(), ". Try replacement=True.");
  Dims sizes = self.sizes;
  sizes[rank - 1] = args[1].sym_int().bits();
  results.push_back(contiguous_meta(std::move(sizes), DType::int64, self.device));
}

namespace {

constexpr const char* kBadWeights = "probability tensor contains either `inf`, `nan` or element < 0";
constexpr const char* kNoWeights = "invalid multinomial distribution (sum of probabilities <= 0)";

/// Draws by inverting the cumulative sum, which stays as it is: an entry is drawn where the sum first exceeds
/// the number.
template <class T>
void draw_with_replacement(const T* weights, std::vector<double>& sums, RandomState state, int64_t samples,
                           int64_t* out) {
  double total = 0;
  bool good = true;
  for (size_t i = 0; i < sums.size(); ++i) {
    const double weight = double(weights[i]);
    good &= (weight >= 0) & (weight <= std::numeric_limits<double>::max());
    sums[i] = total += weight;
  }
  FRAMEJIT_CHECK(good, kBadWeights);
  FRAMEJIT_CHECK(total > 0, kNoWeights);
  // Rounding may give the total itself: then the first entry that reaches it, as those after it weigh
  // nothing.
  const auto last = std::lower_bound(sums.begin(), sums.end(), total);
  for (int64_t s = 0; s < samples; ++s) {
    const PhiloxBlock block = philox(state.seed, state.offset + uint64_t(s));
    const double wanted = uniform_double(block[0], block[1]) * total;
    out[s] = std::min(std::upper_bound(sums.begin(), sums.end(), wanted), last) - sums.begin();
  }
}

/// A drawn entry's weight becomes zero.
template <class T>
void draw_without_replacement(const T* row, std::vector<double>& weights, RandomState state, int64_t samples,
                              int64_t* out) {
  std::transform(row, row + weights.size(), weights.begin(), [](T weight) { return double(weight); });
  for (double weight : weights) FRAMEJIT_CHECK(weight >= 0 && std::isfinite(weight), kBadWeights);
  for (int64_t s = 0; s < samples; ++s) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    FRAMEJIT_CHECK(total > 0, kNoWeights);
    const PhiloxBlock block = philox(state.seed, state.offset + uint64_t(s));
    double left = uniform_double(block[0], block[1]) * total;
    size_t chosen = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      chosen = i;
      if (left < weights[i]) break;
      left -= weights[i];
    }
    out[s] = int64_t(chosen);
    weights[chosen] = 0;
  }
}

}  // namespace

void multinomial_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor self = contiguous(args[0].tensor());
  const bool replacement = args[2].boolean();
  const int64_t samples = args[1].integer(), classes = self.sizes().back();
  const int64_t rows = self.dim() == 1 ? 1 : self.sizes()[0];
  const RandomState state = generator_of(args[3]).take(uint64_t(rows * samples));
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> numbers(size_t(classes), 0);  // of one row
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = self.data_as<T>() + r * classes;
      int64_t* out = result.data_as<int64_t>() + r * samples;
      const RandomState row_state{state.seed, state.offset + uint64_t(r * samples)};
      replacement ? draw_with_replacement(row, numbers, row_state, samples, out)
                  : draw_without_replacement(row, numbers, row_state, samples, out);
    }
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
