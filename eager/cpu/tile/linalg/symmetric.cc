// Eigenvalues and eigenvectors of symmetric (Hermitian) matrices: reduction to tridiagonal form, implicit QL steps.
#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/reflections.h"
#include "eager/cpu/tile/linalg/tridiagonal.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

/// Q^H A Q = the tridiagonal `result`. Q is a product of reflections.
template <class T>
class Reduction {
 public:
  Tridiagonal result;

  /// Overwrites `a`, the columns of A as rows.
  Reduction(Rows<T> a, int64_t n)
      : result(n), a_(a), n_(n), v_(zero_rows<T>(n, n)), taus_(cpu::Scratch::of_thread().take_array<T>(n)) {
    const cpu::ScratchScope scope;
    panel_ = take_rows<T>(kReflections, n);
    for (int64_t begin = 0; begin < n - 1; begin += kReflections) {
      const int64_t end = std::min(n - 1, begin + kReflections);
      std::fill_n(panel_.data, (end - begin) * panel_.stride, T(0));
      for (int64_t k = begin; k < end; ++k) reduce(k, begin);
      update(begin, end);
    }
    result.diagonal[n - 1] = double(real_part(a[n - 1][n - 1]));
  }
  /// The rows of Q^T.
  void form(Rows<T> q) const { product_of_reflections(n_ - 1, v_, taus_, 1, n_, q); }

 private:
  /// Column k, within the panel that begins at column `begin`. The columns stay as they are there: conj(A) - V^H W -
  /// W^H V is meant, with W of the panel's columns so far (Dongarra, Hammarling and Sorensen, LAPACK Working
  /// Note 2, 1987).
  void reduce(int64_t k, int64_t begin) {
    T* row = a_[k];
    const int64_t done = k - begin, from = round_down<T>(k), length = a_.stride - from;
    const Rows<T> v = v_.from(begin, from), w = panel_.from(0, from);
    T of_v[kReflections], of_w[kReflections];
    update_row(k, from, begin, done);
    result.diagonal[k] = double(real_part(row[k]));

    T *vector = v_[k], *product = panel_[done];
    std::copy(row + k + 1, row + n_, vector + k + 1);
    const Reflection<T> reflection = reflect(vector, k + 1, v_.stride);
    result.beside[k] = double(reflection.beta);
    taus_[k] = reflection.tau;

    // w = x - tau / 2 (x^H v) v of x = tau A v
    vector += from, product += from;
    inner_rows(n_ - k - 1, length, a_.from(k + 1, from), vector, panel_[done] + k + 1);
    inner_rows(done, length, v, vector, of_v);
    inner_rows(done, length, w, vector, of_w);
    for (int64_t i = 0; i < done; ++i) of_v[i] = -of_v[i], of_w[i] = -of_w[i];
    add_rows(done, length, v, of_w, product);
    add_rows(done, length, w, of_v, product);
    std::fill(panel_[done], panel_[done] + k + 1, T(0));
    scale(length, reflection.tau, product);
    add_scaled(length, -reflection.tau / Real<T>(2) * inner(length, product, vector), vector, product);
  }

  /// Of conj(A) -= V^H W + W^H V one row, of elements beginning with `from`.
  void update_row(int64_t row, int64_t from, int64_t begin, int64_t count) {
    T of_v[kReflections], of_w[kReflections];
    for (int64_t i = 0; i < count; ++i)
      of_v[i] = -conjugate(v_[begin + i][row]), of_w[i] = -conjugate(panel_[i][row]);
    add_rows(count, a_.stride - from, v_.from(begin, from), of_w, a_[row] + from);
    add_rows(count, a_.stride - from, panel_.from(0, from), of_v, a_[row] + from);
  }

  /// That of what is below and right of a panel: one product, of (V, W) and (W, V).
  void update(int64_t begin, int64_t end) {
    const int64_t side = n_ - end, count = end - begin;
    if (side <= kFewRows) {
      for (int64_t row = end; row < n_; ++row) update_row(row, round_down<T>(end), begin, count);
      return;
    }
    const cpu::ScratchScope scope;
    const Rows<T> left = take_rows<T>(2 * count, side), right = take_rows<T>(2 * count, side);
    for (int64_t i = 0; i < count; ++i) {
      const T *v = v_[begin + i] + end, *w = panel_[i] + end;
      std::copy_n(v, side, left[i]), std::copy_n(w, side, left[count + i]);
      std::copy_n(w, side, right[i]), std::copy_n(v, side, right[count + i]);
      conjugate_all(left[i], side), conjugate_all(left[count + i], side);
    }
    subtract_product(side, side, 2 * count, transposed(left), plain(right), a_.from(end, end));
  }

  Rows<T> a_;
  int64_t n_;
  Rows<T> v_, panel_;
  T* taus_;
};

}  // namespace

/// Ascending eigenvalues; where `vectors`, `a` gets eigenvectors as columns, else it is left alone.
template <class T>
bool eigh(T* a, int64_t n, bool vectors, Real<T>* values) {
  const cpu::ScratchScope scope;
  const Rows<T> work = take_rows<T>(n, n);
  copy_padded(a, n, n, work);
  conjugate_all(work.data, n * work.stride);
  const int64_t count = n * work.stride * kParts<T>;
  const int exponent = exponent_of_largest(parts(work.data), count);
  scale_by_exponent(parts(work.data), count, -exponent);
  Reduction<T> reduction(work, n);
  double* found = reduction.result.diagonal;
  if (vectors) reduction.form(work);
  Rotations<Real<T>> rotations(parts(work), vectors ? parts(work).stride : 0);
  if (!diagonalize(reduction.result, rotations)) return false;
  if (vectors) rows_to_columns(work, ascending(found, n), n, a);
  std::sort(found, found + n);
  for (int64_t i = 0; i < n; ++i) values[i] = Real<T>(std::ldexp(found[i], exponent));
  return true;
}

#define FRAMEJIT_INSTANTIATE(T) template bool eigh<T>(T*, int64_t, bool, Real<T>*);
FRAMEJIT_INSTANTIATE(float)
FRAMEJIT_INSTANTIATE(double)
FRAMEJIT_INSTANTIATE(std::complex<float>)
FRAMEJIT_INSTANTIATE(std::complex<double>)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
