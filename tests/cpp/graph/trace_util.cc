#include "tests/cpp/graph/trace_util.h"

#include "generated/ops.h"

namespace framejit::graph::testing {

Tensor ramp(const eager::Dims& sizes, double first, double step, DType dtype) {
  Tensor result = Tensor::empty(sizes, DType::float64);
  int64_t count = result.numel().expect();
  for (int64_t i = 0; i < count; ++i) result.data_as<double>()[i] = first + step * double(i);
  return dtype == DType::float64 ? result : eager::ops::cast(result, dtype);
}

std::vector<double> values(const Tensor& tensor) {
  eager::GradModeScope no_grad(false);
  Tensor dense = eager::ops::contiguous_copy(eager::ops::cast(tensor, DType::float64));
  return {dense.data_as<double>(), dense.data_as<double>() + dense.numel().expect()};
}

std::unique_ptr<Graph> trace(const Function& function, const std::vector<Tensor>& examples,
                             uint64_t dynamic_dims) {
  Tracer tracer;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < examples.size(); ++i)
    inputs.push_back(tracer.tensor_input(std::string(1, char('a' + i)), examples[i], dynamic_dims));
  return tracer.finish(function(inputs));
}

}  // namespace framejit::graph::testing
