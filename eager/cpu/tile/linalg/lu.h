// LU factorization with row exchanges (Golub & Van Loan, 3.4): by blocks of columns, in forms that go along rows;
// small matrices element by element.
#pragma once

#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

inline constexpr int64_t kSmall = 8;  ///< sides of matrices that are not worth vectors and padding
inline constexpr int64_t kStep = 32;  ///< rows of a block: whole vectors of any instruction set

/// row -= the sum of factors[j] times row j of `rows`, for j < count <= kStep.
template <class T>
void subtract_rows(int64_t count, int64_t n, Rows<T> rows, const T* factors, T* row) {
  T negated[kStep];
  for (int64_t j = 0; j < count; ++j) negated[j] = -factors[j];
  add_rows(count, n, rows, negated, row);
}

/// The place of the element of largest magnitude in [begin, end).
template <class T>
int64_t largest_element(const T* x, int64_t begin, int64_t end) {
  int64_t i = begin;
  T largest = 0;
  Packet<T> most = spread(T(0));
  for (; i < end && i % kLanes<T> != 0; ++i) largest = std::max(largest, std::abs(x[i]));
  for (; i + kLanes<T> <= end; i += kLanes<T>) most = packet::pmax(most, packet::pabs(load(x + i)));
  for (; i < end; ++i) largest = std::max(largest, std::abs(x[i]));
  largest = std::max(largest, packet::predux_max(most));
  for (i = begin; i < end; ++i)
    if (std::abs(x[i]) >= largest) return i;
  return begin;  // of NaNs
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
    if (std::max(rows, columns) <= kSmall) return factor_small(side);
    for (int64_t begin = 0; begin < side; begin += kStep) {
      const int64_t end = std::min(side, begin + kStep), next = begin + kStep, width = a.stride - next;
      factor_columns(begin, end, std::min(next, columns));
      for (int64_t k = begin; k < end; ++k) exchange_beside(k, begin, next);
      if (next >= columns) continue;
      for (int64_t i = begin + 1; i < end; ++i)
        subtract_rows(i - begin, width, a.from(begin, next), a[i] + begin, a[i] + next);
      subtract_product(rows - end, width, end - begin, plain(a.from(end, begin)), plain(a.from(begin, next)),
                       a.from(end, next));
    }
  }

 private:
  void factor_small(int64_t side) {
    for (int64_t k = 0; k < side; ++k) {
      int64_t best = k;
      for (int64_t r = k + 1; r < rows; ++r)
        if (std::abs(a[r][k]) > std::abs(a[best][k])) best = r;
      exchanges[k] = int32_t(best);
      odd ^= best != k;
      const T* pivots = a[k];
      if (best != k) std::swap_ranges(a[k], a[k] + columns, a[best]);
      if (pivots[k] == T(0)) {
        if (zero_pivot < 0) zero_pivot = int(k);
        continue;
      }
      for (int64_t r = k + 1; r < rows; ++r) {
        const T factor = a[r][k] /= pivots[k];
        for (int64_t j = k + 1; j < columns; ++j) a[r][j] -= factor * pivots[j];
      }
    }
  }
  /// In a copy that has these columns as rows, one after the other; those from `end` to `last` have no
  /// pivots.
  void factor_columns(int64_t begin, int64_t end, int64_t last) {
    const cpu::ScratchScope scope;
    const int64_t pivots = end - begin, count = last - begin, height = rows - begin;
    const Rows<T> panel = zero_rows<T>(count, height);
    transpose_into<T>({a[begin] + begin, a.stride}, height, count, panel);
    for (int64_t k = 0; k < pivots; ++k) {
      eliminate_before(panel, panel[k], k);
      const int64_t pivot = largest_element(panel[k], k, height);
      exchanges[begin + k] = int32_t(begin + pivot);
      odd ^= pivot != k;
      for (int64_t j = 0; pivot != k && j < count; ++j) std::swap(panel[j][k], panel[j][pivot]);
      if (panel[k][k] != T(0))
        divide(panel[k], k + 1, height, panel[k][k]);
      else if (zero_pivot < 0)
        zero_pivot = int(begin + k);
    }
    for (int64_t j = pivots; j < count; ++j) eliminate_before(panel, panel[j], pivots);
    transpose_into<T>({panel.data, panel.stride}, count, height, a.from(begin, begin));
  }
  /// column -= the product of the first k columns and its elements of U.
  static void eliminate_before(Rows<T> panel, T* column, int64_t k) {
    for (int64_t j = 0; j < k; ++j)
      for (int64_t i = j + 1; i < k; ++i) column[i] -= panel[j][i] * column[j];
    T above[kStep];
    std::copy_n(column, k, above);
    const int64_t from = round_down<T>(k);
    subtract_rows(k, panel.stride - from, panel.from(0, from), above, column + from);
    std::copy(above + from, above + k, column + from);
  }
  static void divide(T* x, int64_t begin, int64_t end, T divisor) {
    const T inverse = T(1) / divisor;
    if (!(std::abs(inverse) <= std::numeric_limits<T>::max())) {
      for (int64_t i = begin; i < end; ++i) x[i] /= divisor;
      return;
    }
    const int64_t aligned = std::min(end, round_up<T>(begin));
    for (int64_t i = begin; i < aligned; ++i) x[i] *= inverse;
    if (aligned < end) scale(round_up<T>(end) - aligned, inverse, x + aligned);
  }
  /// Of what is left and right of the columns from `begin` to `next`.
  void exchange_beside(int64_t k, int64_t begin, int64_t next) const {
    T *row = a[k], *other = a[exchanges[k]];
    if (row == other) return;
    std::swap_ranges(row, row + begin, other);
    if (next < a.stride) std::swap_ranges(row + next, row + a.stride, other + next);
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
      for (int64_t c = 0; c < width; ++c) b[i * width + c] /= lu.a[i][i];
    }
  }

 private:
  static void subtract(T factor, const T* x, T* y, int64_t width) {
    for (int64_t c = 0; c < width; ++c) y[c] -= factor * x[c];
  }
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
