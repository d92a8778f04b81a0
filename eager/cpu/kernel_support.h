// What structural kernels share: results as the row's meta rule has them, contiguous operands, loops over
// offsets.
//
// Tour of eager/cpu/
//   thread_pool.h scratch.h   the threads that kernels share; scratch memory, a block per thread
//   copy_bytes.h              rows copied at the memory's speed
//   isa.h                     which of the instruction sets that kernels were built for runs here
//   tile/       innermost loops, compiled once per instruction set: those of pointwise rows (generated, over the
//               functions of tile/functions.h), and *.cc for the loops of the folders below
//   loops/      tile programs, which pointwise ops, reductions and fused loops of the compiler all are
//               (tile_program.h), laid out over an iteration space (nest.h) and run (run.cc); the ops that are
//               such programs: pointwise.h, reduce.h, and scans
//   layout/     creation, copies, joining, transposed copies
//   matmul/     products of matrices: gemm.h chooses between Eigen's (tile/gemm.cc) and packed panels (panels.h)
//   images/     windows over images: convolution (products over patches.h), pooling, padding, resampling
//   nn/         normalisations, softmax, attention, LSTM gates, embedding, CTC
//   indexing/   advanced indexing, gather and scatter, masks
//   sorting/    sort, order statistics, search, unique, histograms
//   random/     the distributions, over eager/random/philox.h
//   special/    special functions of one number, in double
//   linalg/     decompositions (tour in linalg/batch.h)        fft/  Fourier transforms (tour in fft/plan.h)
//
// A kernel is a function `x_kernel(op, args, results)` that a row of eager/ops/*.toml names.
#pragma once

#include <type_traits>
#include <vector>

#include "eager/cpu/element_size.h"
#include "eager/cpu/loops/pointwise.h"
#include "eager/error.h"
#include "eager/meta/pointwise.h"
#include "eager/meta/shapes.h"
#include "eager/op.h"

namespace framejit::eager::cpu {

/// A new tensor for the only result.
inline Tensor allocate_result(const Op& op, const Value* args) {
  return Tensor::empty(infer_single(op, args));
}

/// `tensor` in row-major order and of type `dtype`: itself where it is so, else a copy.
inline Tensor contiguous_as(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype && tensor.is_contiguous()) return tensor;
  Tensor copy = Tensor::empty(tensor.sizes(), dtype, tensor.device());
  copy_elements(tensor, copy);
  return copy;
}
inline Tensor contiguous(const Tensor& tensor) { return contiguous_as(tensor, tensor.dtype()); }

/// A new tensor with the elements of `tensor`, laid out like it.
inline Tensor cloned(const Tensor& tensor) {
  Tensor copy = Tensor::empty(preserved_meta(tensor.meta()));
  copy_elements(tensor, copy);
  return copy;
}

/// `tensor` seen with other sizes and strides.
inline Tensor reshaped_view(const Tensor& tensor, Dims sizes, Dims strides, int64_t offset = 0) {
  TensorMeta meta = tensor.meta();
  meta.sizes = std::move(sizes);
  meta.strides = std::move(strides);
  return Tensor::from_storage(tensor->storage, tensor.offset() + offset, std::move(meta));
}

/// Offsets, in elements, of everything in an array of these sizes and strides, in row-major order.
std::vector<int64_t> enumerate_offsets(std::span<const int64_t> sizes, std::span<const int64_t> strides);

/// Calls `f(T())` with the C++ type of `dtype`, complex ones included.
template <class F>
auto for_any_dtype(DType dtype, F f) {
  switch (dtype) {
#define X(id, type, text) \
  case DType::id:         \
    return f(type());
    FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
  }
  __builtin_unreachable();
}
/// The same for kernels of real numbers: raises the user's error for complex ones.
template <class F>
auto for_dtype(DType dtype, F f) {
  FRAMEJIT_CHECK_TYPE(!is_complex(dtype), not_implemented, "not implemented for '", dtype_name(dtype),
                      "' on cpu; it exists for real types");
  using Result = decltype(f(float()));
  return for_any_dtype(dtype, [&](auto zero) -> Result {
    if constexpr (!is_complex_type<decltype(zero)>) return f(zero);
    __builtin_unreachable();
  });
}
/// Calls `f(T())` with a type of the size of `dtype`: for kernels that only move elements.
template <class F>
auto for_item_size(DType dtype, F f) {
  return for_size(int64_t(item_size(dtype)), f);
}

/// Sum of two elements: integers wrap, bools are or-ed.
template <class T>
T wrapping_sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return T(a + b);
}

/// A number as an element of type T.
template <class T>
T element_of(const Value& number) {
  if constexpr (is_complex_type<T>)
    return T(number.complex());
  else
    return number.tag() == Value::Tag::sym_int || number.tag() == Value::Tag::boolean ? T(number.integer())
                                                                                      : T(number.real());
}

/// `tensor` as rows along `dim`: `outer` x `length` x `inner`, for a contiguous tensor.
struct RowShape {
  int64_t outer = 1, length = 1, inner = 1;
};
inline RowShape row_shape(const Dims& sizes, int dim) {
  RowShape shape;
  for (int i = 0; i < sizes.size(); ++i)
    (i < dim ? shape.outer : i > dim ? shape.inner : shape.length) *= sizes[i];
  return shape;
}

}  // namespace framejit::eager::cpu
