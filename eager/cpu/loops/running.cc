// Scans that keep more than a number: running extrema with their places, running log of a sum of
// exponentials.
#include "eager/cpu/loops/running.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Calls `f(first element's position, step)` for every row along a dim.
template <class F>
void for_each_row(const RowShape& shape, F f) {
  const int64_t grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, shape.length));
  parallel_for(shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      f((r / shape.inner) * shape.length * shape.inner + r % shape.inner, shape.inner);
  });
}

RowShape rows_of(const Tensor& self, const Value& dim) {
  return row_shape(self.sizes(), self.dim() == 0 ? 0 : wrap_dim(dim.integer(), self.dim()));
}

/// The last of equal elements counts, and every NaN from the first on.
template <bool kLargest, class T>
bool replaces(T element, T best) {
  const bool wins = kLargest ? element >= best : element <= best;
  return (element != element) | wins;  // nothing wins over NaN
}

/// One row: each element's winner so far, where `values` is not null, and its place. Winners change seldom in
/// most rows, so a branch is faster than a choice that every step waits for.
template <bool kLargest, class T>
void running_extremum(const T* from, T* values, int64_t* places, int64_t length, int64_t step) {
  T best = from[0];
  int64_t place = 0;
  for (int64_t i = 0; i < length * step; i += step) {
    if (__builtin_expect(replaces<kLargest>(from[i], best), 0)) {
      best = from[i];
      place = i / step;
    }
    if (values) values[i] = best;
    places[i] = place;
  }
}

/// The same for `count` neighbouring columns, at most kColumns, row by row: a choice for each, as they do not wait for
/// each other. Of fewer than kFewColumns, rows are faster.
constexpr int64_t kColumns = 128, kFewColumns = 8;
template <bool kLargest, class T>
void running_extremum_columns(const T* from, T* values, int64_t* places, int64_t length, int64_t step,
                              int64_t count) {
  T best[kColumns];
  int64_t place[kColumns] = {};
  std::copy_n(from, count, best);
  for (int64_t i = 0; i < length; ++i, from += step, places += step) {
    for (int64_t k = 0; k < count; ++k) {
      const T element = from[k];
      const bool wins = replaces<kLargest>(element, best[k]);
      best[k] = wins ? element : best[k];
      place[k] = wins ? i : place[k];
    }
    if (values) values = std::copy_n(best, count, values) - count + step;
    std::copy_n(place, count, places);
  }
}

/// Calls `f(first element's position, columns)` for blocks of neighbouring columns.
template <class F>
void for_each_column_block(const RowShape& shape, F f) {
  const int64_t blocks = (shape.inner + kColumns - 1) / kColumns;
  const int64_t grain = std::max<int64_t>(1, 8192 / (shape.length * std::min(shape.inner, kColumns)));
  parallel_for(shape.outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t column = b % blocks * kColumns;
      f(b / blocks * shape.length * shape.inner + column, std::min(kColumns, shape.inner - column));
    }
  });
}

double log_add_exp(double a, double b) {
  const double high = std::fmax(a, b), low = std::fmin(a, b);
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (std::isinf(high)) return high;
  return high + std::log1p(std::exp(low - high));
}
using Complex = std::complex<double>;
Complex log_add_exp(Complex a, Complex b) {
  const Complex high = a.real() < b.real() ? b : a, low = a.real() < b.real() ? a : b;
  if (a != a || b != b) return a + b;
  if (std::isfinite(high.real()) || high.real() != low.real())
    return high + std::log(1.0 + std::exp(low - high));
  return high.real() < 0 ? high : std::log(std::exp(low) + std::exp(high));
}

}  // namespace

namespace cpu {

void run_running_extrema(const Tensor& given, int dim, bool largest, const Tensor& values,
                         const Tensor& places) {
  const Tensor self = contiguous(given);
  const RowShape shape = row_shape(self.sizes(), dim);
  if (shape.outer * shape.length * shape.inner == 0) return;
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = self.data_as<T>();
    T* values_to = values.defined() ? values.data_as<T>() : nullptr;
    int64_t* to = places.data_as<int64_t>();
    const auto values_at = [&](int64_t start) { return values_to ? values_to + start : nullptr; };
    if (shape.inner >= kFewColumns)
      return for_each_column_block(shape, [&](int64_t start, int64_t count) {
        const auto run = largest ? running_extremum_columns<true, T> : running_extremum_columns<false, T>;
        run(from + start, values_at(start), to + start, shape.length, shape.inner, count);
      });
    for_each_row(shape, [&](int64_t start, int64_t step) {
      const auto run = largest ? running_extremum<true, T> : running_extremum<false, T>;
      run(from + start, values_at(start), to + start, shape.length, step);
    });
  });
}

}  // namespace cpu

void meta_running_extremum_index(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  wrap_dim(args[1].integer(), self.sizes.size());
  results.push_back(contiguous_meta(self.sizes, DType::int64, self.device));
}

void running_extremum_index_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor self = args[0].tensor();
  run_running_extrema(self, self.dim() == 0 ? 0 : wrap_dim(args[1].integer(), self.dim()), args[2].boolean(),
                      {}, result);
  results[0] = std::move(result);
}

void meta_logcumsumexp(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  FRAMEJIT_CHECK_TYPE(is_inexact(self.dtype), not_implemented,
                      "\"logcumsumexp_out_cpu\" not implemented for '", dtype_name(self.dtype), "'");
  wrap_dim(args[1].integer(), self.sizes.size());
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

void logcumsumexp_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const RowShape shape = rows_of(self, args[1]);
  for_any_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Wide = std::conditional_t<is_complex_type<T>, Complex, double>;
    const T* from = self.data_as<T>();
    T* to = result.data_as<T>();
    for_each_row(shape, [&](int64_t start, int64_t step) {
      Wide running = -std::numeric_limits<double>::infinity();
      for (int64_t i = 0; i < shape.length; ++i) {
        running = log_add_exp(running, Wide(from[start + i * step]));
        to[start + i * step] = T(running);
      }
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
