// Graphs in, fused loops out: tests/golden/loops/fusion.txt (tests/cpp/golden.h says how to renew it).
#include "tests/cpp/golden.h"

#include "graph/parse.h"
#include "inductor/compile.h"

namespace framejit::inductor {
namespace {

TEST(Golden, FusedLoops) {
  testing::check_golden("loops/fusion",
                        [](const std::string& text) { return compile(*graph::parse(text))->describe(); });
}

}  // namespace
}  // namespace framejit::inductor
