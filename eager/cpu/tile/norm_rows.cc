#include "eager/cpu/norm_rows.h"

#include <algorithm>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// Sums are kept in as many places, for speed and accuracy, of which the double is taken every kChunk
/// elements.
constexpr int kPlaces = 64;
constexpr int64_t kChunk = 1024;

/// f(weight of element i), where there are weights, else 1.
template <class T, class F>
void with_weight(const T* weight, F f) {
  if (weight)
    f([=](int64_t i) { return weight[i]; });
  else
    f([](int64_t) { return T(1); });
}

template <class T>
void forward(int64_t n, const T* distance, T rstd, const T* weight, const T* bias, T* out) {
  if (weight && bias) {
    for (int64_t i = 0; i < n; ++i) out[i] = distance[i] * rstd * weight[i] + bias[i];
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = distance[i] * rstd;
    for (int64_t i = 0; weight && i < n; ++i) out[i] *= weight[i];
    for (int64_t i = 0; bias && i < n; ++i) out[i] += bias[i];
  }
}

template <class T>
void sums(int64_t n, const T* grad, const T* weight, const T* x, T mean, T rstd, double* sum,
          double* product) {
  *sum = *product = 0;
  with_weight(weight, [=](auto weight_at) {
    for (int64_t begin = 0; begin < n; begin += kChunk) {
      T plain[kPlaces] = {}, products[kPlaces] = {};
      const int64_t end = std::min(n, begin + kChunk);
      int64_t i = begin;
      for (; i + kPlaces <= end; i += kPlaces)
        for (int k = 0; k < kPlaces; ++k) {
          const T scaled = grad[i + k] * weight_at(i + k);
          plain[k] += scaled;
          products[k] += scaled * ((x[i + k] - mean) * rstd);
        }
      for (int k = 0; i < end; ++i, ++k) {
        const T scaled = grad[i] * weight_at(i);
        plain[k] += scaled;
        products[k] += scaled * ((x[i] - mean) * rstd);
      }
      for (int k = 0; k < kPlaces; ++k) {
        *sum += double(plain[k]);
        *product += double(products[k]);
      }
    }
  });
}

template <class T>
void backward(int64_t n, const T* grad, const T* weight, const T* x, T mean, T rstd, T factor, T mean_grad,
              T mean_product, T* out) {
  with_weight(weight, [=](auto weight_at) {
    for (int64_t i = 0; i < n; ++i)
      out[i] = factor * (grad[i] * weight_at(i) - mean_grad - (x[i] - mean) * rstd * mean_product);
  });
}

template <class T>
inline constexpr cpu::NormRows<T> kRows{&forward<T>, &sums<T>, &backward<T>};

}  // namespace

extern const cpu::NormRows<float> norm_rows_float;
extern const cpu::NormRows<double> norm_rows_double;
const cpu::NormRows<float> norm_rows_float = kRows<float>;
const cpu::NormRows<double> norm_rows_double = kRows<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
