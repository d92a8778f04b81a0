// Making and reading small tensors in tests.
#pragma once

#include <initializer_list>
#include <random>
#include <vector>

#include "eager/autograd/autograd.h"
#include "eager/operators.h"
#include "generated/ops.h"
#include "eager/tensor.h"

namespace framejit::eager::testing {

template <class T = float>
Tensor tensor(const std::vector<T>& values, const Dims& sizes) {
  Tensor result = Tensor::empty(sizes, dtype_of<T>());
  std::copy(values.begin(), values.end(), result.data_as<T>());
  return result;
}
template <class T = float>
Tensor vector(const std::vector<T>& values) {
  return tensor<T>(values, {int64_t(values.size())});
}
template <class T = float>
Tensor scalar(T value) {
  return tensor<T>({value}, {});
}

/// Elements in row-major order of the sizes, whatever the strides.
template <class T = float>
std::vector<T> values(const Tensor& tensor) {
  Tensor dense = ops::contiguous_copy(detach(tensor));
  return {dense.data_as<T>(), dense.data_as<T>() + dense.numel().expect()};
}

inline Tensor random_tensor(const Dims& sizes, uint32_t seed, double low = 0.1, double high = 0.9) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Tensor result = Tensor::empty(sizes, DType::float64);
  for (int64_t i = 0; i < result.numel().expect(); ++i) result.data_as<double>()[i] = uniform(generator);
  return result;
}

inline Tensor requiring_grad(Tensor tensor) {
  set_requires_grad(tensor, true);
  return tensor;
}

}  // namespace framejit::eager::testing
