// What a call of a small op costs from C++: dispatch, shape rule, allocation, kernel; and a small backward
// pass.
//
//   ninja -C build/dev call_bench && build/dev/call_bench
//
// Nanoseconds of CPU time of this thread, best of several rounds.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "eager/autograd/autograd.h"
#include "eager/operators.h"
#include "generated/ops.h"

namespace framejit {
namespace {

using namespace eager;

double thread_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

template <class Function>
void measure(const char* name, Function function) {
  constexpr int kRounds = 9, kCalls = 20'000;
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    double start = thread_nanoseconds();
    for (int call = 0; call < kCalls; ++call) function();
    best = std::min(best, (thread_nanoseconds() - start) / kCalls);
  }
  std::printf("%-28s %8.1f\n", name, best);
}

void run() {
  Dims four{4};
  Tensor a = ops::ones(four, DType::float32), b = ops::ones(four, DType::float32);
  Tensor one = ops::ones({1}, DType::float32), matrix = ops::ones({4, 4}, DType::float32);
  Tensor leaf = ops::ones(four, DType::float32);
  set_requires_grad(leaf, true);
  measure("empty", [&] { Tensor::empty(four, DType::float32); });
  measure("a + b", [&] { ops::add(a, b); });
  measure("a + 1", [&] { ops::add(a, 1); });
  measure("exp(a)", [&] { ops::exp(a); });
  measure("a + one element", [&] { ops::add(a, one); });
  measure("matrix + row", [&] { ops::add(matrix, a); });
  measure("a.add_(1)", [&] { ops::add_(a, 1); });
  measure("matrix[1]", [&] { ops::select(matrix, 0, 1); });
  measure("sum(a)", [&] { ops::sum(a); });
  measure("leaf * b, recorded", [&] { ops::mul(leaf, b); });
  measure("sum(leaf * b).backward()", [&] { backward({ops::sum(ops::mul(leaf, b))}, {}); });
}

}  // namespace
}  // namespace framejit

int main() {
  framejit::run();
  return 0;
}
