// Eigenvalues and eigenvectors of real square matrices: from the Schur form Q^T A Q = S, eigenvectors of S by
// back substitution, which Q turns into those of A (Golub & Van Loan, 7.6.4).
#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/schur.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

/// The eigenvectors of a Schur form, as rows; for a pair of eigenvalues, real and imaginary parts of that of
/// the first.
template <class T>
class BackSubstitution {
 public:
  using Complex = std::complex<T>;

  BackSubstitution(Rows<T> s, const std::vector<Complex>& values, int64_t n, Rows<T> vectors)
      : s_(s), values_(values), x_(vectors) {
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = std::max<int64_t>(0, r - 1); c < n; ++c) norm_ = std::max(norm_, std::abs(s[r][c]));
    for (int64_t j = n - 1; j >= 0; --j)
      if (values[size_t(j)].imag() < 0)
        --j, of_pair(j);
      else
        substitute(j, j, j - 1);
  }

 private:
  /// x = (s01, value - s00), or a multiple where s01 is smaller than s10.
  void of_pair(int64_t j) {
    const Complex value = values_[size_t(j)];
    const T b = s_[j][j + 1], c = s_[j + 1][j];
    if (std::abs(b) >= std::abs(c))
      set(j, j + 1, j, Complex(1)), set(j, j + 1, j + 1, (value - s_[j][j]) / b);
    else
      set(j, j + 1, j, (value - s_[j + 1][j + 1]) / c), set(j, j + 1, j + 1, Complex(1));
    substitute(j, j + 1, j - 1);
  }

  /// Elements `row` and before of the vector whose parts are rows `re` and `im` (the same: it is real).
  void substitute(int64_t re, int64_t im, int64_t row) {
    if (re == im) x_[re][re] = T(1);
    const Complex value = values_[size_t(re)];
    for (int64_t i = row; i >= 0; --i) {
      if (i > 0 && values_[size_t(i)].imag() < 0) {
        of_block(re, im, i - 1, value);
        --i;
      } else {
        set(re, im, i, divided(-rest(re, im, i, i + 1), s_[i][i] - value));
      }
      limit(re, im, i);
    }
  }
  /// Two rows that have to be solved for together, by elimination of the one with the larger pivot.
  void of_block(int64_t re, int64_t im, int64_t i, Complex value) {
    const Complex first = -rest(re, im, i, i + 2), second = -rest(re, im, i + 1, i + 2);
    const Complex a = s_[i][i] - value, d = s_[i + 1][i + 1] - value;
    const T b = s_[i][i + 1], c = s_[i + 1][i];
    Complex x, y;
    if (std::abs(a) > std::abs(c)) {
      const Complex factor = c / a;
      y = divided(second - factor * first, d - factor * b);
      x = (first - b * y) / a;
    } else {
      const Complex factor = a / c;
      y = divided(first - factor * second, b - factor * d);
      x = (second - d * y) / c;
    }
    set(re, im, i, x), set(re, im, i + 1, y);
  }

  /// Row i of S, from column `begin` on, times the vector so far, which is zero before.
  Complex rest(int64_t re, int64_t im, int64_t i, int64_t begin) const {
    const int64_t from = round_down<T>(begin), length = round_up<T>(im + 1) - from;
    const T real = inner(length, s_[i] + from, x_[re] + from);
    return {real, re == im ? T(0) : inner(length, s_[i] + from, x_[im] + from)};
  }
  void set(int64_t re, int64_t im, int64_t i, Complex value) {
    x_[re][i] = value.real();
    if (re != im) x_[im][i] = value.imag();
  }
  /// Eigenvalues that are equal: a divisor that is as good as zero gives a large vector, which is one too.
  Complex divided(Complex x, Complex divisor) const {
    const T least = std::max(std::numeric_limits<T>::epsilon() * norm_, std::numeric_limits<T>::min());
    return x / (std::abs(divisor) < least ? Complex(least) : divisor);
  }
  /// Keeps the vector from overflowing.
  void limit(int64_t re, int64_t im, int64_t i) {
    const T size = std::max(std::abs(x_[re][i]), std::abs(x_[im][i]));
    if (std::numeric_limits<T>::epsilon() * size * size <= 1) return;
    const int64_t from = round_down<T>(i), length = round_up<T>(im + 1) - from;
    scale(length, 1 / size, x_[re] + from);
    if (re != im) scale(length, 1 / size, x_[im] + from);
  }

  Rows<T> s_;
  const std::vector<Complex>& values_;
  Rows<T> x_;
  T norm_ = 0;
};

/// Column `j` of `v` (and j + 1, of the conjugate) = the vector of these parts, of length 1, its largest
/// element real.
template <class T>
void store_vector(const T* re, const T* im, int64_t n, int64_t j, std::complex<T>* v) {
  double squares = 0, most = -1;
  std::complex<double> largest = 1;
  for (int64_t i = 0; i < n; ++i) {
    const std::complex<double> x(double(re[i]), im ? double(im[i]) : 0);
    const double square = x.real() * x.real() + x.imag() * x.imag();
    squares += square;
    if (square > most) most = square, largest = x;
  }
  const double length = std::sqrt(squares);
  const std::complex<double> turn = im ? std::conj(largest) / (std::abs(largest) * length) : 1 / length;
  for (int64_t i = 0; i < n; ++i) {
    const double x = double(re[i]), y = im ? double(im[i]) : 0;
    std::complex<T>* row = v + i * n + j;
    row[0] = {T(x * turn.real() - y * turn.imag()), T(x * turn.imag() + y * turn.real())};
    if (im) row[1] = std::conj(row[0]);
  }
}

}  // namespace

template <class T>
bool eig(const T* a, int64_t n, std::complex<T>* values, std::complex<T>* vectors) {
  const cpu::ScratchScope scope;
  const Rows<T> work = take_rows<T>(n, n);
  copy_padded(a, n, n, work);
  const int exponent = exponent_of_largest(work.data, n * work.stride);
  scale_by_exponent(work.data, n * work.stride, -exponent);
  Rows<T> q{};
  if (vectors) q = zero_rows<T>(n, n);
  const Schur<T> schur(work, n, vectors ? &q : nullptr);
  if (!schur.converged) return false;
  for (int64_t i = 0; i < n; ++i)
    values[i] = {std::ldexp(schur.values[size_t(i)].real(), exponent),
                 std::ldexp(schur.values[size_t(i)].imag(), exponent)};
  if (!vectors) return true;

  const Rows<T> of_s = zero_rows<T>(n, n), of_a = take_rows<T>(n, n);
  BackSubstitution<T>(work, schur.values, n, of_s);
  multiply(n, n, n, plain(of_s), plain(q), of_a);
  for (int64_t j = 0; j < n; ++j) {
    const bool pair = schur.values[size_t(j)].imag() > 0;
    store_vector<T>(of_a[j], pair ? of_a[j + 1] : nullptr, n, j, vectors);
    if (pair) ++j;
  }
  return true;
}

template bool eig<float>(const float*, int64_t, std::complex<float>*, std::complex<float>*);
template bool eig<double>(const double*, int64_t, std::complex<double>*, std::complex<double>*);

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
