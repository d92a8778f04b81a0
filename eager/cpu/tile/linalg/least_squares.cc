// Least squares by a QR factorization with exchanges of columns, whose leading part of full rank gives the solution of
// least norm (Golub & Van Loan, 5.4.2 and 5.5.6). The rank comes from estimates of the extreme singular values of
// leading triangles, column by column (Bischof, SIAM J. Matrix Anal. Appl. 11, 1990), as in LAPACK's xGELSY.
#include <numeric>
#include <optional>
#include <tuple>

#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/orthogonal.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

/// A P = Q R, the column with the most left of it next.
template <class T>
struct Pivoted {
  Rows<T> columns;  ///< those of R, in the order of P, then those of Q^H B, as rows
  int64_t rows, count, steps;
  int64_t* order;  ///< which columns of A they are

  /// Overwrites the rows of `given`: `count` columns of A, then `right` ones of B, of `rows` elements.
  Pivoted(Rows<T> given, int64_t rows, int64_t count, int64_t right)
      : columns(given), rows(rows), count(count), steps(std::min(rows, count)) {
    cpu::Scratch& scratch = cpu::Scratch::of_thread();
    order = scratch.take_array<int64_t>(count);
    std::iota(order, order + count, 0);
    left_ = scratch.take_array<Real<T>>(count), known_ = scratch.take_array<Real<T>>(count);
    for (int64_t j = 0; j < count; ++j) left_[j] = known_[j] = squares_from(j, 0);
    T* v = zero_rows<T>(1, rows)[0];
    for (int64_t k = 0; k < steps; ++k) {
      bring_forward(k, std::max_element(left_ + k, left_ + count) - left_);
      T* column = columns[k];
      std::fill(v + round_down<T>(k), v + k, T(0));
      std::copy(column + k, column + columns.stride, v + k);
      const Reflection<T> reflection = reflect(v, k, columns.stride);
      std::fill(column + k, column + columns.stride, T(0));
      column[k] = reflection.beta;
      apply_reflection(v, conjugate(reflection.tau), k, columns.stride, count + right - k - 1,
                       columns.from(k + 1, 0));
      for (int64_t j = k + 1; j < count; ++j) take_off(j, k);
    }
  }

 private:
  void bring_forward(int64_t k, int64_t best) {
    if (best == k) return;
    std::swap_ranges(columns[k], columns[k] + columns.stride, columns[best]);
    std::swap(order[k], order[best]);
    left_[best] = left_[k], known_[best] = known_[k];
  }
  /// Element k is done. A difference that has lost its bits is computed anew.
  void take_off(int64_t j, int64_t k) {
    left_[j] -= Eigen::numext::abs2(columns[j][k]);
    if (!(left_[j] > known_[j] / 64)) left_[j] = known_[j] = squares_from(j, k + 1);
  }
  Real<T> squares_from(int64_t j, int64_t first) const {
    const T* column = columns[j];
    const int64_t aligned = std::min(round_up<T>(first), columns.stride);
    Real<T> sum = real_part(inner(columns.stride - aligned, column + aligned, column + aligned));
    for (int64_t i = first; i < aligned; ++i) sum += Eigen::numext::abs2(column[i]);
    return sum;
  }

  Real<T>*left_, *known_;  ///< squares of what is left of the columns; and as last computed
};

/// An estimate of an extreme singular value of a triangle, and the vector x of length 1 for which it is |x^H R|.
template <class T>
class Estimate {
 public:
  Estimate(bool largest, int64_t n, Real<T> first)
      : value(double(first)), largest_(largest), x_(zero_rows<T>(1, n)[0]) {
    x_[0] = T(1);
  }
  double value;

  /// For one more column, of k elements and `diagonal`; kept where it is `accept`ed.
  void try_column(const T* column, int64_t k, double diagonal) {
    const std::complex<double> alpha = std::complex<double>(inner(round_up<T>(k), x_, column));
    // The eigenvalues of diag(value^2, 0) + u u^H, u = (alpha, diagonal).
    const double first = value * value + std::norm(alpha), second = diagonal * diagonal;
    const double half = (first - second) / 2, root = std::sqrt(half * half + std::norm(alpha) * second);
    const double most = (first + second) / 2 + root;
    std::complex<double> s = half >= 0 ? half + root : alpha * diagonal,
                         c = half >= 0 ? std::conj(alpha) * diagonal : root - half;
    const double length = std::sqrt(std::norm(s) + std::norm(c));
    if (length > 0) s /= length, c /= length;
    if (!(length > 0)) s = 1, c = 0;
    if (!largest_) std::tie(s, c) = std::pair(-std::conj(c), std::conj(s));
    next_ = largest_ ? std::sqrt(most) : most > 0 ? value * std::abs(diagonal) / std::sqrt(most) : 0;
    s_ = narrow(s), c_ = narrow(c);
  }
  double tried() const { return next_; }
  void accept(int64_t k) {
    value = next_;
    scale(round_up<T>(k), s_, x_);
    x_[k] = c_;
  }

 private:
  static T narrow(std::complex<double> x) {
    if constexpr (kIsComplex<T>)
      return T(x);
    else
      return T(x.real());
  }

  bool largest_;
  T* x_;
  double next_ = 0;
  T s_{}, c_{};
};

/// Columns of R whose triangle has singular values within a factor of 1 / `rcond`.
template <class T>
int64_t rank_of(const Pivoted<T>& factors, double rcond) {
  const Rows<T> columns = factors.columns;
  if (factors.steps == 0 || columns[0][0] == T(0)) return 0;
  Estimate<T> largest(true, factors.steps, std::abs(columns[0][0])),
      smallest(false, factors.steps, std::abs(columns[0][0]));
  for (int64_t k = 1; k < factors.steps; ++k) {
    const double diagonal = double(real_part(columns[k][k]));
    largest.try_column(columns[k], k, diagonal);
    smallest.try_column(columns[k], k, diagonal);
    if (!(largest.tried() * rcond <= smallest.tried())) return k;
    largest.accept(k), smallest.accept(k);
  }
  return factors.steps;
}

/// The x of least norm with R x = y, R the first rows of a triangle of full rank; by R^H = Q S.
template <class T>
class Underdetermined {
 public:
  Underdetermined(const Pivoted<T>& factors, int64_t rank)
      : rank_(rank), qr_(adjoint(factors, rank), factors.count, rank) {}

  /// `x` has y in front, zeros behind.
  void solve(Rows<T> x) const {
    for (int64_t i = 0; i < rank_; ++i) {
      T rest = x[0][i];
      for (int64_t j = 0; j < i; ++j) rest -= conjugate(qr_.r(j, i)) * x[0][j];
      x[0][i] = rest / conjugate(qr_.r(i, i));
    }
    for (int64_t k = rank_ - 1; k >= 0; --k) apply_reflection(qr_.vector(k), qr_.tau(k), k, x.stride, 1, x);
  }

 private:
  static Rows<T> adjoint(const Pivoted<T>& factors, int64_t rank) {
    const Rows<T> rows = zero_rows<T>(rank, factors.count);
    for (int64_t i = 0; i < rank; ++i)
      for (int64_t j = i; j < factors.count; ++j) rows[i][j] = conjugate(factors.columns[j][i]);
    return rows;
  }

  int64_t rank_;
  Qr<T> qr_;
};

/// Solves for a triangle whose columns are rows; the solution takes the place of `y`.
template <class T>
void solve_by_columns(Rows<T> columns, int64_t n, T* y) {
  for (int64_t j = n - 1; j >= 0; --j) {
    const T x = y[j] / columns[j][j];
    add_scaled(round_up<T>(j), -x, columns[j], y);  // zeros below the diagonal: what is solved stays
    y[j] = x;
  }
}

}  // namespace

template <class T>
int64_t least_squares(const T* a, int64_t rows, int64_t columns, const T* b, int64_t width, double rcond,
                      T* x) {
  const cpu::ScratchScope scope;
  const Rows<T> work = zero_rows<T>(columns + width, rows);
  transpose_into<T>({a, columns}, rows, columns, work);
  transpose_into<T>({b, width}, rows, width, work.from(columns, 0));
  const int64_t count = columns * work.stride * kParts<T>;
  const int exponent = exponent_of_largest(parts(work.data), count);
  scale_by_exponent(parts(work.data), count, -exponent);
  const Pivoted<T> factors(work, rows, columns, width);
  const int64_t rank = rank_of(factors, rcond);
  const Rows<T> solution = zero_rows<T>(width, columns);
  std::optional<Underdetermined<T>> rest;
  if (rank > 0 && rank < columns) rest.emplace(factors, rank);
  for (int64_t c = 0; c < width; ++c) {
    T* to = solution[c];
    std::copy_n(work[columns + c], rank, to);
    if (rest)
      rest->solve(solution.from(c, 0));
    else
      solve_by_columns(work, rank, to);
    for (int64_t j = 0; j < columns; ++j) x[factors.order[j] * width + c] = to[j];
  }
  scale_by_exponent(parts(x), columns * width * kParts<T>, -exponent);
  return rank;
}

#define FRAMEJIT_INSTANTIATE(T) \
  template int64_t least_squares<T>(const T*, int64_t, int64_t, const T*, int64_t, double, T*);
FRAMEJIT_INSTANTIATE(float)
FRAMEJIT_INSTANTIATE(double)
FRAMEJIT_INSTANTIATE(std::complex<float>)
FRAMEJIT_INSTANTIATE(std::complex<double>)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
