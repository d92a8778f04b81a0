#include "tests/cpp/inductor/programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "eager/cpu/loops/pointwise.h"

namespace framejit::inductor {

std::unique_ptr<graph::Graph> trace(const Function& function, const std::vector<Value>& inputs,
                                    const std::vector<uint64_t>& dynamic) {
  graph::Tracer tracer;
  std::vector<Value> symbolic;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = eager::concat("x", i);
    if (inputs[i].is_tensor())
      symbolic.push_back(tracer.tensor_input(name, inputs[i].tensor(), i < dynamic.size() ? dynamic[i] : 0));
    else
      symbolic.push_back(tracer.scalar_input(
          name, inputs[i].tag() == Value::Tag::real ? DType::float64 : DType::int64, inputs[i].real()));
  }
  return tracer.finish(function(symbolic));
}

std::vector<Value> run(const graph::Executable& executable, const std::vector<Value>& inputs) {
  std::vector<Value> results(16);
  executable.run(inputs.data(), results.data());
  return results;
}

Tensor random_floats(const Dims& sizes, std::mt19937& random) {
  Tensor tensor = Tensor::empty(sizes, DType::float32);
  std::uniform_real_distribution<float> values(-2, 2);
  for (int64_t i = 0, n = tensor.numel().expect(); i < n; ++i) tensor.data_as<float>()[i] = values(random);
  return tensor;
}

void expect_same(const Tensor& got, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  ASSERT_EQ(eager::sizes_text(got.sizes()), eager::sizes_text(expected.sizes())) << what;
  ASSERT_EQ(eager::sizes_text(got.strides()), eager::sizes_text(expected.strides())) << what;
  Tensor a = Tensor::empty(got.sizes(), DType::float64), b = Tensor::empty(got.sizes(), DType::float64);
  eager::cpu::copy_elements(got, a);
  eager::cpu::copy_elements(expected, b);
  for (int64_t i = 0, n = a.numel().expect(); i < n; ++i) {
    double x = a.data_as<double>()[i], y = b.data_as<double>()[i];
    bool same = std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
    bool near = tolerance > 0 && std::abs(x - y) <= tolerance * (1 + std::abs(y));
    ASSERT_TRUE(same || near) << what << ": element " << i << " is " << x << ", expected " << y;
  }
}

void expect_compiles(const Function& function, const std::vector<Value>& inputs, double tolerance,
                     const std::vector<uint64_t>& dynamic) {
  auto graph = trace(function, inputs, dynamic);
  size_t count = graph->result->args.size();
  auto compiled = compile(*graph);
  auto oracle = graph::interpret(std::move(graph));
  std::vector<Value> got = run(*compiled, inputs), expected = run(*oracle, inputs);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(got[i].tag(), expected[i].tag());
    if (got[i].is_tensor())
      expect_same(got[i].tensor(), expected[i].tensor(), tolerance, compiled->describe());
    else
      ASSERT_EQ(got[i].real(), expected[i].real());
  }
}

}  // namespace framejit::inductor
