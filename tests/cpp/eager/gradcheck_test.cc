// Every derivative of the table against central differences, and every pointwise one a second time (double
// backward).
#include <gtest/gtest.h>

#include <map>

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "tests/cpp/eager/tensors.h"

namespace framejit::eager {
namespace {

using testing::random_tensor;
using testing::values;
using Doubles = std::vector<double>;
using Args = std::vector<Value>;

constexpr double kStep = 1e-6;

/// Sum of the floating results, each element with a weight of its own.
Tensor weighted_sum(const Op& op, const Args& args) {
  std::vector<Value> results(size_t(std::max(op.schema.result_count, 1)));
  call(op, args.data(), results.data());
  Tensor total;
  uint32_t seed = 100;
  auto add = [&](const Tensor& result) {
    if (!is_floating(result.dtype())) return;
    Tensor part = ops::sum(ops::mul(result, random_tensor(result.sizes(), seed++)));
    total = total.defined() ? ops::add(total, part) : part;
  };
  if (op.schema.returns_list)
    for (const Tensor& result : results[0].tensor_list()) add(result);
  else
    for (Value& result : results) add(result.tensor());
  return total;
}

/// The tensors among `args` that a derivative is to be checked for, made leaves.
std::vector<Tensor> leaves(const Op& op, const Args& args) {
  std::vector<Tensor> result;
  auto add = [&](const Tensor& tensor) {
    if (tensor.defined() && is_floating(tensor.dtype())) result.push_back(testing::requiring_grad(tensor));
  };
  for (size_t i = 0; i < args.size(); ++i) {
    if (!(op.differentiable >> i & 1)) continue;
    if (args[i].tag() == Value::Tag::tensor_list)
      for (const Tensor& tensor : args[i].tensor_list()) add(tensor);
    else if (args[i].is_tensor())
      add(args[i].tensor());
  }
  return result;
}

/// `leaf` is contiguous.
template <class Function>
Doubles central_differences(const Tensor& leaf, Function function) {
  Doubles result;
  for (int64_t i = 0; i < leaf.numel().expect(); ++i) {
    double& element = leaf.data_as<double>()[i];
    double kept = element;
    element = kept + kStep;
    double above = function();
    element = kept - kStep;
    double below = function();
    element = kept;
    result.push_back((above - below) / (2 * kStep));
  }
  return result;
}

void expect_near(const Doubles& actual, const Doubles& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * std::max(1.0, std::abs(expected[i]))) << what << " at " << i;
}

void check_gradient(const Op& op, const Args& args) {
  std::vector<Tensor> inputs = leaves(op, args);
  std::vector<Tensor> gradients = grad({weighted_sum(op, args)}, inputs, {}, {}, /*allow_unused=*/true);
  auto loss = [&] {
    GradModeScope no_grad(false);
    return values<double>(weighted_sum(op, args))[0];
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    Doubles actual(size_t(inputs[i].numel().expect()), 0);
    if (gradients[i].defined()) actual = values<double>(gradients[i]);
    expect_near(actual, central_differences(inputs[i], loss), op.full_name + ", input " + std::to_string(i));
  }
}

/// The gradient of a weighted sum of the gradients.
void check_second_gradient(const Op& op, const Args& args) {
  std::vector<Tensor> inputs = leaves(op, args);
  auto gradient_sum = [&](bool create_graph) {
    std::vector<Tensor> gradients =
        grad({weighted_sum(op, args)}, inputs, {}, {.create_graph = create_graph}, /*allow_unused=*/true);
    Tensor total = testing::scalar<double>(0);
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined())
        total = ops::add(
            total, ops::sum(ops::mul(gradients[i], random_tensor(inputs[i].sizes(), 200 + uint32_t(i)))));
    return total;
  };
  Tensor total = gradient_sum(true);
  if (!total.requires_grad()) return;  // piecewise linear
  std::vector<Tensor> second = grad({total}, inputs, {}, {}, /*allow_unused=*/true);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Doubles actual(size_t(inputs[i].numel().expect()), 0);
    if (second[i].defined()) actual = values<double>(second[i]);
    Doubles expected = central_differences(inputs[i], [&] { return values<double>(gradient_sum(false))[0]; });
    expect_near(actual, expected, op.full_name + ", second gradient of input " + std::to_string(i));
  }
}

/// Where an op is not smooth between 0.1 and 0.9.
const std::map<std::string, std::pair<double, double>> kDomains = {{"acosh", {1.2, 2.5}},
                                                                   {"special_zeta", {1.2, 2.5}}};
/// Values for arguments without a default, by name.
Value plain_argument(const SchemaArg& arg) {
  if (arg.default_value) return *arg.default_value;
  if (arg.optional) return {};
  switch (arg.type) {
    case ArgType::integer:
      return Value(2);
    case ArgType::boolean:
      return Value(true);
    case ArgType::dtype:
      return Value(DType::float64);
    default:
      return Value(0.3);
  }
}

Args pointwise_arguments(const Op& op) {
  auto domain = kDomains.contains(op.schema.name) ? kDomains.at(op.schema.name) : std::pair(0.1, 0.9);
  Args args;
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    const SchemaArg& arg = op.schema.args[i];
    bool first_broadcasts = i == 1;  // the second operand is a row, the others are full
    Dims sizes = first_broadcasts ? Dims{3} : arg.name == "value" ? Dims{} : Dims{2, 3};
    if (arg.name == "condition" || arg.name == "mask")
      args.push_back(ops::gt(random_tensor(sizes, uint32_t(i)), 0.5));
    else if (arg.type == ArgType::tensor || arg.type == ArgType::optional_tensor)
      args.push_back(random_tensor(sizes, uint32_t(i), domain.first, domain.second));
    else
      args.push_back(plain_argument(arg));
  }
  return args;
}

TEST(Gradcheck, PointwiseRows) {
  int checked = 0;
  for (const Op& op : all_ops()) {
    if (op.kind != OpKind::pointwise || op.formulas.empty()) continue;
    SCOPED_TRACE(op.full_name);
    Args args = pointwise_arguments(op);
    ASSERT_NO_THROW(check_gradient(op, args));
    ASSERT_NO_THROW(check_second_gradient(op, args));
    ++checked;
  }
  EXPECT_GE(checked, 50);
}

struct Sample {
  const char* op;
  Args args;
};

std::vector<Sample> samples() {
  Tensor a = random_tensor({3, 4}, 1), b = random_tensor({4, 2}, 2), cube = random_tensor({2, 3, 4}, 3);
  Tensor row = random_tensor({4}, 4), batch = random_tensor({2, 4, 2}, 5);
  Tensor index = testing::tensor<int64_t>({0, 2, 1, 1, 0, 0, 2, 2}, {2, 4});
  Dims last{-1}, outer{0, 1};
  Value none;
  return {
      {"sum", {cube, last, true, none}},
      {"sum", {cube, none, false, none}},
      {"mean", {cube, outer, false, none}},
      {"prod", {cube, Dims{1}, false, none}},
      {"amax", {cube, last, false}},
      {"amin", {cube, none, false}},
      {"var", {cube, last, none, true}},
      {"cumsum", {a, 1, none}},
      {"cumprod", {a, 1, none}},
      {"mm", {a, b}},
      {"bmm", {cube, batch}},
      {"reshape", {cube, Dims{4, 6}}},
      {"permute", {cube, Dims{2, 0, 1}}},
      {"transpose", {cube, 0, 2}},
      {"expand", {row, Dims{3, 4}, false}},
      {"unsqueeze", {a, 1}},
      {"slice", {cube, 2, 1, 4, 2}},
      {"select", {cube, 1, -1}},
      {"diagonal", {cube, 1, 1, 2}},
      {"unfold", {a, 1, 2, 1}},
      {"cat", {std::vector<Tensor>{a, random_tensor({1, 4}, 6)}, 0}},
      {"stack", {std::vector<Tensor>{a, random_tensor({3, 4}, 7)}, 1}},
      {"gather", {a, 0, index}},
      {"index_select", {a, 1, testing::vector<int64_t>({3, 0, 3})}},
      {"softmax", {a, 1, none}},
      {"log_softmax", {a, 0, none}},
      {"clone", {a}},
  };
}

TEST(Gradcheck, OtherRows) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.op);
    const Op& op = get_op(sample.op);
    ASSERT_EQ(sample.args.size(), op.schema.args.size());
    Op whole = op;  // composites have no formulas of their own: check the gradient of every tensor
    if (op.composite) whole.differentiable = op.tensor_args;
    ASSERT_NO_THROW(check_gradient(whole, sample.args));
  }
}

}  // namespace
}  // namespace framejit::eager
