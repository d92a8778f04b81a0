// Householder reflections I - tau v v^T (Golub & Van Loan, Matrix Computations, 4th ed., 5.1), and products
// of them as one block reflection I - V^T T V whose rows of V are the v (the compact WY form of Schreiber and
// Van Loan, 1989; G&VL 5.1.7), which is applied by products of matrices.
#pragma once

#include <utility>

#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

inline constexpr int64_t kReflections = 32;  ///< reflections that are applied together
inline constexpr int64_t kFewRows = 8;       ///< to which they are applied one by one

template <class T>
struct Reflection {
  T tau, beta;  ///< it maps x to (beta, 0, 0...)
};

/// The reflection of the elements of `v` from `first` on, whose vector takes their place, with 1 in front.
/// Elements before `first` and those up to `n`, a multiple of kLanes, are zero.
template <class T>
Reflection<T> reflect(T* v, int64_t first, int64_t n) {
  const int64_t begin = round_down<T>(first);
  constexpr T kSmallest = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon(),
              kLargest = std::numeric_limits<T>::max() / 4;
  const T alpha = std::exchange(v[first], T(0));
  T squares = dot(n - begin, v + begin, v + begin);
  if (squares == 0 && exponent_of_largest(v + begin, n - begin) == 0) {
    v[first] = T(1);
    return {T(0), alpha};
  }
  if (!(squares + alpha * alpha > kSmallest && squares + alpha * alpha < kLargest)) {
    v[first] = alpha;  // squares overflow or lose their bits: reflect scaled elements
    const int exponent = exponent_of_largest(v + begin, n - begin);
    if (exponent != 0) {
      scale_by_exponent(v + begin, n - begin, -exponent);
      Reflection<T> scaled = reflect(v, first, n);
      return {scaled.tau, std::ldexp(scaled.beta, exponent)};
    }
    v[first] = T(0);
  }
  const T beta = -std::copysign(std::sqrt(alpha * alpha + squares), alpha);
  scale(n - begin, T(1) / (alpha - beta), v + begin);
  v[first] = T(1);
  return {(beta - alpha) / beta, beta};
}

/// T of the block reflection of `count` rows of v, upper triangular: H_0 H_1 ... = I - V^T T V. Rows are zero
/// in front of `begin`.
template <class T>
void block_factor(int64_t count, Rows<T> v, const T* taus, int64_t begin,
                  T (&t)[kReflections][kReflections]) {
  T products[kReflections];
  for (int64_t j = 0; j < count; ++j) {
    dot_rows(j, v.stride - begin, v.from(0, begin), v[j] + begin, products);
    for (int64_t i = 0; i < kReflections; ++i) t[i][j] = T(0);
    for (int64_t i = 0; i < j; ++i) {
      T sum = 0;
      for (int64_t l = i; l < j; ++l) sum += t[i][l] * products[l];
      t[i][j] = -taus[j] * sum;
    }
    t[j][j] = taus[j];
  }
}

/// Multiplies each of the rows of `c` by (the transpose of, where `inverse`) the product of `count`
/// reflections. Rows are zero before `first`.
template <class T>
void apply_block(int64_t count, Rows<T> v, const T* taus, int64_t first, bool inverse, int64_t rows,
                 Rows<T> c) {
  if (rows <= 0 || count <= 0) return;
  const cpu::ScratchScope scope;
  const int64_t begin = round_down<T>(first), n = v.stride - begin;
  T t[kReflections][kReflections];
  block_factor(count, v, taus, begin, t);
  // row H = row - ((row V^T) T) V; with T^T for the inverse.
  const Rows<T> projected = take_rows<T>(rows, count), factors = take_rows<T>(rows, count);
  multiply(rows, count, n, plain(c.from(0, begin)), transposed(v.from(0, begin)), projected);
  multiply(rows, count, count, plain(projected), cpu::GemmOperand{&t[0][0], kReflections, inverse}, factors);
  subtract_product(rows, n, count, plain(factors), plain(v.from(0, begin)), c.from(0, begin));
}

/// One reflection, to each of the rows of `c`.
template <class T>
void apply_reflection(const T* v, T tau, int64_t first, int64_t n, int64_t rows, Rows<T> c) {
  const int64_t begin = round_down<T>(first);
  for (int64_t r = 0; r < rows; ++r)
    add_scaled(n - begin, -tau * dot(n - begin, v + begin, c[r] + begin), v + begin, c[r] + begin);
}

/// The rows of (H_0 H_1 ...)^T, or as many of them as `q` has; row i of `v` is zero before element i +
/// `shift`. `q` is overwritten.
template <class T>
void product_of_reflections(int64_t count, Rows<T> v, const T* taus, int64_t shift, int64_t rows, Rows<T> q) {
  std::fill_n(q.data, rows * q.stride, T(0));
  for (int64_t r = 0; r < rows; ++r) q[r][r] = T(1);
  if (rows <= kFewRows) {
    for (int64_t k = count - 1; k >= 0; --k)
      apply_reflection(v[k], taus[k], k + shift, q.stride, rows - k - shift, q.from(k + shift, 0));
    return;
  }
  for (int64_t begin = (count - 1) / kReflections * kReflections; begin >= 0 && count > 0;
       begin -= kReflections) {
    const int64_t first = begin + shift;  // rows of q before that are still those of the identity
    apply_block(std::min(kReflections, count - begin), v.from(begin, 0), taus + begin, first,
                /*inverse=*/true, rows - first, q.from(first, 0));
  }
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
