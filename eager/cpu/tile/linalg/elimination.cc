// LU factorization with row exchanges, triangular systems, and Cholesky factorization, of real matrices: by
// blocks of rows, with products of matrices for what is right and below of them (Golub & Van
// Loan, 3.1.5, 3.2.11, 3.4 and 4.2.6, in forms that go along rows).
#include <numeric>

#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

constexpr int64_t kStep = 32;  ///< rows of a block: whole vectors of any instruction set

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
    if (std::max(rows, columns) <= 8) return factor_small(side);
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

/// Overwrites the rows of B by L^-1 B. Where `of_identity`, B is square and nothing is above its diagonal.
template <class T>
void solve_lower(Rows<const T> l, int64_t n, bool unit, Rows<T> b, int64_t width, bool of_identity = false) {
  const Rows<T> factors{const_cast<T*>(l.data), l.stride};
  for (int64_t begin = 0; begin < n; begin += kStep) {
    const int64_t end = std::min(n, begin + kStep), used = round_up<T>(of_identity ? end : width);
    for (int64_t i = begin; i < end; ++i) {
      subtract_rows(i - begin, used, b.from(begin, 0), l[i] + begin, b[i]);
      if (!unit) scale(used, T(1) / l[i][i], b[i]);
    }
    if (end < n)
      subtract_product(n - end, used, end - begin, plain(factors.from(end, begin)), plain(b.from(begin, 0)),
                       b.from(end, 0));
  }
}
/// Overwrites the rows of B by U^-1 B.
template <class T>
void solve_upper(Rows<const T> u, int64_t n, bool unit, Rows<T> b, int64_t width) {
  const Rows<T> factors{const_cast<T*>(u.data), u.stride};
  width = round_up<T>(width);
  for (int64_t begin = (n - 1) / kStep * kStep; begin >= 0; begin -= kStep) {
    const int64_t end = std::min(n, begin + kStep);
    for (int64_t i = end - 1; i >= begin; --i) {
      subtract_rows(end - i - 1, width, b.from(i + 1, 0), u[i] + i + 1, b[i]);
      if (!unit) scale(width, T(1) / u[i][i], b[i]);
    }
    subtract_product(begin, width, end - begin, plain(factors.from(0, begin)), plain(b.from(begin, 0)), b);
  }
}

template <class T>
void copy_back(Rows<T> from, int64_t rows, int64_t columns, T* to) {
  for (int64_t r = 0; r < rows; ++r) std::copy_n(from[r], columns, to + r * columns);
}
template <class T>
Rows<T> padded_copy(const T* from, int64_t rows, int64_t columns) {
  const Rows<T> copy = take_rows<T>(rows, columns);
  copy_padded(from, rows, columns, copy);
  return copy;
}
template <class T>
Lu<T> factored(const T* a, int64_t rows, int64_t columns, int32_t* exchanges) {
  Lu<T> lu{padded_copy(a, rows, columns), rows, columns, exchanges};
  lu.factor();
  return lu;
}
template <class T>
Rows<const T> read(Rows<T> rows) {
  return {rows.data, rows.stride};
}

}  // namespace

template <class T>
int lu(const T* a, int64_t rows, int64_t columns, T* factors, int32_t* exchanges) {
  const cpu::ScratchScope scope;
  const Lu<T> lu = factored(a, rows, columns, exchanges);
  copy_back(lu.a, rows, columns, factors);
  return lu.zero_pivot;
}

template <class T>
int solve(const T* a, int64_t n, const T* b, int64_t width, T* x) {
  const cpu::ScratchScope scope;
  int32_t* exchanges = cpu::Scratch::of_thread().take_array<int32_t>(n);
  const Lu<T> lu = factored(a, n, n, exchanges);
  const Rows<T> solution = padded_copy(b, n, width);
  for (int64_t k = 0; k < n; ++k)
    if (exchanges[k] != k)
      std::swap_ranges(solution[k], solution[k] + solution.stride, solution[exchanges[k]]);
  solve_lower(read(lu.a), n, /*unit=*/true, solution, width);
  solve_upper(read(lu.a), n, /*unit=*/false, solution, width);
  copy_back(solution, n, width, x);
  return lu.zero_pivot;
}

template <class T>
int inverse(const T* a, int64_t n, T* x) {
  const cpu::ScratchScope scope;
  int32_t* exchanges = cpu::Scratch::of_thread().take_array<int32_t>(2 * n);
  const Lu<T> lu = factored(a, n, n, exchanges);
  const Rows<T> solution = zero_rows<T>(n, n);
  for (int64_t k = 0; k < n; ++k) solution[k][k] = T(1);
  solve_lower(read(lu.a), n, /*unit=*/true, solution, n, /*of_identity=*/true);
  solve_upper(read(lu.a), n, /*unit=*/false, solution, n);
  // U^-1 L^-1 P: the columns go where the rows came from.
  int32_t* column = exchanges + n;
  std::iota(column, column + n, 0);
  for (int64_t k = 0; k < n; ++k) std::swap(column[k], column[exchanges[k]]);
  for (int64_t r = 0; r < n; ++r)
    for (int64_t k = 0; k < n; ++k) x[r * n + column[k]] = solution[r][k];
  return lu.zero_pivot;
}

template <class T>
bool determinant(const T* a, int64_t n, T* diagonal) {
  const cpu::ScratchScope scope;
  const Lu<T> lu = factored(a, n, n, cpu::Scratch::of_thread().take_array<int32_t>(n));
  for (int64_t k = 0; k < n; ++k) diagonal[k] = lu.a[k][k];
  return lu.odd;
}

template <class T>
void solve_triangular(const T* a, int64_t n, bool upper, bool unit, const T* b, int64_t width, T* x) {
  const cpu::ScratchScope scope;
  const Rows<T> solution = padded_copy(b, n, width);
  const Rows<const T> given{a, n};
  upper ? solve_upper(given, n, unit, solution, width) : solve_lower(given, n, unit, solution, width);
  copy_back(solution, n, width, x);
}

/// By the rows of U, of A = U^T U.
template <class T>
int cholesky(const T* a, int64_t n, bool upper, T* factor) {
  const cpu::ScratchScope scope;
  const Rows<T> u = zero_rows<T>(n, n);
  if (upper)
    copy_padded(a, n, n, u);
  else
    transpose_into<T>({a, n}, n, n, u);
  int bad_minor = 0;
  for (int64_t begin = 0; begin < n && bad_minor == 0; begin += kStep) {
    const int64_t end = std::min(n, begin + kStep);
    for (int64_t i = begin; i < end; ++i) {
      T above[kStep];
      for (int64_t j = begin; j < i; ++j) above[j - begin] = u[j][i];
      const int64_t from = round_down<T>(i);
      subtract_rows(i - begin, u.stride - from, u.from(begin, from), above, u[i] + from);
      const T pivot = u[i][i];
      if (!(pivot > T(0))) {
        bad_minor = int(i) + 1;
        break;
      }
      scale(u.stride - from, T(1) / std::sqrt(pivot), u[i] + from);
    }
    constexpr int64_t kChunk = 2 * kStep;  // of rows: what is left of the diagonal is not needed
    for (int64_t r = end; r < n && bad_minor == 0; r += kChunk)
      subtract_product(std::min(kChunk, n - r), u.stride - r, end - begin, transposed(u.from(begin, r)),
                       plain(u.from(begin, r)), u.from(r, r));
  }
  for (int64_t i = 0; i < n; ++i) std::fill_n(u[i], i, T(0));
  if (upper)
    copy_back(u, n, n, factor);
  else
    transpose_into<T>(read(u), n, n, {factor, n});
  return bad_minor;
}

#define FRAMEJIT_INSTANTIATE(T)                                                            \
  template int lu<T>(const T*, int64_t, int64_t, T*, int32_t*);                            \
  template int solve<T>(const T*, int64_t, const T*, int64_t, T*);                         \
  template int inverse<T>(const T*, int64_t, T*);                                          \
  template bool determinant<T>(const T*, int64_t, T*);                                     \
  template void solve_triangular<T>(const T*, int64_t, bool, bool, const T*, int64_t, T*); \
  template int cholesky<T>(const T*, int64_t, bool, T*);
FRAMEJIT_INSTANTIATE(float)
FRAMEJIT_INSTANTIATE(double)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
