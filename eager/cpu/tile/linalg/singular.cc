// Singular values and vectors: reduction to bidiagonal form, implicit QR steps.
#include <numeric>

#include "eager/cpu/tile/linalg/bidiagonal.h"
#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/orthogonal.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

/// P^H A Q = the bidiagonal `result`, real, of a matrix with at least as many rows as columns. P and Q are products
/// of reflections.
template <class T>
class Reduction {
 public:
  Bidiagonal result;

  /// Overwrites `a`.
  Reduction(Rows<T> a, int64_t rows, int64_t columns)
      : result(columns),
        a_(a),
        rows_(rows),
        columns_(columns),
        left_(zero_rows<T>(columns, rows)),
        right_(zero_rows<T>(columns, columns)),
        left_taus_(size_t(columns)),
        right_taus_(size_t(columns)) {
    const cpu::ScratchScope scope;
    x_ = take_rows<T>(kReflections, rows), y_ = take_rows<T>(kReflections, columns);
    for (int64_t begin = 0; begin < columns; begin += kReflections) {
      const int64_t end = std::min(columns, begin + kReflections);
      std::fill_n(x_.data, kReflections * x_.stride, T(0));
      std::fill_n(y_.data, kReflections * y_.stride, T(0));
      for (int64_t k = begin; k < end; ++k) {
        reduce_column(k, begin);
        if (k + 1 < columns) reduce_row(k, begin);
      }
      update(begin, end);
    }
  }
  /// `rows` rows of P^T, and all of Q^H.
  void form_left(int64_t rows, Rows<T> p) const {
    product_of_reflections(columns_, left_, left_taus_.data(), 0, rows, p);
  }
  void form_right(Rows<T> q) const {
    product_of_reflections(columns_ - 1, right_, right_taus_.data(), 1, columns_, q);
  }

 private:
  // Within a panel, A stays as it is: A - sum of v_i y_i^T - sum of x_i u_i^T is meant, where v and conj(u) are
  // the left and right reflections' vectors (Golub & Van Loan, 5.4.8; Dongarra, Hammarling and Sorensen, LAPACK
  // Working Note 2, 1987).

  /// sum -= the sums of a_i b_i[k] over the panel's reflections so far.
  static void subtract(int64_t count, int64_t length, Rows<T> a, Rows<T> b, int64_t k, T* sum) {
    T factors[kReflections];
    for (int64_t i = 0; i < count; ++i) factors[i] = -b[i][k];
    add_rows(count, length, a, factors, sum);
  }
  /// sum -= the sums of a_i times the product of b_i and conj(vector).
  static void project(int64_t count, int64_t length, Rows<T> a, int64_t vector_length, Rows<T> b,
                      const T* vector, T* sum) {
    T factors[kReflections];
    inner_rows(count, vector_length, b, vector, factors);
    for (int64_t i = 0; i < count; ++i) factors[i] = -conjugate(factors[i]);
    add_rows(count, length, a, factors, sum);
  }

  void reduce_column(int64_t k, int64_t begin) {
    const int64_t done = k - begin, row = round_down<T>(k), height = left_.stride - row,
                  column = round_down<T>(k), width = right_.stride - column;
    T* v = left_[k];
    for (int64_t r = k; r < rows_; ++r) v[r] = a_[r][k];
    subtract(done, height, left_.from(begin, row), y_, k, v + row);
    subtract(done, height, x_.from(0, row), right_.from(begin, 0), k, v + row);
    std::fill(v + row, v + k, T(0));
    const Reflection<T> reflection = reflect(v, k, left_.stride);
    result.diagonal[size_t(k)] = double(reflection.beta);
    left_taus_[size_t(k)] = reflection.tau;

    T* y = y_[done] + column;
    {
      const cpu::ScratchScope scope;
      const Rows<T> factors = conjugated(1, Rows<T>{v, left_.stride});
      add_rows(rows_ - k, width, a_.from(k, column), factors[0] + k, y);
    }
    project(done, width, y_.from(0, column), height, left_.from(begin, row), v + row, y);
    project(done, width, right_.from(begin, column), height, x_.from(0, row), v + row, y);
    scale(width, conjugate(reflection.tau), y);
    std::fill(y, y_[done] + k + 1, T(0));
  }

  void reduce_row(int64_t k, int64_t begin) {
    const int64_t done = k - begin, row = round_down<T>(k), height = left_.stride - row,
                  column = round_down<T>(k), width = right_.stride - column;
    T* u = right_[k];
    std::copy(a_[k] + k + 1, a_[k] + columns_, u + k + 1);
    subtract(done + 1, width, y_.from(0, column), left_.from(begin, 0), k, u + column);
    subtract(done, width, right_.from(begin, column), x_, k, u + column);
    std::fill(u + column, u + k + 1, T(0));
    const Reflection<T> reflection = reflect(u, k + 1, right_.stride);
    result.above[size_t(k)] = double(reflection.beta);
    right_taus_[size_t(k)] = reflection.tau;

    T* x = x_[done];
    inner_rows(rows_ - k - 1, width, a_.from(k + 1, column), u + column, x + k + 1);
    conjugate_all(x + k + 1, rows_ - k - 1);
    project(done + 1, height, left_.from(begin, row), width, y_.from(0, column), u + column, x + row);
    project(done, height, x_.from(0, row), width, right_.from(begin, column), u + column, x + row);
    scale(height, conjugate(reflection.tau), x + row);
    std::fill(x, x + k + 1, T(0));
  }

  /// A -= V^T Y + X^T U, below and right of a panel: one product, of (V, X) and (Y, U).
  void update(int64_t begin, int64_t end) {
    const int64_t height = rows_ - end, width = columns_ - end, count = end - begin;
    if (width <= 0) return;
    const cpu::ScratchScope scope;
    const Rows<T> left = take_rows<T>(2 * count, height), right = take_rows<T>(2 * count, width);
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(left_[begin + i] + end, height, left[i]);
      std::copy_n(x_[i] + end, height, left[count + i]);
      std::copy_n(y_[i] + end, width, right[i]);
      std::copy_n(right_[begin + i] + end, width, right[count + i]);
    }
    subtract_product(height, width, 2 * count, transposed(left), plain(right), a_.from(end, end));
  }

  Rows<T> a_;
  int64_t rows_, columns_;
  Rows<T> left_, right_, x_, y_;
  std::vector<T> left_taus_, right_taus_;
};

/// The decomposition of one matrix with at least as many rows as columns, before it is sorted.
template <class T>
struct Decomposed {
  Rows<T> left, right;  ///< singular vectors as rows
  std::vector<double> values;
  bool converged;
};

template <class T>
Decomposed<T> decompose(Rows<T> a, int64_t rows, int64_t columns, bool vectors, int64_t left_rows) {
  Decomposed<T> result;
  if (vectors) result.left = take_rows<T>(left_rows, rows), result.right = take_rows<T>(columns, columns);
  Reduction<T> reduction(a, rows, columns);
  if (vectors) {
    reduction.form_left(left_rows, result.left);
    reduction.form_right(result.right);
  }
  const auto rotations = [&](Rows<T> rows) {
    return Rotations<Real<T>>(parts(rows), vectors ? parts(rows).stride : 0);
  };
  Rotations<Real<T>> left = rotations(result.left), right = rotations(result.right);
  result.converged = diagonalize(reduction.result, left, right);
  result.values = std::move(reduction.result.diagonal);
  return result;
}

/// Of a tall matrix: A = Q R, and that of R.
template <class T>
Decomposed<T> decompose_tall(Rows<T> a, int64_t rows, int64_t columns, bool vectors, int64_t left_rows) {
  const Rows<T> transposed_a = zero_rows<T>(columns, rows);
  transpose_into<T>({a.data, a.stride}, rows, columns, transposed_a);
  const Qr<T> qr(transposed_a, rows, columns);
  const Rows<T> r = zero_rows<T>(columns, columns);
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = i; j < columns; ++j) r[i][j] = qr.r(i, j);
  Decomposed<T> result = decompose(r, columns, columns, vectors, columns);
  if (!vectors) return result;
  const Rows<T> q = take_rows<T>(left_rows, rows), left = take_rows<T>(left_rows, rows);
  qr.form(left_rows, q);
  std::copy_n(q.data, left_rows * q.stride, left.data);
  multiply(columns, rows, columns, plain(result.left), plain(q), left);
  result.left = left;
  return result;
}

/// Places of singular values, the largest first; further places, up to `count`, follow.
std::vector<int64_t> descending(const std::vector<double>& values, int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.begin() + int64_t(values.size()),
            [&](int64_t i, int64_t j) { return std::abs(values[size_t(i)]) > std::abs(values[size_t(j)]); });
  return order;
}

}  // namespace

template <class T>
bool svd(const T* a, int64_t rows, int64_t columns, bool vectors, bool full, T* u, Real<T>* s, T* vh) {
  const cpu::ScratchScope scope;
  const bool wide = columns > rows;  // then A^T = V S U^T is decomposed
  const int64_t height = wide ? columns : rows, width = wide ? rows : columns,
                left_rows = full ? height : width;
  const Rows<T> work = zero_rows<T>(height, width);
  const Rows<const T> given{a, columns};
  if (wide)
    transpose_into(given, rows, columns, work);
  else
    for (int64_t r = 0; r < rows; ++r) std::copy_n(given[r], columns, work[r]);
  const int64_t count = height * work.stride * kParts<T>;
  const int exponent = exponent_of_largest(parts(work.data), count);
  scale_by_exponent(parts(work.data), count, -exponent);
  const Decomposed<T> found = height > width * 8 / 5 ? decompose_tall(work, height, width, vectors, left_rows)
                                                     : decompose(work, height, width, vectors, left_rows);
  if (!found.converged) return false;

  const std::vector<int64_t> order = descending(found.values, left_rows);
  for (int64_t i = 0; i < width; ++i)
    s[i] = Real<T>(std::ldexp(std::abs(found.values[size_t(order[size_t(i)])]), exponent));
  if (!vectors) return true;
  for (int64_t i = 0; i < width; ++i)
    if (found.values[size_t(i)] < 0) scale(found.right.stride, T(-1), found.right[i]);
  const std::vector<int64_t> right_order(order.begin(), order.begin() + width);
  rows_to_columns(wide ? found.right : found.left, wide ? right_order : order, wide ? width : height, u);
  rows_to_rows(wide ? found.left : found.right, wide ? order : right_order, wide ? height : width, vh);
  return true;
}

#define FRAMEJIT_INSTANTIATE(T) \
  template bool svd<T>(const T*, int64_t, int64_t, bool, bool, T*, Real<T>*, T*);
FRAMEJIT_INSTANTIATE(float)
FRAMEJIT_INSTANTIATE(double)
FRAMEJIT_INSTANTIATE(std::complex<float>)
FRAMEJIT_INSTANTIATE(std::complex<double>)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
