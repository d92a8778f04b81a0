// The decompositions that are compiled once per instruction set (tile/linalg), of one real matrix each.
// Matrices are contiguous rows of finite elements; the decompositions that iterate say whether they have
// converged.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// T: float or double.
template <class T>
struct DenseKernels {
  /// Eigenvalues of a symmetric matrix, ascending. Where `vectors`, `a` gets eigenvectors as columns.
  bool (*eigh)(T* a, int64_t n, bool vectors, T* values);
  /// A = U diag(S) Vh of a matrix that is not empty, S descending. Where `vectors`, U and Vh are square if
  /// `full`, else they have as many columns and rows as S.
  bool (*svd)(const T* a, int64_t rows, int64_t columns, bool vectors, bool full, T* u, T* s, T* vh);
};

/// Those of the chosen instruction set.
template <class T>
const DenseKernels<T>& dense_kernels();

}  // namespace framejit::eager::cpu
