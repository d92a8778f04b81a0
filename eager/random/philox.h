// Philox 4x32-10: Salmon, Moraes, Dror, Shaw, *Parallel random numbers: as easy as 1, 2, 3* (SC 2011). A
// function from a 128-bit counter and a 64-bit key to four 32-bit numbers, without state.
#pragma once

#include <array>
#include <cstdint>

namespace framejit::eager {

using PhiloxBlock = std::array<uint32_t, 4>;

/// The four numbers of counter `counter` in the stream of `seed`.
inline PhiloxBlock philox(uint64_t seed, uint64_t counter) {
  PhiloxBlock block{uint32_t(counter), uint32_t(counter >> 32), 0, 0};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t(0xD2511F53u) * block[0], product1 = uint64_t(0xCD9E8D57u) * block[2];
    block = {uint32_t(product1 >> 32) ^ block[1] ^ key0, uint32_t(product1),
             uint32_t(product0 >> 32) ^ block[3] ^ key1, uint32_t(product0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return block;
}

/// In [0, 1): 24 or 53 random bits.
inline float uniform_float(uint32_t bits) { return float(bits >> 8) * 0x1p-24f; }
inline double uniform_double(uint32_t high, uint32_t low) {
  return double((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}
/// In [0, range): 128-bit multiplication, whose bias is below range / 2^64.
inline uint64_t uniform_below(uint32_t high, uint32_t low, uint64_t range) {
  return uint64_t((unsigned __int128)(uint64_t(high) << 32 | low) * range >> 64);
}

}  // namespace framejit::eager
