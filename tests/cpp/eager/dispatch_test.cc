// Kernels and ops that are registered at run time, from C++.
#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "eager/error.h"
#include "eager/extension.h"
#include "generated/ops.h"

namespace framejit::eager {
namespace {

Tensor on_device(DeviceType device) {
  TensorMeta meta;
  meta.sizes = {2};
  meta.strides = {1};
  meta.device = {device, 0};
  return Tensor::from_storage(Storage::allocate(8, {DeviceType::cpu, 0}), 0, meta);
}

std::string error_of(const Op& op, const Value* args) {
  Value result;
  try {
    call(op, args, &result);
  } catch (const Error& error) {
    EXPECT_EQ(error.type(), ErrorType::not_implemented);
    return error.what();
  }
  return "no error";
}

TEST(Dispatch, KernelsOfAnotherDevice) {
  const Op& op = get_op("neg");
  const Value args[] = {on_device(DeviceType::meta)};
  EXPECT_EQ(
      error_of(op, args),
      "Could not run 'neg' on device 'meta:0' with arguments of dtype float32: it has no kernel for that "
      "device. There are kernels for: cpu. A kernel can be registered with framejit.library.");
  KernelFn previous = register_kernel(
      op, DeviceType::meta, [](const Op&, const Value* given, Value* results) { results[0] = given[0]; });
  EXPECT_EQ(previous, nullptr);
  Value result;
  call(op, args, &result);
  EXPECT_EQ(result.impl(), args[0].impl());
  const Value elsewhere[] = {on_device(DeviceType::cuda)};
  EXPECT_NE(error_of(op, elsewhere).find("There are kernels for: cpu, meta:0."), std::string::npos)
      << error_of(op, elsewhere);
  register_kernel(op, DeviceType::meta, previous);
  EXPECT_NE(error_of(op, args), "no error");
}

/// Twice its argument, with a call counted at the place of autograd.
class Counted final : public OpExtension {
 public:
  void call(const Op& op, const Value* args, Value* results) override {
    ++calls;
    call_below_autograd(op, args, results);
  }
  int calls = 0;
};

TEST(Dispatch, AnOpMadeAtRunTime) {
  auto extension = std::make_shared<Counted>();
  Op op;
  op.schema = Schema::parse("test_dispatch::twice(Tensor x) -> Tensor");
  op.extension = std::shared_ptr<OpExtension>(extension);
  op.kernels[int(DeviceType::cpu)] = [](const Op&, const Value* args, Value* results) {
    results[0] = ops::mul(args[0].tensor(), 2);
  };
  Op& made = register_op(op);
  EXPECT_EQ(find_op("test_dispatch::twice"), &made);
  EXPECT_THROW(register_op(op), Error);
  const Value args[] = {Tensor::empty(Dims{3}, DType::float32)};
  Value result;
  call(made, args, &result);
  EXPECT_EQ(extension->calls, 1);
  EXPECT_EQ(result.tensor().sizes(), Dims{3});
  unregister_op(made);
  EXPECT_EQ(find_op("test_dispatch::twice"), nullptr);
  EXPECT_TRUE(find_overloads("test_dispatch::twice").empty());
}

TEST(Dispatch, KernelsThatLackADtypeNameTheirOp) {
  const Value args[] = {Tensor::empty(Dims{2}, DType::complex64), -1, false, false};
  const Op& op = get_op("sort");
  std::vector<Value> results(2);
  try {
    call(op, args, results.data());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "\"sort\" not implemented for 'complex64' on cpu; it exists for real types");
  }
}

}  // namespace
}  // namespace framejit::eager
