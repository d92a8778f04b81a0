// Householder reflections I - tau v v^H (Golub & Van Loan, Matrix Computations, 4th ed., 5.1), and products
// of them as one block reflection I - V^T T conj(V) whose rows of V are the v (the compact WY form of Schreiber and
// Van Loan, 1989; G&VL 5.1.7), which is applied by products of matrices.
#pragma once

#include <utility>

#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

inline constexpr int64_t kReflections = 32;  ///< reflections that are applied together
inline constexpr int64_t kFewRows = 8;       ///< to which they are applied one by one

template <class T>
struct Reflection {
  T tau;
  Real<T> beta;  ///< its adjoint maps x to (beta, 0, 0...)
};

/// The reflection of the elements of `v` from `first` on, whose vector takes their place, with 1 in front.
/// Elements before `first` and those up to `n`, a multiple of kLanes, are zero.
template <class T>
Reflection<T> reflect(T* v, int64_t first, int64_t n) {
  const int64_t begin = round_down<T>(first);
  using R = Real<T>;
  constexpr R kSmallest = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon(),
              kLargest = std::numeric_limits<R>::max() / 4;
  const int64_t count = (n - begin) * kParts<T>;  // of parts
  const T alpha = std::exchange(v[first], T(0));
  const R squares = inner(count, parts(v + begin), parts(v + begin));
  if (squares == 0 && alpha == T(real_part(alpha)) && exponent_of_largest(parts(v + begin), count) == 0) {
    v[first] = T(1);
    return {T(0), real_part(alpha)};
  }
  const R all_squares = squares + Eigen::numext::abs2(alpha);
  if (!(all_squares > kSmallest && all_squares < kLargest)) {
    v[first] = alpha;  // squares overflow or lose their bits: reflect scaled elements
    const int exponent = exponent_of_largest(parts(v + begin), count);
    if (exponent != 0) {
      scale_by_exponent(parts(v + begin), count, -exponent);
      Reflection<T> scaled = reflect(v, first, n);
      return {scaled.tau, std::ldexp(scaled.beta, exponent)};
    }
    v[first] = T(0);
  }
  const R beta = -std::copysign(std::sqrt(all_squares), real_part(alpha));
  scale(n - begin, T(1) / (alpha - T(beta)), v + begin);
  v[first] = T(1);
  return {(T(beta) - alpha) / beta, beta};
}

/// T of the block reflection of `count` rows of v, upper triangular: H_0 H_1 ... = I - V^T T conj(V). Rows are zero
/// in front of `begin`.
template <class T>
void block_factor(int64_t count, Rows<T> v, const T* taus, int64_t begin,
                  T (&t)[kReflections][kReflections]) {
  T products[kReflections];
  for (int64_t j = 0; j < count; ++j) {
    inner_rows(j, v.stride - begin, v.from(0, begin), v[j] + begin, products);
    for (int64_t i = 0; i < kReflections; ++i) t[i][j] = T(0);
    for (int64_t i = 0; i < j; ++i) {
      T sum = 0;
      for (int64_t l = i; l < j; ++l) sum += t[i][l] * products[l];
      t[i][j] = -taus[j] * sum;
    }
    t[j][j] = taus[j];
  }
}

/// Applies to columns of a matrix, which are the rows of `c`, the product of `count` reflections, or the adjoint
/// of it where not `forward`. Rows are zero before `first`.
template <class T>
void apply_block(int64_t count, Rows<T> v, const T* taus, int64_t first, bool forward, int64_t rows,
                 Rows<T> c) {
  if (rows <= 0 || count <= 0) return;
  const cpu::ScratchScope scope;
  const int64_t begin = round_down<T>(first), n = v.stride - begin;
  T t[kReflections][kReflections];
  block_factor(count, v, taus, begin, t);
  if (!forward)
    for (T(&row)[kReflections] : t) conjugate_all(row, kReflections);
  // row = row - ((row V^H) T^T) V; with conj(T) for the adjoint.
  const Rows<T> projected = take_rows<T>(rows, count), factors = take_rows<T>(rows, count);
  multiply(rows, count, n, plain(c.from(0, begin)), transposed(conjugated(count, v).from(0, begin)),
           projected);
  multiply(rows, count, count, plain(projected), cpu::GemmOperand{&t[0][0], kReflections, forward}, factors);
  subtract_product(rows, n, count, plain(factors), plain(v.from(0, begin)), c.from(0, begin));
}

/// The same of one reflection.
template <class T>
void apply_reflection(const T* v, T tau, int64_t first, int64_t n, int64_t rows, Rows<T> c) {
  const int64_t begin = round_down<T>(first);
  T factors[kReflections];
  for (int64_t r = 0; r < rows; r += kReflections) {
    const int64_t count = std::min(kReflections, rows - r);
    const Rows<T> some = c.from(r, begin);
    inner_rows(count, n - begin, some, v + begin, factors);
    for (int64_t i = 0; i < count; ++i) factors[i] = tau * conjugate(factors[i]);
    subtract_multiples(count, n - begin, factors, v + begin, some);
  }
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
                /*forward=*/true, rows - first, q.from(first, 0));
  }
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
