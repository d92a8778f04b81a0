// Random numbers in bulk: the vectorised forms of random/philox.h, compiled once per instruction set
// (cpu/tile/random.cc). They give the same bits on each.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

struct RandomKernels {
  /// The blocks of `counters` counters from `first` on, one after the other: 4 * counters words.
  void (*words)(uint64_t seed, uint64_t first, int64_t counters, uint32_t* out);
  /// low + range * u, with u in [0, 1) from each word.
  void (*uniform)(const uint32_t* words, int64_t n, float low, float range, float* out);
  /// Normal numbers of the given mean and standard deviation; `n` is even, each pair of words gives a pair.
  void (*normal)(const uint32_t* words, int64_t n, float mean, float std, float* out);
};

/// Those of the chosen instruction set.
const RandomKernels& random_kernels();

}  // namespace framejit::eager::cpu
