// Compiled graphs against the same graphs run op by op.
#include <gtest/gtest.h>

#include "tests/cpp/inductor/programs.h"

namespace framejit::inductor {
namespace {

using namespace eager::ops;

Tensor t(const Value& value) { return value.tensor(); }

class Compile : public ::testing::Test {
 protected:
  std::mt19937 random{7};
};

TEST_F(Compile, PointwiseChain) {
  Function chain = [](const std::vector<Value>& x) -> std::vector<Value> {
    Tensor y = tanh(t(x[0]) * 0.5 + x[1]);
    return {y * y - t(x[0]), exp(y)};
  };
  expect_compiles(chain, {random_floats({4}, random), random_floats({4}, random)});
  expect_compiles(chain, {random_floats({300, 500}, random), random_floats({500}, random)});
  expect_compiles(chain, {random_floats({3, 5, 7}, random), random_floats({5, 1}, random)}, 0, {7, 1});
}

TEST_F(Compile, ViewsFoldIntoLoops) {
  Tensor a = random_floats({40, 30}, random), b = random_floats({30, 40}, random);
  expect_compiles(
      [](const std::vector<Value>& x) -> std::vector<Value> {
        Tensor doubled = t(x[0]) * 2.0;
        return {transpose(doubled, 0, 1) + x[1], view(doubled, {1200}) + 1.0,
                slice(doubled, 0, SymInt(3), SymInt(9)) * 3.0};
      },
      {a, b});
  expect_compiles(
      [](const std::vector<Value>& x) -> std::vector<Value> {
        return {unsqueeze(t(x[0]), 2) * expand(unsqueeze(t(x[1]), 0), {40, 30, 40}),
                select(t(x[0]), 1, 4) + 1.0};
      },
      {a, b});
}

TEST_F(Compile, ReductionsWithWhatGoesBeforeAndAfter) {
  Function f = [](const std::vector<Value>& x) -> std::vector<Value> {
    Tensor y = t(x[0]) * t(x[0]);
    return {sum(y), sum(y, Dims{0}) + 1.0, mean(y, Dims{1}, true), amax(t(x[0]), Dims{1}),
            argmax(t(x[0]), SymInt(1))};
  };
  expect_compiles(f, {random_floats({37, 53}, random)}, 0);
  expect_compiles(f, {random_floats({700, 900}, random)}, 0, {3});
}

TEST_F(Compile, OneElementMeetsRowValues) {
  Function f = [](const std::vector<Value>& x) -> std::vector<Value> {
    return {tanh(mean(t(x[0]), Dims{1}) + abs(t(x[1]))), softmax(t(x[0]) * sum(t(x[1]) * 2.0), -1)};
  };
  expect_compiles(f, {random_floats({30, 40}, random), random_floats({1}, random)}, 0);
}

TEST_F(Compile, RowsOfSeveralPhases) {
  Function f = [](const std::vector<Value>& x) -> std::vector<Value> {
    Tensor m = mean(t(x[0]), Dims{-1}, true);
    Tensor d = t(x[0]) - m;
    Tensor v = mean(d * d, Dims{-1}, true);
    return {d * rsqrt(v + 1e-5) * x[1] + x[2], softmax(t(x[0]), -1), log_softmax(t(x[0]), 0)};
  };
  for (int64_t columns : {3, 10, 600, 5000})
    expect_compiles(f,
                    {random_floats({33, columns}, random), random_floats({columns}, random),
                     random_floats({columns}, random)},
                    1e-6);
}

TEST_F(Compile, PythonNumbersAreInputs) {
  Function f = [](const std::vector<Value>& x) -> std::vector<Value> {
    return {t(x[0]) * x[1] + x[2], add(x[0], x[0], x[1])};
  };
  Tensor a = random_floats({100}, random);
  auto graph = trace(f, {a, Value(0.1), Value(int64_t(3))});
  auto compiled = compile(*graph);
  auto oracle = graph::interpret(std::move(graph));
  for (double number : {0.1, 1e30, -0.0}) {
    std::vector<Value> inputs = {a, Value(number), Value(int64_t(5))};
    auto got = run(*compiled, inputs), expected = run(*oracle, inputs);
    for (int i : {0, 1})
      expect_same(got[size_t(i)].tensor(), expected[size_t(i)].tensor(), 0, compiled->describe());
  }
}

TEST_F(Compile, SizesMayChangeFromCallToCall) {
  Function f = [](const std::vector<Value>& x) -> std::vector<Value> {
    return {softmax(t(x[0]) * 2.0, 1), sum(t(x[0]), Dims{0}), reshape(t(x[0]) + 1.0, {-1})};
  };
  auto graph = trace(f, {random_floats({5, 7}, random)}, {3});
  auto compiled = compile(*graph);
  auto oracle = graph::interpret(std::move(graph));
  for (const Dims& sizes : {Dims{5, 7}, Dims{300, 8}, Dims{2, 4000}, Dims{5, 7}}) {
    std::vector<Value> inputs = {random_floats(sizes, random)};
    auto got = run(*compiled, inputs), expected = run(*oracle, inputs);
    for (size_t i = 0; i < 3; ++i)
      expect_same(got[i].tensor(), expected[i].tensor(), 0, compiled->describe());
  }
}

TEST_F(Compile, ExternalCallsAndTheirNeighbours) {
  expect_compiles(
      [](const std::vector<Value>& x) -> std::vector<Value> {
        Tensor hidden = relu(mm(t(x[0]), t(x[1])) + x[2]);
        return {mm(hidden * 2.0, transpose(t(x[1]), 0, 1)), cat({hidden, hidden}, 1)};
      },
      {random_floats({20, 30}, random), random_floats({30, 10}, random), random_floats({10}, random)});
}

TEST_F(Compile, ResultsAreTheInputOrHaveMemoryOfTheirOwn) {
  Tensor a = random_floats({8}, random);
  auto graph = trace(
      [](const std::vector<Value>& x) -> std::vector<Value> {
        return {x[0], t(x[0]) * 2.0, t(x[0]) * 2.0};
      },
      {a});
  auto compiled = compile(*graph);
  auto got = run(*compiled, {a});
  EXPECT_TRUE(got[0].tensor() == a);
  EXPECT_NE(got[1].tensor().data(), got[2].tensor().data());
}

TEST_F(Compile, AFailingKernelRaisesItsError) {
  auto index = Tensor::empty({2}, DType::int64);
  index.data_as<int64_t>()[0] = 1;
  index.data_as<int64_t>()[1] = 99;
  Tensor table = random_floats({10, 4}, random);
  auto graph = trace(
      [](const std::vector<Value>& x) -> std::vector<Value> {
        return {index_select(t(x[0]), 0, t(x[1])) * 2.0};
      },
      {table, index});
  auto compiled = compile(*graph);
  EXPECT_THROW(run(*compiled, {table, index}), eager::Error);
}

}  // namespace
}  // namespace framejit::inductor
