// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/nn/norm_rows.h"

#include "eager/cpu/tile/vectors.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

using cpu::Columns;
using cpu::GradSums;
using cpu::Stretches;

/// kSums sums side by side, each in kVectors vectors, for speed and accuracy: registers, whatever their width
/// is. Of these the double is taken every kFlush additions.
template <int kSums, class T>
class Sums {
 public:
  using V = Vector<T>;
  static constexpr int kVectors = 4, kFlush = 128;

  /// Adds what `add(i, sums of vectors)` and `add_one(i, sums)` make of elements i of a stretch of n.
  template <class Add, class AddOne>
  [[gnu::always_inline]] void take(int64_t n, const Add& add, const AddOne& add_one) {
    constexpr int64_t kStep = kVectors * V::kLanes;
    int64_t i = 0;
    while (i < n) {
      const int64_t end = std::min(n, i + (kFlush - added_) * kStep);
      for (; i + kStep <= end; i += kStep, ++added_) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) add(i + v * V::kLanes, sums_[v]);
      }
      if (end == n) break;
      flush();
    }
    for (; i + V::kLanes <= n; i += V::kLanes) add(i, sums_[0]);
    for (; i < n; ++i) add_one(i, rest_);
    if ((added_ += kVectors + 1) >= kFlush) flush();
  }
  void finish(double* totals) {
    flush();
    for (int s = 0; s < kSums; ++s) {
      for (int width = V::kLanes / 2; width > 0; width /= 2)
        for (int k = 0; k < width; ++k) totals_[s][k] += totals_[s][k + width];
      totals[s] = totals_[s][0] + rest_[s];
    }
  }

 private:
  void flush() {
    for (int s = 0; s < kSums; ++s) {
      for (int v = 0; v < kVectors; ++v) {
        for (int k = 0; k < V::kLanes; ++k) totals_[s][k] += double(sums_[v][s][k]);
        sums_[v][s] = typename V::Type{};
      }
    }
    added_ = 0;
  }

  typename V::Type sums_[kVectors][kSums] = {};
  double rest_[kSums] = {};
  double totals_[kSums][V::kLanes] = {};
  int64_t added_ = 0;
};

template <class T>
void scale(int64_t n, const T* x, T mean, T factor, T shift, T* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * factor + shift;
}

template <class T>
void scale_backward(int64_t n, const T* grad, T factor, const T* x, T mean, T slope, T shift, T* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = grad[i] * factor - (x[i] - mean) * slope - shift;
}

template <class T>
double sum(const Stretches& stretches, const T* x) {
  using V = Vector<T>;
  Sums<1, T> sums;
  for (int64_t i = 0; i < stretches.count; ++i, x += stretches.distance)
    sums.take(
        stretches.length, [x](int64_t at, typename V::Type* to) { to[0] += V::load(x + at); },
        [x](int64_t at, double* to) { to[0] += x[at]; });
  double total;
  sums.finish(&total);
  return total;
}

template <class T>
double squares(const Stretches& stretches, const T* x, T mean) {
  using V = Vector<T>;
  Sums<1, T> sums;
  for (int64_t i = 0; i < stretches.count; ++i, x += stretches.distance)
    sums.take(
        stretches.length,
        [=](int64_t at, typename V::Type* to) {
          const auto distance = V::load(x + at) - mean;
          to[0] += distance * distance;
        },
        [=](int64_t at, double* to) { to[0] += (x[at] - mean) * (x[at] - mean); });
  double total;
  sums.finish(&total);
  return total;
}

template <class T>
GradSums products(const Stretches& stretches, const T* grad, const T* x, T mean) {
  using V = Vector<T>;
  Sums<2, T> sums;
  for (int64_t i = 0; i < stretches.count; ++i, x += stretches.distance, grad += stretches.distance)
    sums.take(
        stretches.length,
        [=](int64_t at, typename V::Type* to) {
          to[0] += V::load(grad + at);
          to[1] += V::load(grad + at) * (V::load(x + at) - mean);
        },
        [=](int64_t at, double* to) {
          to[0] += grad[at];
          to[1] += grad[at] * (x[at] - mean);
        });
  double totals[2];
  sums.finish(totals);
  return {totals[0], totals[1]};
}

template <class T>
void scale_columns(const Columns& columns, const T* x, const T* mean, const T* factor, const T* shift,
                   T* out) {
  for (int64_t r = 0; r < columns.rows; ++r, x += columns.stride, out += columns.stride)
    for (int64_t i = 0; i < columns.columns; ++i) out[i] = (x[i] - mean[i]) * factor[i] + shift[i];
}

template <class T>
void backward_columns(const Columns& columns, const T* grad, const T* factor, const T* x, const T* mean,
                      const T* slope, const T* shift, T* out) {
  for (int64_t r = 0; r < columns.rows;
       ++r, x += columns.stride, grad += columns.stride, out += columns.stride)
    for (int64_t i = 0; i < columns.columns; ++i)
      out[i] = grad[i] * factor[i] - (x[i] - mean[i]) * slope[i] - shift[i];
}

/// Adds value(element's offset, column) of all rows to `sums`, by way of sums of T over kRows rows.
template <class T, class Value>
[[gnu::always_inline]] inline void add_columns(const Columns& columns, double* sums, const Value& value) {
  constexpr int64_t kRows = 64;
  T running[cpu::NormRows<T>::kMostColumns];
  for (int64_t begin = 0; begin < columns.rows; begin += kRows) {
    std::fill_n(running, columns.columns, T(0));
    for (int64_t r = begin; r < std::min(columns.rows, begin + kRows); ++r)
      for (int64_t i = 0; i < columns.columns; ++i) running[i] += value(r * columns.stride + i, i);
    for (int64_t i = 0; i < columns.columns; ++i) sums[i] += double(running[i]);
  }
}

template <class T>
void sum_columns(const Columns& columns, const T* x, double* sums) {
  add_columns<T>(columns, sums, [=](int64_t at, int64_t) { return x[at]; });
}
template <class T>
void squares_columns(const Columns& columns, const T* x, const T* mean, double* sums) {
  add_columns<T>(columns, sums,
                 [=](int64_t at, int64_t column) { return (x[at] - mean[column]) * (x[at] - mean[column]); });
}
template <class T>
void products_columns(const Columns& columns, const T* grad, const T* x, const T* mean, double* products) {
  add_columns<T>(columns, products,
                 [=](int64_t at, int64_t column) { return grad[at] * (x[at] - mean[column]); });
}

template <class T>
inline constexpr cpu::NormRows<T> kRows{
    &scale<T>,         &scale_backward<T>,   &sum<T>,         &squares<T>,         &products<T>,
    &scale_columns<T>, &backward_columns<T>, &sum_columns<T>, &squares_columns<T>, &products_columns<T>};

}  // namespace

extern const cpu::NormRows<float> norm_rows_float;
extern const cpu::NormRows<double> norm_rows_double;
const cpu::NormRows<float> norm_rows_float = kRows<float>;
const cpu::NormRows<double> norm_rows_double = kRows<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
