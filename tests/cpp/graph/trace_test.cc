// Tracing, interpreting, rolling back.
#include <gtest/gtest.h>

#include "generated/ops.h"
#include "graph/executable.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "tests/cpp/graph/trace_util.h"

namespace framejit::graph {
namespace {

namespace ops = eager::ops;
using eager::Tensor;
using eager::Value;
using testing::ramp;
using testing::trace;
using testing::values;

std::vector<std::string> texts(const std::vector<eager::SizeGuard>& guards) {
  std::vector<std::string> result;
  for (const auto& guard : guards) result.push_back(guard.str());
  return result;
}

TEST(Trace, RecordsOpsAsTheyAreCalled) {
  auto graph = trace(
      [](const auto& in) -> std::vector<Value> {
        Tensor y = ops::mul(in[0], 2.5);
        Tensor row = ops::select(y, 0, 1);
        ops::add_(row, in[1]);
        return {y, row, ops::sum(y)};
      },
      {ramp({2, 3}), ramp({3})});
  verify(*graph);
  EXPECT_EQ(print(*graph), R"(graph {
  %a = input float32[2, 3]
  %b = input float32[3]
  %mul = mul(%a, 2.5) : float32[2, 3]
  %select = select(%mul, 0, 1) : float32[3]
  %add_ = add_(%select, %b, 1) : float32[3]
  %sum = sum(%mul, None, False, None) : float32[]
  return %mul, %select, %sum
}
)");
}

TEST(Trace, ConcreteTensorsBecomeConstants) {
  Tensor k = ramp({3}, 1);
  auto graph = trace([&](const auto& in) -> std::vector<Value> { return {ops::add(in[0], ops::mul(k, k))}; },
                     {ramp({3})});
  EXPECT_EQ(constants_of(*graph).size(), 1u);
  Value input = ramp({3}), result;
  interpret(std::move(graph))->run(&input, &result);
  EXPECT_EQ(values(result.tensor()), (std::vector<double>{1, 5, 11}));
}

TEST(Trace, DynamicSizes) {
  auto graph = trace(
      [](const auto& in) -> std::vector<Value> {
        Tensor joined = ops::cat({in[0], in[1]}, 0);
        eager::Dims flat;
        flat.push_back(joined.numel());
        return {ops::view(joined, flat), ops::t(in[0])};
      },
      {ramp({3, 4}), ramp({5, 4})}, 0b01);
  verify(*graph);
  EXPECT_EQ(print(*graph), R"(graph {
  %a = input float32[s0, 4]
  %b = input float32[s1, 4]
  s0 = %a.size(0)
  s1 = %b.size(0)
  %cat = cat([%a, %b], 0) : float32[s0 + s1, 4]
  %view = view(%cat, [4*s0 + 4*s1]) : float32[4*s0 + 4*s1]
  %transpose = transpose(%a, 0, 1) : float32[4, s0]{1, 4}
  return %view, %transpose
}
)");
  EXPECT_EQ(texts(graph->shapes->guards()), (std::vector<std::string>{"2 <= s0", "2 <= s1"}));
  Value inputs[] = {ramp({2, 4}), ramp({1, 4})}, results[2];
  interpret(std::move(graph))->run(inputs, results);
  EXPECT_EQ(results[0].tensor().sizes(), (eager::Dims{12}));
}

TEST(Trace, BroadcastingGuards) {
  auto graph = trace([](const auto& in) -> std::vector<Value> { return {ops::add(in[0], in[1])}; },
                     {ramp({3, 4}), ramp({3, 4})}, 0b11);
  EXPECT_EQ(texts(graph->shapes->guards()),
            (std::vector<std::string>{"2 <= s0", "2 <= s1", "2 <= s2", "2 <= s3", "s0 == s2", "s1 == s3"}));
}

TEST(Trace, NumbersAreInputs) {
  Tracer tracer;
  Tensor x = tracer.tensor_input("x", ramp({2}));
  Value n = tracer.scalar_input("n", DType::int64, 3), f = tracer.scalar_input("f", DType::float64, 0.5);
  Value sum = tracer.scalar_op("add", n, Value(1));
  Value product = tracer.scalar_op("mul", f, sum);
  EXPECT_EQ(sum.sym_int().str(), "s0 + 1");
  auto graph = tracer.finish({ops::mul(x, product), sum, product});
  verify(*graph);
  EXPECT_EQ(print(*graph), R"(graph {
  %x = input float32[2]
  %n = input int64
  %f = input float64
  s0 = %n
  %mul = scalar mul(%f, s0 + 1) : float64
  %mul_1 = mul(%x, %mul) : float32[2]
  return %mul_1, s0 + 1, %mul
}
)");
  Value inputs[] = {ramp({2}, 1), Value(7), Value(0.25)}, results[3];
  interpret(std::move(graph))->run(inputs, results);
  EXPECT_EQ(values(results[0].tensor()), (std::vector<double>{2, 4}));
  EXPECT_EQ(results[1].integer(), 8);
  EXPECT_EQ(results[2].real(), 2.0);
}

TEST(Trace, RollbackForgetsWhatCameAfter) {
  Tracer tracer;
  Tensor x = tracer.tensor_input("x", ramp({4, 4}), 0b11);
  Tensor y = ops::sin(x);
  auto mark = tracer.mark();
  {
    Tensor z = tracer.tensor_input("z", ramp({4}));
    Tensor w = ops::mul(ops::cos(y), z);
    EXPECT_EQ(w.size(0).expect(), 4);
  }
  tracer.rollback(mark);
  Tensor r = ops::exp(y);
  auto graph = tracer.finish({r});
  verify(*graph);
  EXPECT_EQ(print(*graph), R"(graph {
  %x = input float32[s0, s1]
  s0 = %x.size(0)
  s1 = %x.size(1)
  %sin = sin(%x) : float32[s0, s1]
  %exp = exp(%sin) : float32[s0, s1]
  return %exp
}
)");
  EXPECT_EQ(graph->shapes->guards().size(), 2u);
}

TEST(Trace, WhatCannotBeTraced) {
  Tensor real = ramp({3});
  EXPECT_THROW(
      trace([&](const auto& in) -> std::vector<Value> { return {ops::add_(real, in[0])}; }, {ramp({3})}),
      Untraceable);
  EXPECT_THROW(trace(
                   [&](const auto& in) -> std::vector<Value> {
                     return {ops::add_(ops::expand(in[0], {2, 3}), 1)};
                   },
                   {ramp({3})}),
               Untraceable);
  EXPECT_EQ(eager::Recorder::current(), nullptr);
}

TEST(Trace, BadShapesRaiseWhatEagerRaises) {
  EXPECT_THROW(trace([](const auto& in) -> std::vector<Value> { return {ops::add(in[0], in[1])}; },
                     {ramp({3}), ramp({4})}),
               eager::Error);
}

TEST(Trace, FreshCopiesMayBeWritten) {
  Tracer tracer;
  Tensor x = tracer.tensor_input("x", ramp({2}));
  Tensor made = tracer.fresh_copy(ramp({2}, 10));
  ops::add_(made, x);
  auto run = interpret(tracer.finish({made}));
  for (int call = 0; call < 2; ++call) {
    Value input = ramp({2}, 1), result;
    run->run(&input, &result);
    EXPECT_EQ(values(result.tensor()), (std::vector<double>{11, 13}));
  }
}

TEST(Trace, GradModeIsKept) {
  Tensor example = ramp({2});
  example->requires_grad = true;
  auto graph = trace(
      [](const auto& in) -> std::vector<Value> {
        Tensor y = ops::sin(in[0]);
        eager::GradModeScope no_grad(false);
        return {y, ops::cos(y)};
      },
      {example});
  EXPECT_EQ(print(*graph), R"(graph {
  %a = input float32[2] grad
  %sin = sin(%a) : float32[2]
  %cos = cos(%sin) : float32[2] no_grad
  return %sin, %cos
}
)");
  Value input = example, results[2];
  interpret(std::move(graph))->run(&input, results);
  EXPECT_TRUE(results[0].tensor().requires_grad());
  EXPECT_FALSE(results[1].tensor().requires_grad());
}

}  // namespace
}  // namespace framejit::graph
