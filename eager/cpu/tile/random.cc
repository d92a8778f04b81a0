#include <algorithm>
#include <cmath>
#include <numbers>

#include "eager/cpu/random/random_kernels.h"
#include "eager/cpu/tile/single_precision.h"
#include "eager/random/philox.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

constexpr int kLanes = 16;

/// The same function as `philox`, of kLanes counters side by side.
void philox_lanes(uint64_t seed, uint64_t first, uint32_t* out) {
  uint32_t a[kLanes], b[kLanes], c[kLanes], d[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    a[i] = uint32_t(first + uint64_t(i));
    b[i] = uint32_t((first + uint64_t(i)) >> 32);
    c[i] = d[i] = 0;
  }
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t product0 = uint64_t(0xD2511F53u) * a[i], product1 = uint64_t(0xCD9E8D57u) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int i = 0; i < kLanes; ++i) {
    out[4 * i] = a[i];
    out[4 * i + 1] = b[i];
    out[4 * i + 2] = c[i];
    out[4 * i + 3] = d[i];
  }
}

void words(uint64_t seed, uint64_t first, int64_t counters, uint32_t* out) {
  int64_t i = 0;
  for (; i + kLanes <= counters; i += kLanes) philox_lanes(seed, first + uint64_t(i), out + 4 * i);
  for (; i < counters; ++i) {
    const PhiloxBlock block = philox(seed, first + uint64_t(i));
    std::copy(block.begin(), block.end(), out + 4 * i);
  }
}

void uniform(const uint32_t* words, int64_t n, float low, float range, float* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = low + range * uniform_float(words[i]);
}

/// Box and Muller, in double: radius sqrt(-2 log(1 - u)), where 1 - u is in (0, 1], and angle 2 pi v.
void normal(const uint32_t* words, int64_t n, float mean, float std, float* out) {
  constexpr double minus_two_log2 = -2 * std::numbers::ln2;
  for (int64_t i = 0; i < n; i += 2) {
    const double radius =
        std * std::sqrt(minus_two_log2 * tile::log2_series<double>(1 - uniform_float(words[i])));
    const double quarters = 4.0 * uniform_float(words[i + 1]), shifted = quarters + tile::kRoundingMagic;
    const double rest = (quarters - (shifted - tile::kRoundingMagic)) * (std::numbers::pi / 2);
    const int64_t quadrant = std::bit_cast<int64_t>(shifted);
    const double sine = tile::sin_series(rest), cosine = tile::cos_series(rest);
    const double x = quadrant & 1 ? sine : cosine, y = quadrant & 1 ? cosine : sine;
    out[i] = float(mean + radius * ((quadrant + 1) & 2 ? -x : x));
    out[i + 1] = float(mean + radius * (quadrant & 2 ? -y : y));
  }
}

}  // namespace

extern const cpu::RandomKernels random_kernels;
const cpu::RandomKernels random_kernels{words, uniform, normal};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
