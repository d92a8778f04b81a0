// The exponential of matrices: scaling, a Pade approximant, squarings (Higham, SIAM J. Matrix Anal. Appl. 26,
// 2005).
#include "eager/cpu/tile/linalg/dense.h"
#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

/// exp(x) is nearly p(x) / p(-x), with p of this degree, where the norm is not above `bound`.
struct Approximant {
  int degree;
  double bound;
};
template <class T>
constexpr Approximant kApproximants[3] = {
    {3, 0.4258730016922831}, {5, 1.880152677804762}, {7, 3.925724783138660}};
template <>
constexpr Approximant kApproximants<double>[3] = {
    {5, 0.2539398330063230}, {7, 0.9504178996162932}, {13, 5.371920351148152}};

template <class T>
class Exponential {
 public:
  Exponential(const T* a, int64_t n) : n_(n), count_(n * n) {
    for (T*& matrix : powers_) matrix = take();
    std::copy_n(a, count_, powers_[0]);
  }
  void store(T* result) {
    const double norm = largest_row_sum();
    if (!std::isfinite(norm))
      return void(std::fill_n(result, count_, T(std::numeric_limits<Real<T>>::quiet_NaN())));
    const Approximant* chosen = kApproximants<Real<T>>;
    while (norm > chosen->bound && chosen != kApproximants<Real<T>> + 2) ++chosen;
    const int squarings = norm > chosen->bound ? std::ilogb(norm / chosen->bound) + 1 : 0;
    for (int64_t i = 0; i < count_; ++i) powers_[0][i] *= std::ldexp(Real<T>(1), -squarings);
    T* scratch = take();
    approximate(chosen->degree, squarings % 2 == 0 ? result : scratch);
    T *square = result, *root = scratch;
    if (squarings % 2 == 0) std::swap(square, root);
    for (int i = 0; i < squarings; ++i, std::swap(square, root)) product(root, root, square);
  }

 private:
  T* take() const { return cpu::Scratch::of_thread().take_array<T>(count_); }
  void product(T* a, T* b, T* c) const {
    multiply<T>(n_, n_, n_, plain(Rows<T>{a, n_}), plain(Rows<T>{b, n_}), {c, n_});
  }
  double largest_row_sum() const {
    double largest = 0;
    for (int64_t r = 0; r < n_; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < n_; ++c) sum += double(std::abs(powers_[0][r * n_ + c]));
      if (!(sum <= largest)) largest = sum;
    }
    return largest;
  }

  /// The even terms of the polynomial, or the odd ones divided by A: from the powers of A^2.
  void half_of_polynomial(const double* factors, int degree, T* result) const {
    const T* powers[] = {powers_[1], powers_[2], powers_[3]};
    const auto combine = [&](const double* of_powers, int count, T* sum) {
      std::fill_n(sum, count_, T(0));
      for (int k = 0; k < count; ++k)
        for (int64_t i = 0; i < count_; ++i) sum[i] += Real<T>(of_powers[2 * k]) * powers[k][i];
    };
    const int count = degree / 2;
    if (count > 3) {  // A^6 times what has higher powers
      const cpu::ScratchScope scope;
      T *high = take(), *product_of_high = take();
      combine(factors + 8, count - 3, high);
      product(powers_[3], high, product_of_high);
      combine(factors + 2, 3, result);
      for (int64_t i = 0; i < count_; ++i) result[i] += product_of_high[i];
    } else {
      combine(factors + 2, count, result);
    }
    for (int64_t k = 0; k < n_; ++k) result[k * (n_ + 1)] += Real<T>(factors[0]);
  }

  void approximate(int degree, T* result) const {
    double factors[14] = {1};
    for (int j = 1; j <= degree; ++j)
      factors[j] = factors[j - 1] * (degree - j + 1) / ((2 * degree - j + 1) * double(j));
    product(powers_[0], powers_[0], powers_[1]);
    if (degree > 3) product(powers_[1], powers_[1], powers_[2]);
    if (degree > 5) product(powers_[2], powers_[1], powers_[3]);
    const cpu::ScratchScope scope;
    T *even = take(), *odd = take(), *quotient = take();
    half_of_polynomial(factors, degree, even);
    half_of_polynomial(factors + 1, degree, quotient);
    product(powers_[0], quotient, odd);
    for (int64_t i = 0; i < count_; ++i) {
      const T sum = even[i] + odd[i];
      even[i] -= odd[i];
      odd[i] = sum;
    }
    solve(even, n_, odd, n_, result);
  }

  int64_t n_, count_;
  T* powers_[4];  ///< A, A^2, A^4, A^6
};

}  // namespace

template <class T>
void exponential(const T* a, int64_t n, T* result) {
  const cpu::ScratchScope scope;
  Exponential<T>(a, n).store(result);
}

template void exponential<float>(const float*, int64_t, float*);
template void exponential<double>(const double*, int64_t, double*);
template void exponential<std::complex<float>>(const std::complex<float>*, int64_t, std::complex<float>*);
template void exponential<std::complex<double>>(const std::complex<double>*, int64_t, std::complex<double>*);

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
