// Random functions, compiled against run op by op. Seeds are fixed; FRAMEJIT_FUZZ_SEEDS=1000 runs more of
// them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cpp/inductor/programs.h"

namespace framejit::inductor {
namespace {

using namespace eager::ops;

int seeds() {
  const char* text = std::getenv("FRAMEJIT_FUZZ_SEEDS");
  return text ? std::atoi(text) : 60;
}

/// Writes a random function over matrices of `rows` x `columns` and their broadcastable kin. The same seed
/// gives the same calls, whether the tensors are symbolic or real.
class RandomFunction {
 public:
  RandomFunction(unsigned seed, bool reduces) : random_(seed), reduces_(reduces) {}

  std::vector<Value> operator()(const std::vector<Value>& inputs) {
    for (const Value& input : inputs) pool_.push_back(input.tensor());
    int steps = 3 + pick(12);
    for (int i = 0; i < steps; ++i) pool_.push_back(step());
    return {pool_.back(), pool_[inputs.size()], pool_[pool_.size() - 2]};
  }

 private:
  int pick(int n) { return int(random_() % unsigned(n)); }
  const Tensor& any() { return pool_[size_t(pick(int(pool_.size())))]; }
  /// A tensor that broadcasts with `other`; at worst itself.
  Tensor partner(const Tensor& other) {
    for (int tries = 0; tries < 5; ++tries) {
      const Tensor& candidate = any();
      bool fits = true;
      for (int d = 1; d <= std::min(candidate.dim(), other.dim()); ++d) {
        int64_t a = candidate.sizes()[candidate.dim() - d], b = other.sizes()[other.dim() - d];
        fits = fits && (a == b || a == 1 || b == 1);
      }
      if (fits) return candidate;
    }
    return other;
  }

  Tensor step() {
    Tensor x = any();
    switch (pick(reduces_ ? 5 : 4)) {
      case 0:
        return unary(x);
      case 1:
      case 2:
        return binary(x, partner(x));
      case 3:
        return look(x);
      default:
        return reduction(x);
    }
  }
  Tensor unary(const Tensor& x) {
    switch (pick(7)) {
      case 0:
        return tanh(x);
      case 1:
        return sigmoid(x);
      case 2:
        return abs(x);
      case 3:
        return -x;
      case 4:
        return sin(x);
      case 5:
        return x * (double(pick(9)) / 4.0 - 1.0);
      default:
        return clamp(x, Value(-1.5), Value(1.5));
    }
  }
  Tensor binary(const Tensor& x, const Tensor& y) {
    switch (pick(6)) {
      case 0:
        return tanh(x + y);
      case 1:
        return x - y * 0.5;
      case 2:
        return tanh(x * y);
      case 3:
        return maximum(x, y);
      case 4:
        return minimum(x, y);
      default:
        // Rounding differs between ways to sum, and a comparison makes much of it.
        return reduces_ ? x + y : where(gt(x, y), x, cast(cast(y * 100.0, DType::int32), DType::float32));
    }
  }
  Tensor look(const Tensor& x) {
    if (x.dim() < 2) return unary(x);
    switch (pick(4)) {
      case 0:
        return tanh(transpose(x, 0, 1));
      case 1:
        return sin(reshape(x, {x.sizes()[0] * x.sizes()[1]}));
      case 2:
        return x.sizes()[0] > 2 ? abs(slice(x, 0, SymInt(1), SymInt(x.sizes()[0] - 1))) : -x;
      default:
        return unsqueeze(select(x, 0, 0), 0) * x;
    }
  }
  Tensor reduction(const Tensor& x) {
    if (x.dim() < 2) return mean(x);
    int64_t dim = pick(2);
    switch (pick(6)) {
      case 0:
        return softmax(x, dim);
      case 1:
        return x - mean(x, Dims{dim}, true);
      case 2:
        return amax(x, Dims{dim}, true);
      case 3:
        return tanh(sum(x, Dims{dim}, true));
      case 4:
        return mean(x * x);
      default:
        return x * rsqrt(mean(x * x, Dims{dim}, true) + 1.0);
    }
  }

  std::mt19937 random_;
  bool reduces_;
  std::vector<Tensor> pool_;
};

void fuzz(bool reduces) {
  const Dims shapes[] = {{3, 5}, {17, 64}, {40, 700}, {260, 9}, {5, 3000}};
  for (int seed = 0; seed < seeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random{unsigned(seed)};
    const Dims& shape = shapes[seed % 5];
    std::vector<Value> inputs = {random_floats(shape, random), random_floats({shape[1]}, random),
                                 random_floats({shape[0], 1}, random)};
    Function function = [&](const std::vector<Value>& x) {
      return RandomFunction(unsigned(seed), reduces)(x);
    };
    expect_compiles(function, inputs, reduces ? 2e-5 : 0);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Fuzz, PointwiseAndViewsGiveTheSameBits) { fuzz(false); }
TEST(Fuzz, Reductions) { fuzz(true); }

}  // namespace
}  // namespace framejit::inductor
