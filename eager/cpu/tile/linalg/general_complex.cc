// Eigenvalues and eigenvectors of complex square matrices: from the Schur form Q^H A Q = S, eigenvectors of S by back
// substitution, which Q turns into those of A (Golub & Van Loan, 7.6.4).
#include "eager/cpu/tile/linalg/complex_schur.h"
#include "eager/cpu/tile/linalg/dense.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

/// Row j = the eigenvector of the upper triangular S for its j-th diagonal element.
template <class T>
void substitute_back(Rows<T> s, int64_t n, Rows<T> vectors) {
  using R = Real<T>;
  R norm = 0;
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = r; c < n; ++c) norm = std::max(norm, std::abs(s[r][c]));
  const R least = std::max(std::numeric_limits<R>::epsilon() * norm, std::numeric_limits<R>::min());
  for (int64_t j = 0; j < n; ++j) {
    T* x = vectors[j];
    x[j] = T(1);
    for (int64_t i = j - 1; i >= 0; --i) {
      const int64_t from = round_down<T>(i + 1), length = round_up<T>(j + 1) - from;
      T sum;  // the vector is zero up to i
      dot_rows(1, length, Rows<T>{s[i] + from, 0}, x + from, &sum);
      // Eigenvalues that are equal: a divisor that is as good as zero gives a large vector, which is one too.
      const T difference = s[i][i] - s[j][j];
      x[i] = -sum / (std::abs(difference) < least ? T(least) : difference);
      const R size = std::abs(x[i]);
      if (std::numeric_limits<R>::epsilon() * size * size > 1)
        scale(round_up<T>(j + 1) - round_down<T>(i), T(1 / size), x + round_down<T>(i));
    }
  }
}

/// Column `j` of `v` = the vector, of length 1, its largest element real.
template <class T>
void store_vector(const T* x, int64_t n, int64_t j, T* v) {
  double squares = 0, most = -1;
  std::complex<double> largest = 1;
  for (int64_t i = 0; i < n; ++i) {
    const std::complex<double> element(x[i]);
    const double square = std::norm(element);
    squares += square;
    if (square > most) most = square, largest = element;
  }
  const double length = std::sqrt(squares);
  const std::complex<double> turn = std::conj(largest) / (std::abs(largest) * length);
  for (int64_t i = 0; i < n; ++i) v[i * n + j] = T(std::complex<double>(x[i]) * turn);
}

}  // namespace

template <class T>
bool complex_eig(const T* a, int64_t n, T* values, T* vectors) {
  const cpu::ScratchScope scope;
  const Rows<T> work = take_rows<T>(n, n);
  copy_padded(a, n, n, work);
  const int64_t count = n * work.stride * kParts<T>;
  const int exponent = exponent_of_largest(parts(work.data), count);
  scale_by_exponent(parts(work.data), count, -exponent);
  Rows<T> q{};
  if (vectors) q = zero_rows<T>(n, n);
  if (!ComplexSchur<T>(work, n, vectors ? &q : nullptr).converged) return false;
  for (int64_t i = 0; i < n; ++i) values[i] = work[i][i];
  scale_by_exponent(parts(values), n * kParts<T>, exponent);
  if (!vectors) return true;

  const Rows<T> of_s = zero_rows<T>(n, n), of_a = take_rows<T>(n, n);
  substitute_back(work, n, of_s);
  multiply(n, n, n, plain(of_s), plain(q), of_a);
  for (int64_t j = 0; j < n; ++j) store_vector(of_a[j], n, j, vectors);
  return true;
}

#define FRAMEJIT_INSTANTIATE(T) template bool complex_eig<T>(const T*, int64_t, T*, T*);
FRAMEJIT_INSTANTIATE(std::complex<float>)
FRAMEJIT_INSTANTIATE(std::complex<double>)
#undef FRAMEJIT_INSTANTIATE

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
