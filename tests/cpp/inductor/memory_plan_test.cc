// Temporaries that live at the same time must not share memory; those that do not, should.
#include "inductor/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace framejit::inductor {
namespace {

std::vector<BufferLife> random_lives(std::mt19937& random, int count) {
  std::vector<BufferLife> lives;
  for (int i = 0; i < count; ++i) {
    int first = i / 2;  // two buffers per step
    lives.push_back({random() % 8 != 0, first, first + int(random() % 5), -1});
  }
  return lives;
}

TEST(MemoryPlan, LivingBuffersDoNotOverlap) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<BufferLife> lives = random_lives(random, 2 + int(random() % 30));
    std::vector<int64_t> bytes;
    for (size_t i = 0; i < lives.size(); ++i) bytes.push_back(int64_t(random() % 5) * 100);
    MemoryPlan plan = plan_memory(lives, bytes);
    for (size_t a = 0; a < lives.size(); ++a) {
      EXPECT_EQ(plan.offset[a] >= 0, lives[a].temporary);
      if (!lives[a].temporary) continue;
      EXPECT_LE(plan.offset[a] + bytes[a], plan.total);
      for (size_t b = 0; b < a; ++b) {
        bool together =
            lives[b].temporary && lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
        bool overlap =
            plan.offset[a] < plan.offset[b] + bytes[b] && plan.offset[b] < plan.offset[a] + bytes[a];
        EXPECT_FALSE(together && overlap) << "seed " << seed << " buffers " << a << ", " << b;
      }
    }
  }
}

TEST(MemoryPlan, AChainNeedsTwoBuffers) {
  std::vector<BufferLife> lives;
  for (int i = 0; i < 20; ++i) lives.push_back({true, i, i + 1, -1});
  EXPECT_EQ(plan_memory(lives, std::vector<int64_t>(20, 4096)).total, 2 * 4096);
}

TEST(MemoryPlan, AnOverwrittenOperandNeedsNoSecondBuffer) {
  std::vector<BufferLife> lives;
  for (int i = 0; i < 20; ++i) lives.push_back({true, i, i + 1, i - 1});
  MemoryPlan plan = plan_memory(lives, std::vector<int64_t>(20, 4096));
  EXPECT_EQ(plan.total, 4096);
  EXPECT_EQ(plan.offset[19], plan.offset[0]);
}

}  // namespace
}  // namespace framejit::inductor
