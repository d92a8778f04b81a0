// Tracing C++ functions over tensors, for tests.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "graph/trace.h"

namespace framejit::graph::testing {

using eager::Tensor;
using eager::Value;
using Function = std::function<std::vector<Value>(const std::vector<Tensor>&)>;

/// A tensor with the values first, first + step, ...
Tensor ramp(const eager::Dims& sizes, double first = 0, double step = 1, DType dtype = DType::float32);
std::vector<double> values(const Tensor& tensor);

/// The graph of `function` on inputs like `examples`, named a, b, c, ...
std::unique_ptr<Graph> trace(const Function& function, const std::vector<Tensor>& examples,
                             uint64_t dynamic_dims = 0);

}  // namespace framejit::graph::testing
