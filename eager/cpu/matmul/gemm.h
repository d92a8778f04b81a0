// Products of matrices: Eigen's GEMM, compiled once per instruction set (cpu/tile/gemm.cc); large ones
// by panels (panel_gemm.h), like convolutions, and small ones without packing.
#pragma once

#include <cstdint>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// One matrix in memory. Rows are contiguous and `stride` elements apart; columns are where `transposed`.
struct GemmOperand {
  const void* data;
  int64_t stride;
  bool transposed;
};
/// c (m x n, rows `c_stride` apart) = a (m x k) times b (k x n). k is at least 1.
struct GemmCall {
  int64_t m, n, k;
  GemmOperand a, b;
  void* c;
  int64_t c_stride;
};
using GemmFn = void (*)(const GemmCall& call);

/// Null for bool, and for types that are converted first (`gemm_dtype`). Integers wrap.
GemmFn gemm_function(DType dtype);
/// The dtype in which matrices of `dtype` are multiplied: float32 for halves, int32 for smaller integers.
DType gemm_dtype(DType dtype);
/// Whether bfloat16 matrices of these sizes are multiplied as they are, on this machine.
bool multiplies_bfloats(int64_t m, int64_t n, int64_t k);

/// Does the call, of a type that has a `gemm_function`, on this thread.
void run_gemm_call(const GemmCall& call, DType dtype);
/// result = a @ b, of matrices of one dtype and matching sizes; `result` has contiguous rows. Split over
/// threads by rows or columns of the result where it is large.
FRAMEJIT_API void run_gemm(const Tensor& a, const Tensor& b, const Tensor& result);
/// The product of matrices for which `multiplies_bfloats`, not rounded: `result` is of float32.
void run_bfloat_gemm(const Tensor& a, const Tensor& b, const Tensor& result);
/// The same as run_gemm of each matrix of a batch, which threads share out; `result` is contiguous.
void run_gemm_batch(const Tensor& a, const Tensor& b, const Tensor& result);

}  // namespace framejit::eager::cpu
