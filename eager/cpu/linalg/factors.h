// The factorizations that are compiled once per instruction set (tile/linalg), of one matrix each:
// contiguous rows in, contiguous rows out. A NaN or an infinity spoils the results, no more.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// T: float, double or a complex type of them. Functions that return an int say which pivot is the first zero, counted from 0, or -1.
template <class T>
struct FactorKernels {
  /// P A = L U, both in `factors`; row k was exchanged with row exchanges[k].
  int (*lu)(const T* a, int64_t rows, int64_t columns, T* factors, int32_t* exchanges);
  /// A X = B, of `width` columns.
  int (*solve)(const T* a, int64_t n, const T* b, int64_t width, T* x);
  int (*inverse)(const T* a, int64_t n, T* x);
  /// The diagonal of U; whether the number of exchanges is odd.
  bool (*determinant)(const T* a, int64_t n, T* diagonal);
  /// A X = B; x may be b.
  void (*solve_triangular)(const T* a, int64_t n, bool upper, bool unit, const T* b, int64_t width, T* x);
  /// Returns the order of the first leading minor that is not positive, or 0.
  int (*cholesky)(const T* a, int64_t n, bool upper, T* factor);
  /// `count` columns of Q, unless null, and rows of R.
  void (*qr)(const T* a, int64_t rows, int64_t columns, int64_t count, T* q, T* r);
  /// R, and below it the vectors of the reflections I - tau v v^H whose product is Q.
  void (*reflections)(const T* a, int64_t rows, int64_t columns, T* factors, T* taus);
  /// The X of least norm for which A X - B, of `width` columns, is least; singular values below `rcond` times the largest
  /// count as zero. Returns the rank.
  int64_t (*least_squares)(const T* a, int64_t rows, int64_t columns, const T* b, int64_t width, double rcond,
                           T* x);
};

/// Those of the chosen instruction set.
template <class T>
const FactorKernels<T>& factor_kernels();

}  // namespace framejit::eager::cpu
