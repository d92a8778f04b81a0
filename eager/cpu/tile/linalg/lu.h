// LU factorization with row exchanges (Golub & Van Loan, 3.4), along rows: block by block of columns, each of which is
// eliminated column by column.
#pragma once

#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

inline constexpr int64_t kSmall = 8;  ///< sides of matrices that are not worth vectors and padding
inline constexpr int64_t kStep = 32;  ///< columns of a block: whole vectors of any instruction set

/// row -= the sum of factors[j] times row j of `rows`, for j < count <= kStep.
template <class T>
void subtract_rows(int64_t count, int64_t n, Rows<T> rows, const T* factors, T* row) {
  T negated[kStep];
  for (int64_t j = 0; j < count; ++j) negated[j] = -factors[j];
  add_rows(count, n, rows, negated, row);
}

/// By what pivots are chosen: LAPACK compares |re| + |im| of complex numbers.
template <class T>
Real<T> pivot_score(T x) {
  if constexpr (kIsComplex<T>)
    return std::abs(x.real()) + std::abs(x.imag());
  else
    return std::abs(x);
}

/// P A = L U in place of A.
template <class T>
struct Lu {
  Rows<T> a;
  int64_t rows, columns;
  int32_t* exchanges;   ///< with which row row k was exchanged
  int zero_pivot = -1;  ///< the first column without a pivot
  bool odd = false;     ///< whether the number of exchanges is odd

  void factor() {
    const int64_t side = std::min(rows, columns);
    if (std::max(rows, columns) <= kSmall) return choose_small(side);
    const cpu::ScratchScope scope;
    T* factors = cpu::Scratch::of_thread().take_array<T>(rows);
    for (int64_t begin = 0; begin < side; begin += kStep) {
      const int64_t end = std::min(side, begin + kStep), next = std::min(begin + kStep, a.stride),
                    width = a.stride - next;
      for (int64_t k = begin; k < end; ++k) eliminate(k, next, factors);
      if (next >= columns) continue;
      for (int64_t i = begin + 1; i < end; ++i)
        subtract_rows(i - begin, width, a.from(begin, next), a[i] + begin, a[i] + next);
      subtract_product(rows - end, width, end - begin, plain(a.from(end, begin)), plain(a.from(begin, next)),
                       a.from(end, next));
    }
  }

 private:
  void choose_small(int64_t side) {
    if (rows != columns || a.stride != columns || side > 4) return factor_small(side);
    if (side == 4) return factor_small<4>(4);
    side == 3 ? factor_small<3>(3) : side == 2 ? factor_small<2>(2) : factor_small(side);
  }
  /// `kSide`: that of a square matrix, for which loops are unrolled; 0: of any other.
  template <int kSide = 0>
  void factor_small(int64_t given_side) {
    const int64_t side = kSide > 0 ? kSide : given_side, height = kSide > 0 ? kSide : rows,
                  width = kSide > 0 ? kSide : columns;
    const Rows<T> all{a.data, kSide > 0 ? kSide : a.stride};
#pragma GCC unroll 4
    for (int64_t k = 0; k < side; ++k) {
      if (!choose_pivot(all, height, k, width)) continue;
      const T* pivots = all[k];
      const T inverse = T(1) / pivots[k];
      const bool usable = pivot_score(inverse) <= std::numeric_limits<Real<T>>::max();
#pragma GCC unroll 4
      for (int64_t r = k + 1; r < height; ++r) {
        const T factor = all[r][k] = usable ? all[r][k] * inverse : all[r][k] / pivots[k];
#pragma GCC unroll 4
        for (int64_t j = k + 1; j < width; ++j) all[r][j] -= factor * pivots[j];
      }
    }
  }
  /// Exchanges rows, of `width` elements, for the pivot of column k; false where that is zero.
  bool choose_pivot(Rows<T> all, int64_t height, int64_t k, int64_t width) {
    int64_t best = k;
    Real<T> most = pivot_score(all[k][k]);
    for (int64_t r = k + 1; r < height; ++r) {
      const Real<T> score = pivot_score(all[r][k]);
      if (score > most) most = score, best = r;
    }
    exchanges[k] = int32_t(best);
    if (best != k) {
      odd = !odd;
      std::swap_ranges(all[k], all[k] + width, all[best]);
    }
    if (all[k][k] != T(0)) return true;
    if (zero_pivot < 0) zero_pivot = int(k);
    return false;
  }
  /// Column k, from those up to `next`.
  void eliminate(int64_t k, int64_t next, T* factors) {
    if (!choose_pivot(a, rows, k, a.stride)) return;
    const int64_t below = rows - k - 1;
    divide(k, factors);
    // What is left of the diagonal is done already: multiples of zero.
    T pivots[kStep];
    const int64_t from = round_down<T>(k + 1);
    if (from >= next) return;
    std::copy(a[k] + from, a[k] + next, pivots);
    std::fill(pivots, pivots + (k + 1 - from), T(0));
    subtract_multiples(below, next - from, factors, pivots, a.from(k + 1, from));
  }
  /// The elements below the pivot of column k by that, also in `factors`.
  void divide(int64_t k, T* factors) const {
    const T pivot = a[k][k], inverse = T(1) / pivot;
    const bool usable = pivot_score(inverse) <= std::numeric_limits<Real<T>>::max();
    for (int64_t r = k + 1; r < rows; ++r)
      a[r][k] = factors[r - k - 1] = usable ? a[r][k] * inverse : a[r][k] / pivot;
  }
};

/// A small matrix, factored in a copy without padding.
template <class T>
struct SmallLu {
  T factors[kSmall * kSmall];
  int32_t exchanges[kSmall];
  Lu<T> lu;

  SmallLu(const T* a, int64_t n) : lu{{factors, n}, n, n, exchanges} {
    std::copy_n(a, n * n, factors);
    lu.factor();
  }
  SmallLu(const SmallLu&) = delete;
  /// Overwrites the rows of B by A^-1 B.
  void solve(T* b, int64_t width) const {
    const int64_t n = lu.rows;
    for (int64_t k = 0; k < n; ++k)
      if (exchanges[k] != k)
        std::swap_ranges(b + k * width, (b + k * width) + width, b + exchanges[k] * width);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j) subtract(lu.a[i][j], b + j * width, b + i * width, width);
    for (int64_t i = n - 1; i >= 0; --i) {
      for (int64_t j = i + 1; j < n; ++j) subtract(lu.a[i][j], b + j * width, b + i * width, width);
      const T pivot = lu.a[i][i], inverse = T(1) / pivot;
      const bool usable = pivot_score(inverse) <= std::numeric_limits<Real<T>>::max();
      for (int64_t c = 0; c < width; ++c)
        b[i * width + c] = usable ? b[i * width + c] * inverse : b[i * width + c] / pivot;
    }
  }

 private:
  static void subtract(T factor, const T* x, T* y, int64_t width) {
    for (int64_t c = 0; c < width; ++c) y[c] -= factor * x[c];
  }
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
