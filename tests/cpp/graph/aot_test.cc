// Compiled graphs against the same function run by eager: values, gradients, mutation, aliasing.
#include <gtest/gtest.h>

#include "eager/autograd/autograd.h"
#include "generated/ops.h"
#include "graph/aot/compile.h"
#include "graph/aot/joint.h"
#include "graph/aot/partition.h"
#include "graph/parse.h"
#include "graph/passes/pipeline.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "tests/cpp/golden.h"
#include "tests/cpp/graph/trace_util.h"

namespace framejit::graph {
namespace {

namespace ops = eager::ops;
using eager::Tensor;
using eager::Value;
using testing::Function;
using testing::ramp;
using testing::values;

Tensor parameter(const eager::Dims& sizes, double first = 0.1, double step = 0.3) {
  Tensor tensor = ramp(sizes, first, step);
  tensor->requires_grad = true;
  return tensor;
}

/// The same data and flags in new tensors.
std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    eager::GradModeScope no_grad(false);
    result.push_back(ops::clone(tensor));
    result.back()->requires_grad = tensor.requires_grad();
  }
  return result;
}

std::shared_ptr<const Executable> compiled(const Function& function, const std::vector<Tensor>& examples,
                                           uint64_t dynamic_dims = 0) {
  return aot::compile_graph(testing::trace(function, copies(examples), dynamic_dims), "aot_eager");
}

std::vector<Value> run(const Executable& executable, const std::vector<Tensor>& inputs, size_t results) {
  std::vector<Value> args(inputs.begin(), inputs.end()), made(results);
  executable.run(args.data(), made.data());
  return made;
}

/// Gradients that flow into an input from several places may be added in another order.
void expect_close(const std::vector<double>& got, const std::vector<double>& want, size_t input) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-6 * (1 + std::abs(want[i]))) << "gradient of input " << input;
}

/// Runs forward and backward both ways; compares results, inputs afterwards, and gradients.
void compare(const Function& function, const std::vector<Tensor>& examples, uint64_t dynamic_dims = 0,
             const std::vector<Tensor>& other_inputs = {}) {
  auto executable = compiled(function, examples, dynamic_dims);
  std::vector<Tensor> eager_in = copies(other_inputs.empty() ? examples : other_inputs),
                      in = copies(eager_in);
  std::vector<Value> expected = function(eager_in), actual = run(*executable, in, expected.size());
  std::vector<Tensor> eager_losses, losses;
  for (size_t i = 0; i < expected.size(); ++i) {
    Tensor want = expected[i].tensor(), got = actual[i].tensor();
    EXPECT_EQ(values(got), values(want)) << "result " << i;
    EXPECT_EQ(got.strides(), want.strides()) << "result " << i;
    EXPECT_EQ(got.dtype(), want.dtype()) << "result " << i;
    ASSERT_EQ(got.requires_grad(), want.requires_grad()) << "result " << i;
    if (!want.requires_grad()) continue;
    eager_losses.push_back(ops::sum(ops::mul(want, want)));
    losses.push_back(ops::sum(ops::mul(got, got)));
  }
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(values(in[i]), values(eager_in[i])) << "input " << i;
  if (losses.empty()) return;
  eager::backward(eager_losses, std::vector<Tensor>(losses.size()));
  eager::backward(losses, std::vector<Tensor>(losses.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    Tensor want = eager::get_grad(eager_in[i]), got = eager::get_grad(in[i]);
    ASSERT_EQ(got.defined(), want.defined()) << "gradient " << i;
    if (want.defined()) expect_close(values(got), values(want), i);
  }
}

TEST(Aot, ForwardAndBackward) {
  compare([](const auto& in) -> std::vector<Value> { return {ops::tanh(ops::mul(in[0], in[1]))}; },
          {parameter({2, 3}), parameter({3}, 0.5)});
}

TEST(Aot, SomeResultsAndInputsHaveNoGradient) {
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor y = ops::mul(in[0], in[1]);
        return {ops::sum(y), ops::gt(y, 0.5), ops::exp(in[1]), ops::exp(in[2])};
      },
      {parameter({4}), ramp({4}), parameter({4})});
}

TEST(Aot, UnusedGradients) {
  auto function = [](const auto& in) -> std::vector<Value> { return {ops::exp(in[0]), ops::exp(in[1])}; };
  auto executable = compiled(function, {parameter({2}), parameter({2})});
  std::vector<Tensor> in{parameter({2}), parameter({2})};
  auto results = run(*executable, in, 2);
  eager::backward({ops::sum(results[0].tensor())}, {Tensor()});
  EXPECT_EQ(values(eager::get_grad(in[0])), values(results[0].tensor()));
  EXPECT_EQ(values(eager::get_grad(in[1])), (std::vector<double>{0, 0}));
}

TEST(Aot, InputsWrittenInPlace) {
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor y = ops::mul(in[0], 2);
        ops::add_(in[0], 1);
        return {y, ops::mul(in[0], 3)};
      },
      {ramp({4})});
  // A buffer that takes part in differentiation: afterwards it has a history.
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor part = ops::select(in[0], 0, 1);
        ops::mul_(part, in[1]);
        return {ops::sum(in[0]), in[0]};
      },
      {ramp({2, 3}), parameter({3})});
}

TEST(Aot, OptimizerStep) {
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor loss = ops::sum(ops::mul(in[0], in[1]));
        eager::GradModeScope no_grad(false);
        ops::sub_(in[0], ops::mul(in[1], 0.1));
        return {ops::mul(in[0], 2)};
      },
      {parameter({3}), ramp({3})});
}

TEST(Aot, BackwardInsideTheFunction) {
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor loss = ops::sum(ops::tanh(ops::mul(in[0], in[1])));
        Tensor gradient = eager::grad({loss}, {in[1]}, {Tensor()})[0];
        return {eager::detach(loss), gradient};
      },
      {ramp({3}), parameter({3})});
}

TEST(Aot, TrainingStep) {
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor loss = ops::mean(ops::square(ops::sub(ops::mm(in[0], in[1]), 1)));
        eager::backward({loss}, {Tensor()});
        eager::GradModeScope no_grad(false);
        ops::sub_(in[1], ops::mul(eager::get_grad(in[1]), 0.1));
        return {eager::detach(loss)};
      },
      {ramp({4, 3}, 0, 0.1), parameter({3, 2})});
}

TEST(Aot, DoubleBackwardInsideTheFunction) {
  compare(
      [](const auto& in) -> std::vector<Value> {
        Tensor y = ops::sum(ops::exp(ops::mul(in[0], in[0])));
        Tensor slope = eager::grad({y}, {in[0]}, {Tensor()}, {.create_graph = true})[0];
        return {ops::sum(ops::mul(slope, slope))};
      },
      {parameter({3})});
}

TEST(Aot, DoubleBackwardFromOutside) {
  auto executable =
      compiled([](const auto& in) -> std::vector<Value> { return {ops::mul(in[0], ops::mul(in[0], in[0]))}; },
               {parameter({2})});
  Tensor x = parameter({2});
  Tensor loss = ops::sum(run(*executable, {x}, 1)[0].tensor());
  Tensor slope = eager::grad({loss}, {x}, {Tensor()}, {.create_graph = true})[0];
  Tensor bend = eager::grad({ops::sum(slope)}, {x}, {Tensor()}, {})[0];
  expect_close(values(bend), values(ops::mul(x, 6.0)), 0);
}

TEST(Aot, ResultsThatAliasInputs) {
  auto function = [](const auto& in) -> std::vector<Value> {
    return {in[0], ops::transpose(in[0], 0, 1), ops::exp(in[0])};
  };
  compare(function, {parameter({2, 3})});
  auto executable = compiled(function, {ramp({2, 3})});
  Tensor x = ramp({2, 3});
  auto results = run(*executable, {x}, 3);
  EXPECT_EQ(results[0].tensor(), x);
  EXPECT_EQ(results[1].tensor()->storage, x->storage);
}

TEST(Aot, InputsThatShareWrittenMemory) {
  auto function = [](const auto& in) -> std::vector<Value> {
    ops::add_(in[0], 1);
    return {ops::mul(in[1], 2)};
  };
  auto executable = compiled(function, {ramp({2, 3}), ramp({3})});
  Tensor x = ramp({2, 3});
  auto results = run(*executable, {x, ops::select(x, 0, 0)}, 1);
  EXPECT_EQ(values(results[0].tensor()), (std::vector<double>{2, 4, 6}));
}

TEST(Aot, ResultsThatAliasEachOther) {
  auto executable = compiled(
      [](const auto& in) -> std::vector<Value> {
        Tensor y = ops::exp(in[0]);
        return {y, ops::transpose(y, 0, 1), y, ops::mul(in[0], 2), ops::mul(in[0], 2)};
      },
      {ramp({2, 3})});
  auto results = run(*executable, {ramp({2, 3})}, 5);
  EXPECT_EQ(results[0].tensor()->storage, results[1].tensor()->storage);
  EXPECT_EQ(results[0].tensor(), results[2].tensor());
  EXPECT_NE(results[3].tensor()->storage, results[4].tensor()->storage);
}

TEST(Aot, DynamicShapes) {
  auto function = [](const auto& in) -> std::vector<Value> {
    Tensor y = ops::matmul(in[0], in[1]);
    return {ops::tanh(y), ops::transpose(y, 0, 1), ops::mean(ops::mul(in[0], in[0]))};
  };
  std::vector<Tensor> small{parameter({2, 3}), parameter({3, 4})},
      large{parameter({5, 3}), parameter({3, 6})};
  compare(function, small, 0b11);
  compare(function, small, 0b11, large);
}

TEST(Aot, GradModeOffGivesNoHistory) {
  eager::GradModeScope no_grad(false);
  auto executable =
      compiled([](const auto& in) -> std::vector<Value> { return {ops::exp(in[0])}; }, {parameter({2})});
  EXPECT_FALSE(run(*executable, {parameter({2})}, 1)[0].tensor().requires_grad());
}

TEST(Aot, ResultsSavedForBackwardAreGuardedByVersion) {
  auto executable =
      compiled([](const auto& in) -> std::vector<Value> { return {ops::exp(in[0])}; }, {parameter({2})});
  Tensor x = parameter({2});
  Tensor y = run(*executable, {x}, 1)[0].tensor();
  Tensor loss = ops::sum(y);
  {
    eager::GradModeScope no_grad(false);
    ops::add_(y, 1);
    ops::add_(x, 1);
  }
  EXPECT_THROW(eager::backward({loss}, {Tensor()}), eager::Error);
}

TEST(Aot, SecondBackwardNeedsRetainGraph) {
  auto executable =
      compiled([](const auto& in) -> std::vector<Value> { return {ops::exp(in[0])}; }, {parameter({2})});
  Tensor x = parameter({2});
  Tensor loss = ops::sum(run(*executable, {x}, 1)[0].tensor());
  eager::backward({loss}, {Tensor()}, {.retain_graph = true});
  eager::backward({loss}, {Tensor()});
  EXPECT_THROW(eager::backward({loss}, {Tensor()}), eager::Error);
}

TEST(Aot, UnknownBackendListsTheKnown) {
  try {
    aot::compile_graph(
        testing::trace([](const auto& in) -> std::vector<Value> { return {in[0]}; }, {ramp({2})}), "tvm");
    FAIL();
  } catch (const eager::Error& error) {
    EXPECT_EQ(error.type(), eager::ErrorType::value);
    EXPECT_NE(std::string(error.what()).find("unknown backend 'tvm', expected one of 'eager', 'aot_eager'"),
              std::string::npos)
        << error.what();
  }
}

/// Names of the values that the forward saves.
std::vector<std::string> saved_names(const aot::Partition& parts) {
  std::vector<std::string> names;
  for (size_t i = 0; i < parts.saved.size(); ++i) names.push_back(parts.backward->inputs[i]->name);
  return names;
}

aot::Partition partitioned(std::unique_ptr<Graph> graph) {
  aot::Joint joint = aot::make_joint(*graph);
  passes::simplify(joint.graph);
  verify(*joint.graph);
  aot::Partition parts = aot::partition(joint);
  verify(*parts.forward);
  verify(*parts.backward);
  return parts;
}

aot::Partition partitioned(const Function& function, const std::vector<Tensor>& examples) {
  return partitioned(testing::trace(function, examples));
}

TEST(Partition, Golden) {
  framejit::testing::check_golden("graph/partition", [](const std::string& text) {
    auto parts = partitioned(parse(text));
    return "forward " + print(*parts.forward) + "backward " + print(*parts.backward);
  });
}

TEST(Partition, RecomputesPointwiseChains) {
  auto parts = partitioned(
      [](const auto& in) -> std::vector<Value> {
        return {ops::sin(ops::cos(ops::mul(ops::mul(in[0], in[0]), 3)))};
      },
      {parameter({100})});
  EXPECT_EQ(saved_names(parts), (std::vector<std::string>{"a"}));
  EXPECT_EQ(parts.forward->result->args.size(), 1u);
}

TEST(Partition, SavesWhatIsDearToCompute) {
  auto parts =
      partitioned([](const auto& in) -> std::vector<Value> { return {ops::tanh(ops::mm(in[0], in[1]))}; },
                  {parameter({4, 4}), parameter({4, 4})});
  EXPECT_EQ(saved_names(parts).size(), 3u);  // both factors, and mm or tanh
  int products = 0;
  for (const auto& node : parts.backward->nodes) products += node->is_call(eager::OpKind::matmul);
  EXPECT_EQ(products, 2);  // the two gradients; that of the forward is not made again
}

}  // namespace
}  // namespace framejit::graph
