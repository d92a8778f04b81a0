// The decompositions that are compiled once per instruction set (tile/linalg), of one matrix each.
// Matrices are contiguous rows of finite elements; the decompositions that iterate say whether they have
// converged.
#pragma once

#include <cstdint>

#include "eager/cpu/linalg/real_of.h"

namespace framejit::eager::cpu {

/// T: float, double or a complex type of them.
template <class T>
struct DenseKernels {
  /// Eigenvalues of a symmetric (Hermitian) matrix, ascending. Where `vectors`, `a` gets eigenvectors as columns.
  bool (*eigh)(T* a, int64_t n, bool vectors, RealOf<T>* values);
  /// A = U diag(S) Vh of a matrix that is not empty, S descending. Where `vectors`, U and Vh are square if
  /// `full`, else they have as many columns and rows as S.
  bool (*svd)(const T* a, int64_t rows, int64_t columns, bool vectors, bool full, T* u, RealOf<T>* s, T* vh);
};

/// Those of the chosen instruction set.
template <class T>
const DenseKernels<T>& dense_kernels();

}  // namespace framejit::eager::cpu
