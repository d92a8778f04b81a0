// LU factorization with row exchanges, triangular systems, and Cholesky factorization: by
// blocks of rows, with products of matrices for what is right and below of them (Golub & Van
// Loan, 3.1.5, 3.2.11, 3.4 and 4.2.6, in forms that go along rows).
#include <numeric>

#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/lu.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

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

/// The order of the first leading minor that is not positive, or 0.
template <class T>
int small_cholesky(const T* a, int64_t n, bool upper, T* factor) {
  std::fill_n(factor, n * n, T(0));
  const int64_t row = upper ? 1 : n, column = upper ? n : 1;  // of L, in `factor` and in `a`
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T rest = a[i * row + j * column];
      for (int64_t k = 0; k < j; ++k)
        rest -= factor[i * row + k * column] * conjugate(factor[j * row + k * column]);
      if (i == j && !(real_part(rest) > 0)) return int(i) + 1;
      factor[i * row + j * column] =
          i == j ? T(std::sqrt(real_part(rest))) : rest / real_part(factor[j * row + j * column]);
    }
  return 0;
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
  if (std::max(rows, columns) <= kSmall) {
    std::copy_n(a, rows * columns, factors);
    Lu<T> small{{factors, columns}, rows, columns, exchanges};
    small.factor();
    return small.zero_pivot;
  }
  const cpu::ScratchScope scope;
  const Lu<T> lu = factored(a, rows, columns, exchanges);
  copy_back(lu.a, rows, columns, factors);
  return lu.zero_pivot;
}

template <class T>
int solve(const T* a, int64_t n, const T* b, int64_t width, T* x) {
  if (std::max(n, width) <= kSmall) {
    const SmallLu<T> small(a, n);
    std::copy_n(b, n * width, x);
    small.solve(x, width);
    return small.lu.zero_pivot;
  }
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
  if (n <= kSmall) {
    const SmallLu<T> small(a, n);
    std::fill_n(x, n * n, T(0));
    for (int64_t k = 0; k < n; ++k) x[k * (n + 1)] = T(1);
    small.solve(x, n);
    return small.lu.zero_pivot;
  }
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
  if (n <= kSmall) {
    const SmallLu<T> small(a, n);
    for (int64_t k = 0; k < n; ++k) diagonal[k] = small.lu.a[k][k];
    return small.lu.odd;
  }
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

/// By the rows of U, of A = U^H U.
template <class T>
int cholesky(const T* a, int64_t n, bool upper, T* factor) {
  if (n <= kSmall) return small_cholesky(a, n, upper, factor);
  const cpu::ScratchScope scope;
  const Rows<T> u = zero_rows<T>(n, n);
  if (upper)
    copy_padded(a, n, n, u);
  else
    adjoin_into<T>({a, n}, n, n, u);
  int bad_minor = 0;
  for (int64_t begin = 0; begin < n && bad_minor == 0; begin += kStep) {
    const int64_t end = std::min(n, begin + kStep);
    for (int64_t i = begin; i < end; ++i) {
      T above[kStep];
      for (int64_t j = begin; j < i; ++j) above[j - begin] = conjugate(u[j][i]);
      const int64_t from = round_down<T>(i);
      subtract_rows(i - begin, u.stride - from, u.from(begin, from), above, u[i] + from);
      const Real<T> pivot = real_part(u[i][i]);
      if (!(pivot > 0)) {
        bad_minor = int(i) + 1;
        break;
      }
      u[i][i] = T(pivot);
      scale(u.stride - from, T(1 / std::sqrt(pivot)), u[i] + from);
    }
    if (bad_minor != 0 || end == n) break;
    const cpu::ScratchScope inner_scope;
    const Rows<T> left = conjugated(end - begin, Rows<T>{u[begin], u.stride});
    constexpr int64_t kChunk = 2 * kStep;  // of rows: what is left of the diagonal is not needed
    for (int64_t r = end; r < n; r += kChunk)
      subtract_product(std::min(kChunk, n - r), u.stride - r, end - begin, transposed(left.from(0, r)),
                       plain(u.from(begin, r)), u.from(r, r));
  }
  for (int64_t i = 0; i < n; ++i) std::fill_n(u[i], i, T(0));
  if (upper)
    copy_back(u, n, n, factor);
  else
    adjoin_into<T>(read(u), n, n, {factor, n});
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
FRAMEJIT_INSTANTIATE(std::complex<float>)
FRAMEJIT_INSTANTIATE(std::complex<double>)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
