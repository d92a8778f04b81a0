// Contract: eager pointwise ops, and copies, as loops over tile kernels.
//
//   core     decides types and shape (`pointwise_types` in its own file), allocates the result, then calls
//   `run_pointwise` here     broadcasting, strides, casts, tiles, threads
// Fused programs (tile_program.h) run the same kernels over the same tiles, so both give the same bits.
#pragma once

#include <array>
#include <cstdint>

#include "eager/op.h"

namespace framejit::eager::cpu {

inline constexpr int kMaxOperands = 4;

/// A tile kernel and the element types on the way through it. Tensors are converted to `compute`, the dtype
/// of the op, then (as are numbers, at once) to `operand`, which the kernel reads; it writes `result`, which
/// is rounded to `rounded`. For most dtypes these are two and two the same; see `TileChoice`.
struct TileCall {
  const TileKernel* kernel = nullptr;
  int operand_count = 0;
  DType compute = DType::float32;
  DType operand = DType::float32;
  DType result = DType::float32;
  DType rounded = DType::float32;
  const double* params = nullptr;  ///< of the row, borrowed; may be null when the row has none
  int param_count = 0;
};
/// The call of the pointwise `op` that computes in `compute` and gives elements of type `result`. Raises the
/// user's error where there is no kernel.
FRAMEJIT_API TileCall tile_call(const Op& op, DType compute, DType result);

/// An operand as it lies in memory. `sizes` null: one element (a 0-dim tensor or a Python number).
struct Operand {
  const void* data = nullptr;
  DType dtype = DType::float32;
  const Dims* sizes = nullptr;
  const Dims* strides = nullptr;  ///< in elements

  Operand() = default;
  explicit Operand(const Tensor& tensor)
      : data(tensor.data()), dtype(tensor.dtype()), sizes(&tensor.sizes()), strides(&tensor.strides()) {}
  Operand(const void* element, DType type) : data(element), dtype(type) {}
};

/// `result = kernel(operands...)`, elementwise. The operands broadcast to the sizes of `result`; the result
/// may have any strides and any dtype (the kernel's result is converted). It may be one of the operands, but
/// not overlap one otherwise. About 20 ns for small contiguous tensors of the kernel's dtypes.
FRAMEJIT_API void run_pointwise(const TileCall& call, const Operand* operands, const Tensor& result);

/// `to = from`, converted and broadcast. Memory may overlap only when both are the same view.
FRAMEJIT_API void copy_elements(const Tensor& from, const Tensor& to);
/// `to[...] = value`; `value` points at one element of type `dtype`.
FRAMEJIT_API void fill_elements(const Tensor& to, const void* value, DType dtype);

/// Converts one element. Out-of-range floats become integers as PyTorch's x86 build has it.
FRAMEJIT_API void convert_element(const void* from, DType from_dtype, void* to, DType to_dtype);

}  // namespace framejit::eager::cpu
