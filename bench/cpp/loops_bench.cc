// Compiled loops, timed from C++: no Python, no guards. `bench/run.py` compares with other libraries; this
// shows where the time of a loop goes.
//
//   ninja -C build/dev loops_bench && build/dev/loops_bench [threads] [filter]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "eager/cpu/thread_pool.h"
#include "eager/operators.h"
#include "generated/ops.h"
#include "graph/trace.h"
#include "inductor/compile.h"

namespace framejit {
namespace {

using namespace eager::ops;
using eager::Dims;
using eager::Tensor;
using eager::Value;

using Function = std::function<Tensor(const Tensor&)>;

Tensor chain(const Tensor& x) {
  Tensor y = x * 1.5 + 0.25;
  y = y * y - x;
  y = abs(y) + 1.0;
  y = sqrt(y) * 0.5;
  return tanh(y) - x;
}
Tensor gelu(const Tensor& x) {
  return x * 0.5 * (tanh((x * x * x * 0.044715 + x) * 0.7978845608028654) + 1.0);
}
Tensor layer_norm(const Tensor& x) {
  Tensor d = x - mean(x, Dims{-1}, true);
  return d * rsqrt(mean(d * d, Dims{-1}, true) + 1e-5);
}

std::vector<std::pair<std::string, Function>> functions() {
  return {
      {"add one", [](const Tensor& x) { return x + 1.0; }},
      {"ten-op chain", chain},
      {"tanh-GELU", gelu},
      {"softmax", [](const Tensor& x) { return softmax(x, -1); }},
      {"layer norm", layer_norm},
      {"sum of squares", [](const Tensor& x) { return sum(x * x); }},
      {"column sum", [](const Tensor& x) { return sum(x, Dims{0}); }},
  };
}

double best_seconds(const std::function<void()>& call) {
  double best = 1e9;
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [](auto since) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  };
  for (int i = 0; i < 5 || (elapsed(start) < 0.5 && i < 100000); ++i) {
    auto begin = std::chrono::steady_clock::now();
    call();
    best = std::min(best, elapsed(begin));
  }
  return best;
}

void measure(const std::string& name, const Function& function, const Dims& sizes) {
  Tensor input = Tensor::empty(sizes, eager::DType::float32);
  int64_t n = input.numel().expect();
  for (int64_t i = 0; i < n; ++i) input.data_as<float>()[i] = float(i % 4001) / 1000 - 2;
  graph::Tracer tracer;
  Tensor symbolic = tracer.tensor_input("x", input);
  auto compile_begin = std::chrono::steady_clock::now();
  auto graph = tracer.finish({function(symbolic)});
  auto compiled = inductor::compile(*graph);
  double compile_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - compile_begin).count();
  Value argument = input;
  double seconds = best_seconds([&] {
    Value result;
    compiled->run(&argument, &result);
  });
  std::printf("%-14s %-14s %10.3f us  %7.2f GB/s in+out  (trace and compile %.0f us)\n", name.c_str(),
              eager::sizes_text(sizes).c_str(), seconds * 1e6, double(n) * 8e-9 / seconds,
              compile_seconds * 1e6);
}

}  // namespace
}  // namespace framejit

int main(int argc, char** argv) {
  using namespace framejit;
  if (argc > 1) eager::cpu::set_num_threads(std::atoi(argv[1]));
  const std::string filter = argc > 2 ? argv[2] : "";
  for (const auto& [name, function] : functions()) {
    if (name.find(filter) == std::string::npos) continue;
    if (name == "add one") measure(name, function, {4});
    measure(name, function, {1024, 1024});
    measure(name, function, {4096, 4096});
  }
  return 0;
}
