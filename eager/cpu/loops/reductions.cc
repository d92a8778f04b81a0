// Kernels of reduction rows: arguments to dims and a result, then the loop driver (reduce.h).
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/reduce.h"
#include "eager/meta/views.h"
#include "eager/pointwise_kernel.h"

namespace framejit::eager {

using namespace cpu;

namespace {

void reduce_into_result(ReduceKind kind, const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  run_reduction(kind, self, dim_mask(args[1], self.dim()), result);
  results[0] = std::move(result);
}

/// The variance of the real parts and that of the imaginary parts, as `var_decompose` has it.
void complex_var(const Tensor& self, uint64_t dims, double correction, const Tensor& result) {
  const Value args[] = {self};
  const Tensor parts = make_view(self, view_as_real_geometry(args));
  const Tensor second = Tensor::empty(result.meta());
  Dims strides = parts.strides();
  strides.resize(self.dim());
  run_var(reshaped_view(parts, self.sizes(), strides), dims, correction, result);
  run_var(reshaped_view(parts, self.sizes(), strides, 1), dims, correction, second);
  static const Op& add = get_op("add");
  const Value operands[] = {result, second, int64_t(1)};
  pointwise_into(add, operands, result);
}

}  // namespace

void sum_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::sum, op, args, results);
}
void mean_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::mean, op, args, results);
}
void prod_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::prod, op, args, results);
}
void amax_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::amax, op, args, results);
}
void amin_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::amin, op, args, results);
}
void any_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::any, op, args, results);
}
void all_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::all, op, args, results);
}
void argmax_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::argmax, op, args, results);
}
void argmin_kernel(const Op& op, const Value* args, Value* results) {
  reduce_into_result(ReduceKind::argmin, op, args, results);
}

void var_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  const double correction = args[2].is_none() ? 1.0 : args[2].real();
  const uint64_t dims = dim_mask(args[1], self.dim());
  if (is_complex(self.dtype()))
    complex_var(self, dims, correction, result);
  else
    run_var(self, dims, correction, result);
  results[0] = std::move(result);
}

}  // namespace framejit::eager
