// Types, schemas, promotion, layout of results, the pool, and calling through the table.
#include <gtest/gtest.h>

#include <thread>

#include "eager/dispatch.h"
#include "eager/error.h"
#include "eager/meta/pointwise.h"
#include "eager/pool.h"
#include "tests/cpp/eager/tensors.h"

namespace framejit::eager {
namespace {

using namespace ops;
using testing::values;
using testing::vector;

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Schema, ParsesAndPrints) {
  for (const char* text :
       {"add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "sum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        "index(Tensor self, Tensor?[] indices) -> Tensor", "cat(Tensor[] tensors, int dim=0) -> Tensor",
        "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "gelu(Tensor self, *, str approximate='none') -> Tensor"})
    EXPECT_EQ(Schema::parse(text).str(), text);
}

TEST(Schema, SaysWhereATextIsWrong) {
  EXPECT_EQ(
      message_of([] { Schema::parse("add(Tenser self) -> Tensor"); }),
      "schema: expected a type (Tensor, int, float, ...) at position 10 of \"add(Tenser self) -> Tensor\"");
  EXPECT_EQ(message_of([] { Schema::parse("add(Tensor self -> Tensor"); }),
            "schema: expected ',' at position 16 of \"add(Tensor self -> Tensor\"");
  EXPECT_EQ(message_of([] { Schema::parse("f(int n=x) -> Tensor"); }),
            "schema: expected a number instead of x at position 9 of \"f(int n=x) -> Tensor\"");
}

TEST(Table, RowsAreConsistent) {
  for (const Op& op : all_ops()) {
    EXPECT_EQ(&get_op(op.full_name), &op);
    EXPECT_EQ(&all_ops()[op.id], &op);
    EXPECT_FALSE(op.doc.empty()) << op.full_name;
    bool runs = op.composite || op.kernels[0] || (op.functional && op.functional->composite);
    EXPECT_TRUE(runs) << op.full_name;
    for (const Formula& formula : op.formulas) EXPECT_TRUE(op.tensor_args >> formula.arg & 1) << op.full_name;
  }
}

DType result_type(const Value& a, const Value& b) {
  const Value args[] = {a, b, Value(1)};
  return pointwise_types(get_op("add"), args).result;
}

TEST(Promotion, NumbersAndZeroDimTensorsCountOnlyByCategory) {
  Tensor f32 = vector<float>({1}), f64 = vector<double>({1}), i32 = vector<int32_t>({1}),
         u8 = vector<uint8_t>({1});
  Tensor flag = gt(vector<float>({1}), 0);
  Tensor f64_0 = testing::scalar<double>(1), i64_0 = testing::scalar<int64_t>(1);
  EXPECT_EQ(result_type(f32, f64), DType::float64);
  EXPECT_EQ(result_type(i32, f32), DType::float32);
  EXPECT_EQ(result_type(u8, i32), DType::int32);
  EXPECT_EQ(result_type(f32, 2.5), DType::float32);
  EXPECT_EQ(result_type(f64, 2.5), DType::float64);
  EXPECT_EQ(result_type(i32, 2.5), DType::float32);
  EXPECT_EQ(result_type(u8, 300), DType::uint8);
  EXPECT_EQ(result_type(flag, 1), DType::int64);
  EXPECT_EQ(result_type(flag, true), DType::bool_);
  EXPECT_EQ(result_type(f32, f64_0), DType::float32);
  EXPECT_EQ(result_type(i32, f64_0), DType::float64);
  EXPECT_EQ(result_type(i32, i64_0), DType::int32);
  EXPECT_EQ(result_type(f64_0, f32), DType::float32);
  EXPECT_EQ(result_type(i64_0, 2.5), DType::float32);
}

// Strides as torch.add gives them.
TEST(Layout, ResultsFollowDenseInputs) {
  Tensor x = Tensor::empty({2, 3, 4}, DType::float32);
  Tensor permuted = permute(x, {2, 0, 1});
  EXPECT_EQ((permuted + permuted).strides(), (Dims{1, 12, 4}));
  EXPECT_EQ((permuted + 1).strides(), (Dims{1, 12, 4}));
  EXPECT_EQ((permuted + Tensor::empty({3}, DType::float32)).strides(), (Dims{1, 12, 4}));
  EXPECT_EQ((slice(x, 2, 0, 4, 2) + 1).strides(), (Dims{6, 2, 1}));
  EXPECT_EQ((expand(Tensor::empty({3, 1}, DType::float32), {3, 4}) + 1).strides(), (Dims{4, 1}));
  EXPECT_EQ((transpose(Tensor::empty({3, 4}, DType::float32), 0, 1) + Tensor::empty({4, 3}, DType::float32))
                .strides(),
            (Dims{1, 4}));
}

TEST(Layout, SizesMustBroadcast) {
  EXPECT_EQ(message_of([] {
              Tensor::empty({2, 3}, DType::float32) + Tensor::empty({4}, DType::float32);
            }),
            "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
  EXPECT_EQ((Tensor::empty({2, 1, 0}, DType::float32) + Tensor::empty({3, 1}, DType::float32)).sizes(),
            (Dims{2, 3, 0}));
}

TEST(Pool, ReusesBlocksAndCountsThem) {
  PoolStatistics before = pool_statistics();
  void* block = pool_allocate(100'000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
  EXPECT_GE(pool_statistics().used_bytes - before.used_bytes, 100'000);
  EXPECT_LT(pool_statistics().used_bytes - before.used_bytes, 125'000);
  pool_free(block, 100'000);
  EXPECT_EQ(pool_statistics().used_bytes, before.used_bytes);
  EXPECT_EQ(pool_allocate(99'000), block);
  pool_free(block, 99'000);
  EXPECT_GE(pool_statistics().peak_bytes, before.used_bytes + 100'000);
}

TEST(Pool, EverySizeFitsItsBlock) {
  for (size_t bytes = 1; bytes < 5'000'000; bytes = bytes * 9 / 8 + 1) {
    auto* block = static_cast<char*>(pool_allocate(bytes));
    block[0] = block[bytes - 1] = 1;  // an address sanitizer build checks the end
    pool_free(block, bytes);
  }
}

TEST(Pool, BlocksOutliveTheirThread) {
  Tensor made;
  std::thread([&] { made = vector({1, 2, 3}) * 2; }).join();
  EXPECT_EQ(values(made), (std::vector<float>{2, 4, 6}));
  std::thread([&] { made = Tensor(); }).join();
}

TEST(Pool, EmptyingGivesMemoryBack) {
  pool_free(pool_allocate(64 << 20), 64 << 20);
  int64_t before = pool_statistics().system_bytes;
  empty_pool();
  EXPECT_LE(pool_statistics().system_bytes, before - (64 << 20));
}

TEST(Pool, SaysWhatWasAsked) {
  std::string message = message_of([] { Tensor::empty({int64_t(1) << 50}, DType::float32); });
  EXPECT_EQ(message.find("out of memory on cpu: asked for 4503599627370560 bytes; tensors hold "), 0u)
      << message;
}

TEST(Call, MissingKernelNamesOpAndType) {
  Tensor floats = vector<float>({1, 0});
  EXPECT_EQ(message_of([&] { bitwise_and(floats, floats); }),
            "\"bitwise_and\" not implemented for 'float32' on cpu; it exists for bool, uint8, int8, int16, "
            "int32, int64");
}

TEST(Call, OutRow) {
  Tensor out = Tensor::empty({1}, DType::float64);
  const Value args[] = {vector({1, 2}), Value(3), Value(1), out};
  Value result;
  call(get_op("add.out"), args, &result);
  EXPECT_EQ(result.tensor(), out);
  EXPECT_EQ(values<double>(out), (std::vector<double>{4, 5}));
}

TEST(Value, ListsAndStringsAreShared) {
  Value list(std::vector<SymInt>{1, 2, 3}), copy = list;
  EXPECT_EQ(&list.int_list(), &copy.int_list());
  EXPECT_EQ(copy.dims(), (Dims{1, 2, 3}));
  EXPECT_THROW(copy.real(), InternalError);
}

}  // namespace
}  // namespace framejit::eager
