// The loop drivers against plain loops: broadcasting, strides, conversions, reductions over every kind of
// dims.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "eager/cpu/loops/pointwise.h"
#include "eager/cpu/loops/reduce.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {
namespace {

using cpu::ReduceKind;

int64_t count(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

/// Visits every index of `sizes` in order.
template <class Visit>
void each_index(const Dims& sizes, const Visit& visit) {
  Dims index(sizes.size());
  for (int64_t i = 0, n = count(sizes); i < n; ++i) {
    visit(index);
    for (int d = sizes.size() - 1; d >= 0 && ++index[d] == sizes[d]; --d) index[d] = 0;
  }
}

/// Element at `index` of the shape that the tensor broadcasts to.
template <class T>
T& at(const Tensor& tensor, const Dims& index) {
  int64_t offset = 0;
  int lead = index.size() - tensor.dim();
  for (int d = 0; d < tensor.dim(); ++d)
    if (tensor.sizes()[d] != 1) offset += index[lead + d] * tensor.strides()[d];
  return tensor.data_as<T>()[offset];
}

template <class T>
Tensor random_tensor(const Dims& sizes, std::mt19937& random) {
  Tensor tensor = Tensor::empty(sizes, dtype_of<T>());
  std::uniform_real_distribution<double> real(-2, 2);
  for (int64_t i = 0; i < count(sizes); ++i)
    tensor.data_as<T>()[i] = T(real(random) * (std::is_integral_v<T> ? 10 : 1));
  return tensor;
}

Tensor permuted(const Tensor& tensor, const std::vector<int>& dims) {
  TensorMeta meta = tensor.meta();
  for (size_t i = 0; i < dims.size(); ++i) {
    meta.sizes[int(i)] = tensor.sizes()[dims[i]];
    meta.strides[int(i)] = tensor.strides()[dims[i]];
  }
  return Tensor::from_storage(tensor->storage, tensor.offset(), meta);
}

Tensor add(const Tensor& a, const Tensor& b, const Tensor& result) {
  static const Op& op = get_op("add");
  double alpha = 1;
  DType compute = result.dtype();
  cpu::TileCall call = cpu::tile_call(op, compute, compute);
  call.params = &alpha;
  call.param_count = 1;
  cpu::Operand operands[] = {cpu::Operand(a), cpu::Operand(b)};
  cpu::run_pointwise(call, operands, result);
  return result;
}

void expect_sum_of(const Tensor& a, const Tensor& b, const Tensor& result) {
  each_index(result.sizes(), [&](const Dims& index) {
    ASSERT_EQ(at<float>(result, index), at<float>(a, index) + at<float>(b, index)) << sizes_text(index);
  });
}

TEST(Pointwise, BroadcastsAndStrides) {
  std::mt19937 random(1);
  const std::vector<std::pair<Dims, Dims>> shapes = {{{4}, {4}},
                                                     {{}, {3}},
                                                     {{5, 1}, {1, 7}},
                                                     {{3, 1, 4}, {2, 4}},
                                                     {{70, 300}, {300}},
                                                     {{70, 1}, {70, 300}},
                                                     {{2, 3, 5, 7}, {3, 1, 7}},
                                                     {{100000}, {1}},
                                                     {{300, 1000}, {300, 1000}}};
  for (const auto& [left, right] : shapes) {
    Tensor a = random_tensor<float>(left, random), b = random_tensor<float>(right, random);
    Dims sizes(std::max(left.size(), right.size()));
    for (int d = 1; d <= sizes.size(); ++d)
      sizes[sizes.size() - d] = std::max(d <= left.size() ? left[left.size() - d] : 1,
                                         d <= right.size() ? right[right.size() - d] : 1);
    expect_sum_of(a, b, add(a, b, Tensor::empty(sizes, DType::float32)));
  }
}

TEST(Pointwise, TransposedOperandsAndResults) {
  std::mt19937 random(2);
  Tensor a = permuted(random_tensor<float>({40, 50}, random), {1, 0});
  Tensor b = random_tensor<float>({50, 40}, random);
  expect_sum_of(a, b, add(a, b, Tensor::empty({50, 40}, DType::float32)));
  expect_sum_of(a, b, add(a, b, permuted(Tensor::empty({40, 50}, DType::float32), {1, 0})));
  Tensor cube = permuted(random_tensor<float>({6, 7, 8}, random), {2, 0, 1});
  expect_sum_of(cube, cube, add(cube, cube, Tensor::empty({8, 6, 7}, DType::float32)));
}

TEST(Pointwise, ResultMayBeAnOperand) {
  std::mt19937 random(3);
  Tensor a = random_tensor<float>({64, 65}, random), b = random_tensor<float>({65}, random);
  Tensor copy = Tensor::empty({64, 65}, DType::float32);
  cpu::copy_elements(a, copy);
  add(a, b, a);
  each_index(a.sizes(),
             [&](const Dims& i) { ASSERT_EQ(at<float>(a, i), at<float>(copy, i) + at<float>(b, i)); });
}

TEST(Copy, ConvertsAsCxxAndPyTorchDo) {
  Tensor from = Tensor::empty({4}, DType::float32);
  const float values[] = {-1.f, 1.5f, 0.f, 300.f};
  std::memcpy(from.data(), values, sizeof values);
  Tensor bytes = Tensor::empty({4}, DType::uint8), flags = Tensor::empty({4}, DType::bool_);
  cpu::copy_elements(from, bytes);
  cpu::copy_elements(from, flags);
  EXPECT_EQ(bytes.data_as<uint8_t>()[0], 255);
  EXPECT_EQ(bytes.data_as<uint8_t>()[1], 1);
  EXPECT_EQ(bytes.data_as<uint8_t>()[3], 44);
  EXPECT_TRUE(flags.data_as<bool>()[0]);
  EXPECT_FALSE(flags.data_as<bool>()[2]);
}

/// The reduction by plain loops, in double precision.
Tensor expected_reduction(ReduceKind kind, const Tensor& input, uint64_t dims, const Dims& sizes) {
  Tensor result = Tensor::empty(sizes, DType::float64);
  int64_t n = count(input.sizes()) / std::max<int64_t>(count(sizes), 1);
  for (int64_t i = 0; i < count(sizes); ++i)
    result.data_as<double>()[i] = kind == ReduceKind::prod   ? 1
                                  : kind == ReduceKind::amax ? -INFINITY
                                  : kind == ReduceKind::amin ? INFINITY
                                                             : 0;
  each_index(input.sizes(), [&](const Dims& index) {
    Dims kept;
    for (int d = 0; d < index.size(); ++d)
      if (!((dims >> d) & 1)) kept.push_back(index[d]);
    double x = at<float>(input, index);
    double& r = at<double>(result, kept);
    if (kind == ReduceKind::sum) r += x;
    if (kind == ReduceKind::mean) r += x / double(n);
    if (kind == ReduceKind::prod) r *= x;
    if (kind == ReduceKind::amax) r = std::max(r, x);
    if (kind == ReduceKind::amin) r = std::min(r, x);
  });
  return result;
}

TEST(Reduction, EveryKindOverEveryDims) {
  std::mt19937 random(4);
  const std::vector<Dims> shapes = {{7},    {3000},     {70000},   {13, 1000},  {1000, 13},
                                    {3, 5}, {300, 700}, {5, 6, 7}, {4, 1, 600}, {2, 3000, 3}};
  for (const Dims& shape : shapes) {
    for (bool transposed : {false, true}) {
      Tensor input = random_tensor<float>(shape, random);
      if (transposed) {
        std::vector<int> reversed;
        for (int d = shape.size() - 1; d >= 0; --d) reversed.push_back(d);
        input = permuted(input, reversed);
      }
      for (uint64_t dims = 1; dims < (uint64_t(1) << shape.size()); ++dims) {
        Dims sizes;
        for (int d = 0; d < shape.size(); ++d)
          if (!((dims >> d) & 1)) sizes.push_back(input.sizes()[d]);
        for (ReduceKind kind :
             {ReduceKind::sum, ReduceKind::mean, ReduceKind::prod, ReduceKind::amax, ReduceKind::amin}) {
          Tensor result = Tensor::empty(sizes, DType::float32);
          cpu::run_reduction(kind, input, dims, result);
          Tensor expected = expected_reduction(kind, input, dims, sizes);
          for (int64_t i = 0; i < count(sizes); ++i) {
            double e = expected.data_as<double>()[i];
            ASSERT_NEAR(result.data_as<float>()[i], e, 1e-4 + std::abs(e) * 1e-4)
                << int(kind) << " " << sizes_text(input.sizes()) << " dims " << dims << " at " << i
                << " transposed " << transposed;
          }
        }
      }
    }
  }
}

TEST(Reduction, SumsManyFloatsAccurately) {
  constexpr int64_t n = 1 << 24;
  Tensor input = Tensor::empty({n}, DType::float32);
  for (int64_t i = 0; i < n; ++i) input.data_as<float>()[i] = 0.1f;
  Tensor result = Tensor::empty({}, DType::float32);
  cpu::run_reduction(ReduceKind::sum, input, 1, result);
  EXPECT_NEAR(*result.data_as<float>(), double(0.1f) * n, 0.5);
  TensorMeta columns{{1 << 22, 4}, {4, 1}, DType::float32, {}};
  Tensor four = Tensor::empty({4}, DType::float32);
  cpu::run_reduction(ReduceKind::sum, Tensor::from_storage(input->storage, 0, columns), 1, four);
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(four.data_as<float>()[c], double(0.1f) * (1 << 22), 0.5);
}

TEST(Reduction, DoesNotDependOnThreads) {
  std::mt19937 random(5);
  for (const Dims& shape : {Dims{1 << 20}, Dims{2000, 700}, Dims{100000, 6}}) {
    Tensor input = random_tensor<float>(shape, random);
    for (uint64_t dims : {uint64_t(1), (uint64_t(1) << shape.size()) - 1}) {
      Dims sizes;
      if (dims == 1 && shape.size() == 2) sizes.push_back(shape[1]);
      Tensor one = Tensor::empty(sizes, DType::float32), many = Tensor::empty(sizes, DType::float32);
      cpu::set_num_threads(1);
      cpu::run_reduction(ReduceKind::sum, input, dims, one);
      cpu::set_num_threads(3);
      cpu::run_reduction(ReduceKind::sum, input, dims, many);
      EXPECT_EQ(std::memcmp(one.data(), many.data(), size_t(count(sizes)) * 4), 0);
    }
  }
}

TEST(Reduction, NaNAndTiesInExtrema) {
  Tensor input = Tensor::empty({2, 2000}, DType::float32);
  for (int64_t i = 0; i < 4000; ++i) input.data_as<float>()[i] = float(i % 500);
  input.data_as<float>()[2000 + 1700] = std::numeric_limits<float>::quiet_NaN();
  Tensor index = Tensor::empty({2}, DType::int64), largest = Tensor::empty({2}, DType::float32);
  cpu::run_reduction(ReduceKind::argmax, input, 2, index);
  cpu::run_reduction(ReduceKind::amax, input, 2, largest);
  EXPECT_EQ(index.data_as<int64_t>()[0], 499);
  EXPECT_EQ(index.data_as<int64_t>()[1], 1700);
  EXPECT_EQ(largest.data_as<float>()[0], 499.f);
  EXPECT_TRUE(std::isnan(largest.data_as<float>()[1]));
  Tensor rows = Tensor::empty({2000}, DType::int64);
  cpu::run_reduction(ReduceKind::argmin, input, 1, rows);
  EXPECT_EQ(rows.data_as<int64_t>()[3], 0);
  EXPECT_EQ(rows.data_as<int64_t>()[1700], 1);
}

TEST(Reduction, EmptyAndIntegers) {
  Tensor none = Tensor::empty({3, 0}, DType::float32), sums = Tensor::empty({3}, DType::float32);
  cpu::run_reduction(ReduceKind::sum, none, 2, sums);
  EXPECT_EQ(sums.data_as<float>()[2], 0.f);
  cpu::run_reduction(ReduceKind::mean, none, 2, sums);
  EXPECT_TRUE(std::isnan(sums.data_as<float>()[0]));
  Tensor bytes = Tensor::empty({1000}, DType::uint8), total = Tensor::empty({}, DType::int64);
  std::memset(bytes.data(), 200, 1000);
  cpu::run_reduction(ReduceKind::sum, bytes, 1, total);
  EXPECT_EQ(*total.data_as<int64_t>(), 200000);
}

TEST(Rows, SoftmaxOfShortLongAndStridedRows) {
  std::mt19937 random(6);
  for (const Dims& shape : {Dims{9, 10}, Dims{5, 3000}, Dims{700, 4}}) {
    for (int dim : {0, 1}) {
      Tensor input = random_tensor<float>(shape, random), result = Tensor::empty(shape, DType::float32);
      cpu::run_softmax(input, dim, false, result);
      for (int64_t k = 0; k < shape[1 - dim]; ++k) {
        double total = 0, shifted = 0;
        auto element = [&](const Tensor& t, int64_t i) {
          return dim ? at<float>(t, {k, i}) : at<float>(t, {i, k});
        };
        for (int64_t i = 0; i < shape[dim]; ++i) shifted += std::exp(double(element(input, i)));
        for (int64_t i = 0; i < shape[dim]; ++i) {
          total += element(result, i);
          ASSERT_NEAR(element(result, i), std::exp(double(element(input, i))) / shifted, 1e-5)
              << sizes_text(shape) << " dim " << dim << " row " << k << " at " << i;
        }
        ASSERT_NEAR(total, 1, 1e-4);
      }
    }
  }
}

TEST(ThreadPool, RethrowsAndGoesOn) {
  cpu::set_num_threads(3);
  EXPECT_THROW(cpu::parallel_for(1000, 1,
                                 [](int64_t begin, int64_t) {
                                   if (begin == 500) throw Error(ErrorType::value, "five hundred");
                                 }),
               Error);
  std::atomic<int64_t> sum{0};
  cpu::parallel_for(1000, 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i;
  });
  EXPECT_EQ(sum, 499500);
}

TEST(ThreadPool, AForkedChildComputes) {
  cpu::set_num_threads(3);
  std::mt19937 random(8);
  Tensor input = random_tensor<float>({1 << 20}, random), before = Tensor::empty({}, DType::float32);
  cpu::run_reduction(ReduceKind::sum, input, 1, before);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Tensor after = Tensor::empty({}, DType::float32);
    cpu::run_reduction(ReduceKind::sum, input, 1, after);
    _exit(*after.data_as<float>() == *before.data_as<float>() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace framejit::eager
