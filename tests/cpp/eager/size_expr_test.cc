#include "eager/size_expr.h"

#include <gtest/gtest.h>

namespace framejit::eager {
namespace {

class SizeExprTest : public testing::Test {
 protected:
  ShapeEnv env_;
  ShapeEnvScope scope_{&env_};
  SymInt a_ = env_.new_size(6), b_ = env_.new_size(10), n_ = env_.new_integer(-3);

  std::vector<std::string> guards() const {
    std::vector<std::string> texts;
    for (const SizeGuard& guard : env_.guards()) texts.push_back(guard.str());
    return texts;
  }
};

TEST_F(SizeExprTest, EqualExpressionsAreOneNode) {
  EXPECT_EQ((a_ + a_).bits(), (2 * a_).bits());
  EXPECT_EQ((a_ * b_).bits(), (b_ * a_).bits());
  EXPECT_EQ(((a_ + 1) * (b_ - 1)).bits(), (a_ * b_ + b_ - a_ - 1).bits());
  EXPECT_EQ((a_ - a_).bits(), 0);
  EXPECT_EQ((a_ + 3 - a_).bits(), 3);
}

TEST_F(SizeExprTest, Prints) {
  EXPECT_EQ((4 * a_ + 1).str(), "4*s0 + 1");
  EXPECT_EQ((1 - a_).str(), "-1*s0 + 1");
  EXPECT_EQ((a_ * b_ - 2 * b_).str(), "s0*s1 - 2*s1");
  EXPECT_EQ(floor_div(a_ + 1, 2).str(), "(s0 + 1) // 2");
  EXPECT_EQ((3 * floor_mod(a_, b_)).str(), "3*(s0 % s1)");
  EXPECT_EQ(sym_max(a_, b_).str(), "max(s0, s1)");
}

TEST_F(SizeExprTest, DivisionIsExactWhereItCanBe) {
  EXPECT_EQ(floor_div(a_ * b_ * 4, a_ * 2).str(), "2*s1");
  EXPECT_EQ(floor_div(6 * a_ + 3, 2).str(), "3*s0 + 1");
  EXPECT_EQ(floor_mod(6 * a_ + 3, 2).str(), "1");
  EXPECT_EQ(floor_mod(a_ * b_, b_).str(), "0");
  EXPECT_EQ(floor_div(a_ + b_, a_ + b_).str(), "1");
}

TEST_F(SizeExprTest, EvaluatesLikePython) {
  int64_t values[] = {7, 2, -5};
  EXPECT_EQ(floor_div(n_, a_).expr()->evaluate(values), -1);
  EXPECT_EQ(floor_mod(n_, a_).expr()->evaluate(values), 2);
  EXPECT_EQ((a_ * b_ + n_ * 3).expr()->evaluate(values), -1);
  EXPECT_EQ(sym_min(a_, b_).expr()->evaluate(values), 2);
}

TEST_F(SizeExprTest, ComparisonsAnswerByHintAndGuard) {
  EXPECT_TRUE(a_ < b_);
  EXPECT_FALSE(a_ == b_);
  EXPECT_TRUE(n_ < 0);
  EXPECT_FALSE(n_ > a_);
  EXPECT_EQ(guards(),
            (std::vector<std::string>{"2 <= s0", "2 <= s1", "s0 < s1", "s0 != s1", "s2 < 0", "s2 <= s0"}));
}

TEST_F(SizeExprTest, KnownFactsNeedNoGuard) {
  EXPECT_FALSE(a_ == 1);
  EXPECT_TRUE(a_ * b_ > 3);
  EXPECT_TRUE(a_ + 1 > a_);
  EXPECT_TRUE(a_ + b_ == b_ + a_);
  EXPECT_FALSE(a_ < 0);
  EXPECT_EQ(env_.guards().size(), 2u);  // the two that sizes come with
}

TEST_F(SizeExprTest, ExpectSpecializes) {
  EXPECT_EQ((a_ * 2).hint(), 12);
  EXPECT_EQ(env_.guards().size(), 2u);
  EXPECT_EQ((a_ * 2).expect(), 12);
  EXPECT_EQ(guards().back(), "2*s0 == 12");
  size_t mark = env_.mark();
  EXPECT_EQ(b_.expect(), 10);
  env_.rollback(mark);
  EXPECT_EQ(guards().back(), "2*s0 == 12");
}

}  // namespace
}  // namespace framejit::eager
