#include "eager/autograd/autograd.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "eager/dispatch.h"
#include "eager/error.h"
#include "eager/pool.h"
#include "tests/cpp/eager/tensors.h"

namespace framejit::eager {
namespace {

using namespace ops;
using testing::requiring_grad;
using testing::scalar;
using testing::values;
using testing::vector;
using Floats = std::vector<float>;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Autograd, ProductRule) {
  Tensor x = requiring_grad(vector({1, 2, 3})), y = requiring_grad(vector({4, 5, 6}));
  backward({sum(x * y + x)}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{5, 6, 7}));
  EXPECT_EQ(values(get_grad(y)), (Floats{1, 2, 3}));
}

TEST(Autograd, GradientsAccumulate) {
  Tensor x = requiring_grad(vector({1, 2}));
  backward({sum(x * x)}, {});
  backward({sum(x * 3)}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{5, 7}));
}

TEST(Autograd, BroadcastOperandsAreSummed) {
  Tensor x = requiring_grad(testing::tensor({1, 2, 3, 4}, {2, 2})), row = requiring_grad(vector({10, 20}));
  Tensor one = requiring_grad(scalar(2.f));
  backward({sum(x * row * one)}, {});
  EXPECT_EQ(values(get_grad(row)), (Floats{8, 12}));
  EXPECT_EQ(values(get_grad(one)), (Floats{160}));
  EXPECT_EQ(values(get_grad(x)), (Floats{20, 40, 20, 40}));
}

TEST(Autograd, GradientsHaveTheDtypeOfTheirTensor) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = vector<double>({3, 4});
  Tensor z = x * y;
  EXPECT_EQ(z.dtype(), DType::float64);
  backward({sum(z)}, {});
  EXPECT_EQ(get_grad(x).dtype(), DType::float32);
}

TEST(Autograd, SharedNodesRunOnce) {
  Tensor x = requiring_grad(scalar(1.f));
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;  // 2^60 paths
  backward({y}, {});
  EXPECT_EQ(values(get_grad(x))[0], float(int64_t(1) << 60));
}

TEST(Autograd, MillionNodesRunAndDieWithoutRecursion) {
  Tensor x = requiring_grad(vector({1, 1}));
  Tensor y = x;
  for (int i = 0; i < 1'000'000; ++i) y = y * 1;
  Tensor loss = sum(y);
  backward({loss}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{1, 1}));
  y = Tensor();
  loss = Tensor();  // destroys the chain
}

TEST(Autograd, SavedChainDiesWithoutRecursion) {
  Tensor y = requiring_grad(vector({1, 1}));
  for (int i = 0; i < 300'000; ++i) y = exp(neg(y));  // every node keeps its result
}

TEST(Autograd, SecondBackwardNeedsRetainGraph) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = sum(x * x);
  backward({y}, {}, {.retain_graph = true});
  backward({y}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{4, 8}));
  EXPECT_EQ(
      message_of([&] { backward({y}, {}); }),
      "Trying to backward through the graph a second time (or directly access saved tensors after they have "
      "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
      "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
      "if "
      "you need to access saved tensors after calling backward.");
}

TEST(Autograd, NodesWithoutSavedTensorsRunAgain) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = sum(x + 1);
  backward({y}, {});
  backward({y}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{2, 2}));
}

TEST(Autograd, DoubleBackward) {
  Tensor x = requiring_grad(vector({2, 3}));
  Tensor cube = x * x * x;
  Tensor first = grad({sum(cube)}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(values(first), (Floats{12, 27}));
  Tensor second = grad({sum(first)}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(values(second), (Floats{12, 18}));
  EXPECT_EQ(values(grad({sum(second)}, {x}, {})[0]), (Floats{6, 6}));
}

TEST(Autograd, DoubleBackwardThroughASavedResult) {
  Tensor x = requiring_grad(vector<double>({0.5}));
  Tensor first = grad({sum(exp(x))}, {x}, {}, {.create_graph = true})[0];
  EXPECT_NEAR(values<double>(grad({sum(first)}, {x}, {})[0])[0], std::exp(0.5), 1e-12);
}

TEST(Autograd, GradOfInputsLeavesOthersAlone) {
  Tensor x = requiring_grad(vector({1, 2})), w = requiring_grad(vector({3, 4}));
  Tensor middle = x * w;
  auto grads = grad({sum(middle * middle)}, {middle, x}, {});
  EXPECT_EQ(values(grads[0]), (Floats{6, 16}));
  EXPECT_EQ(values(grads[1]), (Floats{18, 64}));
  EXPECT_FALSE(get_grad(w).defined());
  EXPECT_FALSE(get_grad(x).defined());
}

TEST(Autograd, UnusedInput) {
  Tensor x = requiring_grad(vector({1, 2})), other = requiring_grad(vector({1}));
  EXPECT_FALSE(grad({sum(x)}, {other}, {}, {}, /*allow_unused=*/true)[0].defined());
  EXPECT_EQ(message_of([&] { grad({sum(x)}, {other}, {}); }),
            "The differentiated Tensor at index 0 appears to not have been used in the graph. Set "
            "allow_unused=True if "
            "this is the desired behavior.");
}

TEST(Autograd, BackwardWithInputsFillsOnlyThose) {
  Tensor x = requiring_grad(vector({1, 2})), w = requiring_grad(vector({3, 4}));
  backward({sum(x * w)}, {}, {}, {w});
  EXPECT_EQ(values(get_grad(w)), (Floats{1, 2}));
  EXPECT_FALSE(get_grad(x).defined());
}

TEST(Autograd, ErrorsOfBackward) {
  Tensor x = requiring_grad(vector({1, 2}));
  EXPECT_EQ(message_of([&] { backward({x * 2}, {}); }),
            "grad can be implicitly created only for scalar outputs");
  EXPECT_EQ(message_of([&] { backward({vector({1})}, {}); }),
            "element 0 of tensors does not require grad and does not have a grad_fn");
  EXPECT_EQ(message_of([&] {
              backward({sum(x)}, {vector({1, 1, 1})});
            }),
            "Mismatch in shape: grad_output[0] has a shape of [3] and output[0] has a shape of [].");
  EXPECT_EQ(message_of([&] { set_requires_grad(vector<int64_t>({1}), true); }),
            "only Tensors of floating point and complex dtype can require gradients");
  EXPECT_EQ(message_of([&] { set_requires_grad(x * 2, false); }),
            "you can only change requires_grad flags of leaf variables. If you want to use a computed "
            "variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach().");
}

TEST(Autograd, NoGradMode) {
  Tensor x = requiring_grad(vector({1, 2}));
  GradModeScope no_grad(false);
  EXPECT_FALSE((x * 2).requires_grad());
}

TEST(Autograd, ChangedSavedTensorIsNoticed) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = x * 2;
  Tensor z = sum(sin(y));
  mul_(y, 3);
  EXPECT_EQ(
      message_of([&] { backward({z}, {}); }),
      "one of the variables needed for gradient computation has been modified by an inplace operation: "
      "[float32 tensor [2]], which is output 0 of MulBackward0, is at version 1; expected version 0 instead. "
      "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
      "framejit.autograd.set_detect_anomaly(True).");
}

TEST(Autograd, OnlyWhatTheGradientNeedsIsSaved) {
  Tensor x = requiring_grad(vector({1, 2})), c = vector({3, 4});
  Tensor y = x * 2;
  Tensor z = sum(y * c);  // needs c, not y
  mul_(y, 3);
  backward({z}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{6, 8}));
}

TEST(Autograd, CyclesThroughInplaceSuccessorsAreAvoided) {
  int64_t before = pool_statistics().used_bytes;
  {
    Tensor x = requiring_grad(vector({1, 2}));
    Tensor y = x * 2;
    add_(y, sin(y));  // the node of sin saved y, whose history now contains that node
  }
  EXPECT_EQ(pool_statistics().used_bytes, before);
}

TEST(Autograd, TensorHooks) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = x * 3;
  int calls = 0;
  register_hook(y, [&](const Tensor& grad) {
    ++calls;
    return grad * 10;
  });
  register_hook(y, [&](const Tensor&) -> Tensor { throw std::logic_error("was removed"); }).remove();
  register_hook(x, [&](const Tensor& grad) {
    ++calls;
    return Tensor();
  });
  Floats after;
  register_post_accumulate_hook(x, [&](const Tensor& self) { after = values(get_grad(self)); });
  backward({sum(y)}, {});
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(after, (Floats{30, 30}));
}

TEST(Autograd, RetainGrad) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = x * 3;
  retain_grad(y);
  EXPECT_TRUE(retains_grad(y));
  backward({sum(y * y)}, {});
  EXPECT_EQ(values(get_grad(y)), (Floats{6, 12}));
}

class Doubling final : public GradNode {
 public:
  std::vector<Tensor> apply(std::vector<Tensor> grads) override { return {grads[0] * 2}; }
  std::string name() const override { return "Doubling"; }
};

TEST(Autograd, CustomNode) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = eager::detach(x);
  Ref<GradNode> node(new Doubling);
  node->add_edge(gradient_edge(x));
  set_history(y, node, node->add_result(y));
  backward({sum(y * y)}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{4, 8}));
}

/// Claims to live on an accelerator; its gradients have no data, so only whole chains of it can run.
class FarAway final : public GradNode {
 public:
  explicit FarAway(std::function<void()> body) : body_(std::move(body)) {
    results.push_back({Dims{}, DType::float32, {DeviceType::cuda, 0}});
  }
  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    body_();
    return grads;
  }
  std::string name() const override { return "FarAway"; }

 private:
  std::function<void()> body_;
};

Tensor far_away_scalar() {
  return Tensor::from_storage(nullptr, 0, {Dims{}, Dims{}, DType::float32, {DeviceType::cuda, 0}});
}

TEST(Engine, NodesOfAnAcceleratorRunOnItsThread) {
  std::vector<std::thread::id> threads;
  bool grad_mode = true;
  auto body = [&] {
    threads.push_back(std::this_thread::get_id());
    grad_mode = modes().grad_enabled;
  };
  Ref<GradNode> first(new FarAway(body)), second(new FarAway(body));
  second->add_edge({first, 0});
  auto gradients = grad({Edge{second, 0}}, {Edge{first, 0}}, {far_away_scalar()}, {}, false);
  EXPECT_TRUE(gradients[0].defined());
  ASSERT_EQ(threads.size(), 1u);  // the captured node need not run
  EXPECT_NE(threads[0], std::this_thread::get_id());
  EXPECT_FALSE(grad_mode);
}

TEST(Engine, ErrorsOfAnAcceleratorsThreadReachTheCaller) {
  Ref<GradNode> node(new FarAway([] { throw std::runtime_error("from afar"); }));
  EXPECT_THROW(backward({Edge{node, 0}}, {far_away_scalar()}, {}, {}), std::runtime_error);
}

TEST(Engine, ThreadsShareNodes) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor shared = exp(x * 2);
  std::vector<Tensor> losses;
  for (int i = 0; i < 8; ++i) losses.push_back(sum(shared * float(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        backward({losses[size_t(i)]}, {}, {.retain_graph = true});
        sum(sin(x));  // meets the leaf's node while others do
      }
    });
  for (std::thread& thread : threads) thread.join();
  Floats expected = {float(100 * 28 * 2 * std::exp(2.)), float(100 * 28 * 2 * std::exp(4.))};
  EXPECT_NEAR(values(get_grad(x))[0] / expected[0], 1, 1e-4);
  EXPECT_NEAR(values(get_grad(x))[1] / expected[1], 1, 1e-4);
}

TEST(Engine, AFreedGraphIsNoticedByWhoeverComesSecond) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor shared = exp(x);
  Tensor first = sum(shared), second = sum(shared * 2);
  std::atomic<int> failures{0};
  auto run = [&](const Tensor& loss) {
    try {
      backward({loss}, {});
    } catch (const Error&) {
      ++failures;
    }
  };
  std::thread a(run, first), b(run, second);
  a.join();
  b.join();
  EXPECT_LE(failures, 1);
}

TEST(Engine, ABackwardWithinABackward) {
  Tensor x = requiring_grad(vector({1, 2})), y = requiring_grad(vector({3, 4}));
  Tensor product = x * 2;
  register_hook(product, [&](const Tensor&) {
    GradModeScope record(true);
    backward({sum(y * y)}, {});
    return Tensor();
  });
  backward({sum(product)}, {});
  EXPECT_EQ(values(get_grad(y)), (Floats{6, 8}));
  EXPECT_EQ(values(get_grad(x)), (Floats{2, 2}));
}

}  // namespace
}  // namespace framejit::eager
