#include "eager/random/philox.h"

#include <gtest/gtest.h>

namespace framejit::eager {
namespace {

// The published test vector of Philox 4x32-10 for a zero counter and key.
TEST(Philox, KnownAnswer) {
  EXPECT_EQ(philox(0, 0), (PhiloxBlock{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
}

TEST(Philox, SeedAndCounterUseAllTheirBits) {
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(philox(uint64_t(1) << bit, 0), philox(0, 0)) << bit;
    EXPECT_NE(philox(0, uint64_t(1) << bit), philox(0, 0)) << bit;
  }
}

TEST(Philox, UniformNumbersStayBelowTheirBound) {
  EXPECT_EQ(uniform_float(0), 0.0f);
  EXPECT_LT(uniform_float(~0u), 1.0f);
  EXPECT_LT(uniform_double(~0u, ~0u), 1.0);
  EXPECT_EQ(uniform_below(~0u, ~0u, 7), 6u);
  EXPECT_EQ(uniform_below(0, 0, 7), 0u);
}

}  // namespace
}  // namespace framejit::eager
