// Kernels of reduction rows: arguments to dims and a result, then the loop driver (reduce.h).
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/reduce.h"

namespace framejit::eager {

using namespace cpu;

namespace {

void reduce_into_result(ReduceKind kind, const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  run_reduction(kind, self, dim_mask(args[1], self.dim()), result);
  results[0] = std::move(result);
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
  run_var(self, dim_mask(args[1], self.dim()), correction, result);
  results[0] = std::move(result);
}

}  // namespace framejit::eager
