// In-place ops and views under autograd. Expected values are PyTorch's.
#include <gtest/gtest.h>

#include "eager/autograd/autograd.h"
#include "eager/error.h"
#include "tests/cpp/eager/tensors.h"

namespace framejit::eager {
namespace {

using namespace ops;
using testing::requiring_grad;
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

TEST(Inplace, WritesAndCountsVersions) {
  Tensor x = vector({1, 2});
  Tensor alias = select(x, 0, 1);
  EXPECT_EQ(add_(x, 1)->storage, x->storage);
  EXPECT_EQ(values(x), (Floats{2, 3}));
  EXPECT_EQ(alias.version(), 1u);
  EXPECT_EQ(values(alias), (Floats{3}));
}

TEST(Inplace, HistoryOfANonLeaf) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = x * 2;
  mul_(y, x);  // its gradient reads what y was before
  backward({sum(y)}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{4, 8}));
}

TEST(Inplace, PlainTensorGetsAHistory) {
  Tensor x = requiring_grad(vector({1, 2})), y = vector({5, 6});
  mul_(y, x);
  EXPECT_TRUE(y.requires_grad());
  backward({sum(y)}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{5, 6}));
}

TEST(Inplace, Leaves) {
  Tensor x = requiring_grad(vector({1, 2}));
  EXPECT_EQ(message_of([&] { add_(x, 1); }),
            "a leaf Variable that requires grad is being used in an in-place operation.");
  EXPECT_EQ(message_of([&] { add_(select(x, 0, 0), 1); }),
            "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  GradModeScope no_grad(false);
  add_(x, 1);
  EXPECT_EQ(values(x), (Floats{2, 3}));
}

TEST(Inplace, ResultMustFit) {
  Tensor x = vector({1, 2, 3});
  EXPECT_EQ(message_of([&] {
              add_(x, testing::tensor({1, 2, 3, 4, 5, 6}, {2, 3}));
            }),
            "add_(): output with shape [3] doesn't match the broadcast shape [2, 3]");
  EXPECT_EQ(message_of([&] { add_(vector<int64_t>({1}), 1.5); }),
            "result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(message_of([&] { add_(expand(vector({1}), {3}), 1); }),
            "add_(): unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory "
            "location. Please clone() the tensor before performing the operation.");
}

TEST(Inplace, OverlappingOperandIsReadFirst) {
  Tensor x = vector({1, 2, 3, 4});
  add_(slice(x, 0, 1, 4), slice(x, 0, 0, 3));
  EXPECT_EQ(values(x), (Floats{1, 3, 5, 7}));
}

TEST(View, GradientsFlowThroughViews) {
  Tensor x = requiring_grad(testing::tensor({1, 2, 3, 4}, {2, 2}));
  backward({sum(select(transpose(x, 0, 1), 0, 1) * vector({10, 20}))}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{0, 10, 0, 20}));
}

TEST(View, WriteThroughAViewChangesTheBaseHistory) {
  Tensor x = requiring_grad(testing::tensor({1, 2, 3, 4}, {2, 2}));
  Tensor base = x * 2, other = select(base, 0, 1);
  Tensor row = select(base, 0, 0);
  mul_(row, 10);
  EXPECT_EQ(grad_fn(base)->name(), "CopySlices");
  EXPECT_EQ(values(base), (Floats{20, 40, 6, 8}));
  backward({sum(base) + sum(other) + sum(row)}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{40, 40, 4, 4}));
}

TEST(View, WriteThroughAViewOfAPlainBase) {
  Tensor w = requiring_grad(vector({3, 4}));
  Tensor base = testing::tensor({1, 1, 1, 1}, {2, 2});
  Tensor row = select(base, 0, 0), other = select(base, 0, 1);
  mul_(row, w);
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(other.requires_grad());
  backward({sum(base * base)}, {});
  EXPECT_EQ(values(get_grad(w)), (Floats{6, 8}));
}

TEST(View, CopyIntoPartOfATensor) {
  Tensor x = requiring_grad(vector({1, 2})), w = requiring_grad(vector({5}));
  Tensor y = x * 1;
  copy_(slice(y, 0, 0, 1), w);
  backward({sum(y * vector({3, 4}))}, {});
  EXPECT_EQ(values(get_grad(x)), (Floats{0, 4}));
  EXPECT_EQ(values(get_grad(w)), (Floats{3}));
}

TEST(View, DoubleBackwardThroughCopySlices) {
  Tensor x = requiring_grad(vector({2, 3}));
  Tensor y = x * x;
  mul_(select(y, 0, 0), select(x, 0, 0));  // x0^3, x1^2
  Tensor first = grad({sum(y)}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(values(first), (Floats{12, 6}));
  EXPECT_EQ(values(grad({sum(first)}, {x}, {})[0]), (Floats{12, 2}));
}

TEST(View, ViewsOfNoGradModeCannotBeWritten) {
  Tensor y = requiring_grad(vector({1, 2})) * 2;
  Tensor view;
  {
    GradModeScope no_grad(false);
    view = select(y, 0, 0);
  }
  EXPECT_NE(message_of([&] { mul_(view, 2); }).find("A view was created in no_grad mode"), std::string::npos);
}

TEST(View, DetachSharesTheVersion) {
  Tensor x = requiring_grad(vector({1, 2}));
  Tensor y = x * 1, z = sum(y * y);
  mul_(eager::detach(y), 2);
  EXPECT_NE(message_of([&] { backward({z}, {}); }).find("modified by an inplace operation"),
            std::string::npos);
}

}  // namespace
}  // namespace framejit::eager
