// Batches of matrices, and the kernels of their decompositions. Tour of linalg/:
//   lu.cc          LU: inverse, solution, determinant (ldl.cc: LDL^T of symmetric matrices)
//   orthogonal.cc  triangular systems, Cholesky, QR
//   least_squares.h  solutions of least norm
//   svd.cc         singular values, pseudo-inverse
//   eigh.cc        eigenvalues of symmetric matrices; eigen.cc: of any, and the matrix exponential
//   dense.h        our own algorithms (tile/linalg), which are compiled per instruction set
// Tensors hold contiguous row-major matrices, which are seen as matrices of Eigen's where that is handy.
#pragma once

#include <Eigen/Core>
#include <string>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"
#include "eager/linalg_error.h"

namespace framejit::eager::cpu {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using MatrixMap = Eigen::Map<RowMajor<T>>;
template <class T>
using VectorMap = Eigen::Map<Vector<T>>;

inline int64_t rows_of(const Tensor& tensor) { return tensor.sizes()[tensor.dim() - 2]; }
inline int64_t columns_of(const Tensor& tensor) { return tensor.sizes()[tensor.dim() - 1]; }

/// Entries of all dims but the last two. Not from numel(), which is 0 for matrices without elements.
inline int64_t batch_count(const Tensor& tensor) {
  int64_t count = 1;
  for (int d = 0; d < tensor.dim() - 2; ++d) count *= tensor.sizes()[d];
  return count;
}

/// Matrix number `index` of a contiguous tensor.
template <class T>
MatrixMap<T> matrix_at(const Tensor& tensor, int64_t index) {
  const int64_t rows = rows_of(tensor), columns = columns_of(tensor);
  return MatrixMap<T>(tensor.data_as<T>() + index * rows * columns, rows, columns);
}
/// Row number `index` of a contiguous tensor of vectors.
template <class T>
VectorMap<T> vector_at(const Tensor& tensor, int64_t index) {
  const int64_t length = columns_of(tensor);
  return VectorMap<T>(tensor.data_as<T>() + index * length, length);
}

/// Calls `f(index)` for each matrix of a batch, in parallel where there are many; one costs about `side`
/// ** 3.
template <class F>
void for_each_matrix(int64_t count, int64_t side, F f) {
  const int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, side * side * side));
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

template <class T>
using Real = typename Eigen::NumTraits<T>::Real;

/// Calls `f(T())` for the dtypes that linear algebra knows; the rows' shape rules have refused all but half
/// precision.
template <class F>
void for_matrix_dtype(DType dtype, F f) {
  if (dtype == DType::float64) return f(double());
  if (dtype == DType::complex64) return f(std::complex<float>());
  if (dtype == DType::complex128) return f(std::complex<double>());
  FRAMEJIT_CHECK_TYPE(dtype == DType::float32, not_implemented, "linear algebra is not implemented for ",
                      dtype_name(dtype), "; got it, expected float32 or float64. Try x.float().");
  f(float());
}

/// Results as the row's meta rule has them.
inline std::vector<Tensor> allocate_results(const Op& op, const Value* args) {
  std::vector<TensorMeta> metas;
  op.meta(op, args, metas);
  std::vector<Tensor> tensors;
  for (const TensorMeta& meta : metas) tensors.push_back(Tensor::empty(meta));
  return tensors;
}
inline void store(const std::vector<Tensor>& tensors, Value* results) {
  for (size_t i = 0; i < tensors.size(); ++i) results[i] = tensors[i];
}

/// LinAlgError for the first matrix whose `info` is not zero: "name: (Batch element 1): " and `text(info)`.
template <class Text>
void check_info(const char* name, const Tensor& info, Text text) {
  const auto* codes = info.data_as<int32_t>();
  for (int64_t i = 0; i < info.numel().expect(); ++i)
    if (codes[i] != 0)
      throw LinAlgError(
          concat(name, ": ", info.dim() > 0 ? concat("(Batch element ", i, "): ") : "", text(codes[i])));
}

}  // namespace framejit::eager::cpu
