#include "eager/cpu/fft/plan.h"

#include <cmath>
#include <list>
#include <mutex>
#include <numbers>

namespace framejit::eager::cpu {

namespace {

/// Prime factors above this go to Bluestein's algorithm, whose cost does not depend on them.
constexpr int kLargestRadix = 23;
constexpr size_t kCachedPlans = 32;

/// Radices whose product is `n`, fours first; empty when a prime factor is too large.
std::vector<int> factorize(int64_t n) {
  std::vector<int> radices;
  for (int radix = 4; n > 1; radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2) {
    if (radix > kLargestRadix) return {};
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  return radices;
}

template <class T>
std::complex<T> times_minus_i(std::complex<T> x) {
  return {x.imag(), -x.real()};
}

/// std::complex's product handles infinities element by element, which is slow.
template <class T>
inline std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// One step of Stockham's algorithm: `stride` interleaved transforms of length n become `radix` times as many
/// of length n / radix. `butterfly(a)` transforms the array a of `radix` elements in place.
template <class T, class Butterfly>
void step(int radix, int64_t n, int64_t stride, const std::complex<T>* from, std::complex<T>* to,
          const std::complex<T>* roots, std::complex<T>* a, Butterfly butterfly) {
  const int64_t part = n / radix;
  for (int64_t p = 0; p < part; ++p)
    for (int64_t q = 0; q < stride; ++q) {
      for (int k = 0; k < radix; ++k) a[k] = from[q + stride * (p + k * part)];
      butterfly(a);
      std::complex<T>* out = to + q + stride * radix * p;
      out[0] = a[0];
      for (int j = 1; j < radix; ++j) out[stride * j] = product(a[j], roots[j * p * stride]);
    }
}

template <class T>
void step2(int64_t n, int64_t stride, const std::complex<T>* from, std::complex<T>* to,
           const std::complex<T>* roots) {
  std::complex<T> a[2];
  step(2, n, stride, from, to, roots, a, [](std::complex<T>* x) {
    const std::complex<T> difference = x[0] - x[1];
    x[0] += x[1];
    x[1] = difference;
  });
}

template <class T>
void step3(int64_t n, int64_t stride, const std::complex<T>* from, std::complex<T>* to,
           const std::complex<T>* roots) {
  constexpr T half_root = T(0.86602540378443864676);  // sin(2 pi / 3)
  std::complex<T> a[3];
  step(3, n, stride, from, to, roots, a, [=](std::complex<T>* x) {
    const std::complex<T> sum = x[1] + x[2], turned = times_minus_i(x[1] - x[2]) * half_root;
    const std::complex<T> middle = x[0] - sum * T(0.5);
    x[0] += sum;
    x[1] = middle + turned;
    x[2] = middle - turned;
  });
}

template <class T>
void step4(int64_t n, int64_t stride, const std::complex<T>* from, std::complex<T>* to,
           const std::complex<T>* roots) {
  std::complex<T> a[4];
  step(4, n, stride, from, to, roots, a, [](std::complex<T>* x) {
    const std::complex<T> even = x[0] + x[2], even_difference = x[0] - x[2];
    const std::complex<T> odd = x[1] + x[3], odd_difference = times_minus_i(x[1] - x[3]);
    x[0] = even + odd;
    x[1] = even_difference + odd_difference;
    x[2] = even - odd;
    x[3] = even_difference - odd_difference;
  });
}

template <class T>
void step5(int64_t n, int64_t stride, const std::complex<T>* from, std::complex<T>* to,
           const std::complex<T>* roots) {
  constexpr T c1 = T(0.30901699437494742410), c2 = T(-0.80901699437494742410);  // cos(2 pi k / 5)
  constexpr T s1 = T(0.95105651629515357212), s2 = T(0.58778525229247312917);   // sin(2 pi k / 5)
  std::complex<T> a[5];
  step(5, n, stride, from, to, roots, a, [=](std::complex<T>* x) {
    const std::complex<T> sum1 = x[1] + x[4], sum2 = x[2] + x[3];
    const std::complex<T> difference1 = times_minus_i(x[1] - x[4]), difference2 = times_minus_i(x[2] - x[3]);
    const std::complex<T> outer = x[0] + sum1 * c1 + sum2 * c2, inner = x[0] + sum1 * c2 + sum2 * c1;
    const std::complex<T> outer_turn = difference1 * s1 + difference2 * s2;
    const std::complex<T> inner_turn = difference1 * s2 - difference2 * s1;
    x[0] += sum1 + sum2;
    x[1] = outer + outer_turn;
    x[2] = inner + inner_turn;
    x[3] = inner - inner_turn;
    x[4] = outer - outer_turn;
  });
}

/// Any radix, by the definition; `roots` are those of the whole length, `total` of them.
template <class T>
void step_any(int radix, int64_t n, int64_t stride, int64_t total, const std::complex<T>* from,
              std::complex<T>* to, const std::complex<T>* roots) {
  std::complex<T> a[kLargestRadix], sums[kLargestRadix], small_roots[kLargestRadix];
  for (int k = 0; k < radix; ++k) small_roots[k] = roots[total / radix * k];
  step(radix, n, stride, from, to, roots, a, [&](std::complex<T>* x) {
    for (int j = 0; j < radix; ++j) {
      sums[j] = x[0];
      for (int k = 1; k < radix; ++k) sums[j] += product(x[k], small_roots[j * k % radix]);
    }
    std::copy(sums, sums + radix, x);
  });
}

}  // namespace

template <class T>
std::vector<std::complex<T>> roots_of_unity(int64_t n) {
  std::vector<std::complex<T>> roots(size_t(std::max<int64_t>(n, 1)));
  for (int64_t k = 0; k < n; ++k) {
    const double angle = -2 * std::numbers::pi * double(k) / double(n);
    roots[size_t(k)] = {T(std::cos(angle)), T(std::sin(angle))};
  }
  return roots;
}

/// Convolution with a chirp, by transforms of a power of two, in double.
template <class T>
struct Plan<T>::Bluestein {
  Plan<double> inner;
  std::vector<std::complex<double>> chirp;        ///< exp(-pi i k^2 / n)
  std::vector<std::complex<double>> transformed;  ///< of the conjugate chirp, scaled
  explicit Bluestein(int64_t n);
};

template <class T>
Plan<T>::Bluestein::Bluestein(int64_t n)
    : inner([n] {
        int64_t length = 1;
        while (length < 2 * n - 1) length *= 2;
        return length;
      }()) {
  chirp.resize(size_t(n));
  transformed.assign(size_t(inner.size()), 0);
  for (int64_t k = 0; k < n; ++k) {
    const double angle = std::numbers::pi * double(k * k % (2 * n)) / double(n);
    chirp[size_t(k)] = {std::cos(angle), -std::sin(angle)};
    const std::complex<double> value = std::conj(chirp[size_t(k)]) / double(inner.size());
    transformed[size_t(k)] = value;
    if (k > 0) transformed[size_t(inner.size() - k)] = value;
  }
  std::vector<std::complex<double>> scratch(size_t(inner.scratch_size()));
  inner.forward(transformed.data(), scratch.data());
}

template <class T>
Plan<T>::Plan(int64_t n) : n_(n), radices_(factorize(n)) {
  roots_ = roots_of_unity<T>(n);
  if (radices_.empty() && n > 1) bluestein_ = std::make_shared<const Bluestein>(n);
}

template <class T>
void Plan<T>::by_radices(Complex* line, Complex* scratch) const {
  Complex *from = line, *to = scratch;
  int64_t n = n_, stride = 1;
  for (int radix : radices_) {
    switch (radix) {
      case 2:
        step2(n, stride, from, to, roots_.data());
        break;
      case 3:
        step3(n, stride, from, to, roots_.data());
        break;
      case 4:
        step4(n, stride, from, to, roots_.data());
        break;
      case 5:
        step5(n, stride, from, to, roots_.data());
        break;
      default:
        step_any(radix, n, stride, n_, from, to, roots_.data());
    }
    n /= radix;
    stride *= radix;
    std::swap(from, to);
  }
  if (from != line) std::copy(from, from + n_, line);
}

template <class T>
void Plan<T>::by_chirp(Complex* line) const {
  const Bluestein& b = *bluestein_;
  std::vector<std::complex<double>> buffer(size_t(b.inner.size())), scratch(size_t(b.inner.scratch_size()));
  for (int64_t k = 0; k < n_; ++k)
    buffer[size_t(k)] = product(std::complex<double>(line[k]), b.chirp[size_t(k)]);
  b.inner.forward(buffer.data(), scratch.data());
  for (size_t k = 0; k < buffer.size(); ++k) buffer[k] = product(buffer[k], b.transformed[k]);
  b.inner.backward(buffer.data(), scratch.data());
  for (int64_t k = 0; k < n_; ++k) line[k] = Complex(product(buffer[size_t(k)], b.chirp[size_t(k)]));
}

template <class T>
void Plan<T>::forward(Complex* line, Complex* scratch) const {
  if (bluestein_)
    by_chirp(line);
  else
    by_radices(line, scratch);
}

/// The conjugate of the forward transform of the conjugate.
template <class T>
void Plan<T>::backward(Complex* line, Complex* scratch) const {
  for (int64_t k = 0; k < n_; ++k) line[k] = std::conj(line[k]);
  forward(line, scratch);
  for (int64_t k = 0; k < n_; ++k) line[k] = std::conj(line[k]);
}

/// The latest plans, most recent first.
template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n) {
  static std::mutex mutex;
  static std::list<std::shared_ptr<const Plan<T>>> plans;
  std::lock_guard lock(mutex);
  for (auto it = plans.begin(); it != plans.end(); ++it)
    if ((*it)->size() == n) {
      plans.splice(plans.begin(), plans, it);
      return plans.front();
    }
  plans.push_front(std::make_shared<const Plan<T>>(n));
  if (plans.size() > kCachedPlans) plans.pop_back();
  return plans.front();
}

template std::vector<std::complex<float>> roots_of_unity(int64_t);
template std::vector<std::complex<double>> roots_of_unity(int64_t);
template class Plan<float>;
template class Plan<double>;
template std::shared_ptr<const Plan<float>> plan_for(int64_t);
template std::shared_ptr<const Plan<double>> plan_for(int64_t);

}  // namespace framejit::eager::cpu
