// Contract: where random numbers come from.
//
// A generator is a seed and an offset into the stream of that seed. An op that needs n numbers takes the next
// n counters (`take`), and its kernel computes number i of the stream from (seed, offset + i) alone. So
// numbers do not depend on threads, tiles or on whether code was compiled; they depend on the order in which
// ops take them.
#pragma once

#include <atomic>
#include <cstdint>

#include "eager/ref.h"
#include "eager/value.h"

namespace framejit::eager {

/// A place in a stream. Counters are blocks of four 32-bit numbers (see philox.h).
struct RandomState {
  uint64_t seed;
  uint64_t offset;
};

class FRAMEJIT_API Generator : public RefCounted {
 public:
  explicit Generator(uint64_t seed) : seed_(seed) {}

  void manual_seed(uint64_t seed) {
    seed_ = seed;
    offset_ = 0;
  }
  uint64_t initial_seed() const { return seed_; }
  RandomState state() const { return {seed_, offset_}; }
  void set_state(RandomState state) {
    seed_ = state.seed;
    offset_ = state.offset;
  }
  /// Takes `counters` of the stream.
  RandomState take(uint64_t counters) { return {seed_, offset_.fetch_add(counters)}; }

 private:
  std::atomic<uint64_t> seed_;
  std::atomic<uint64_t> offset_{0};
};

/// The process's generator: seeded with 67280421310721 until `manual_seed`, as PyTorch's is.
FRAMEJIT_API Generator& default_generator();
/// That of a Generator argument; the default one for None.
FRAMEJIT_API Generator& generator_of(const Value& argument);

}  // namespace framejit::eager
