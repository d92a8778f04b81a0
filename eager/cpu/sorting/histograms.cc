// histc, and bincount.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kGrain = 64 * 1024;

struct Range {
  double low, high;
};

template <class T>
ReduceState extremum_of(ReduceKind kind, const T* numbers, int64_t count) {
  const RowReducer& reducer = loop_kernels().row[size_t(kind)][size_t(dtype_of<T>())];
  ReduceState state = reducer.start();
  reducer.run(numbers, count, 0, &state);
  return state;
}

/// What is given, or the range of the elements, made wider where it is a point.
template <class T>
Range range_of(const T* data, int64_t count, double low, double high) {
  if (low == high && count > 0) {  // NaN wins
    low = extremum_of(ReduceKind::amin, data, count).real;
    high = extremum_of(ReduceKind::amax, data, count).real;
  }
  if (low == high) low -= 1, high += 1;
  FRAMEJIT_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histc: range of [", low, ", ", high,
                 "] is not finite");
  return {low, high};
}

/// Adds to `counts`, of as many bins.
template <class T>
void count_in_bins(const T* data, int64_t count, const Range& range, std::vector<int64_t>& counts) {
  const T low = T(range.low), high = T(range.high), bins = T(double(counts.size()));
  const int64_t last = int64_t(counts.size()) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const T x = data[i];
    if (x >= low && x <= high) ++counts[size_t(std::min(int64_t((x - low) / (high - low) * bins), last))];
  }
}

}  // namespace

void meta_histc(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  FRAMEJIT_CHECK_TYPE(is_floating(self.dtype), not_implemented, "\"histogram_cpu\" not implemented for '",
                      dtype_name(self.dtype), "'");
  FRAMEJIT_CHECK(args[1].sym_int() > 0, "torch.histc(): bins must be > 0, but got ", args[1].sym_int().str(),
                 " for dimension 0");
  FRAMEJIT_CHECK(args[2].real() <= args[3].real(), "torch.histc: max must be larger than min");
  results.push_back(contiguous_meta({args[1].sym_int().bits()}, self.dtype, self.device));
}

/// args: self, bins, min, max.
void histc_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t bins = result.sizes()[0], count = self.numel().expect();
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* data = self.data_as<T>();
    if constexpr (!std::is_integral_v<T>) {
      const Range range = range_of(data, count, args[2].real(), args[3].real());
      const int64_t grain =
          std::max<int64_t>(kGrain, bins);  // what is done for each bin is done once a piece
      std::vector<int64_t> total(size_t(bins), 0);
      std::mutex mutex;
      parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        std::vector<int64_t> counts(size_t(bins), 0);
        count_in_bins(data + begin, end - begin, range, counts);
        const std::lock_guard lock(mutex);
        for (size_t i = 0; i < counts.size(); ++i) total[i] += counts[i];
      });
      std::transform(total.begin(), total.end(), result.data_as<T>(), [](int64_t n) { return T(double(n)); });
    }
  });
  results[0] = std::move(result);
}

namespace {

template <class T>
void count_into(const int64_t* places, int64_t count, const T* weights, T* to) {
  const auto add = [=](int64_t place, T weight) { to[place] = T(to[place] + weight); };
  if (weights)
    for (int64_t i = 0; i < count; ++i) add(places[i], weights[i]);
  else
    for (int64_t i = 0; i < count; ++i) add(places[i], T(1));
}

/// Weights count as float32 or float64; without them, elements are counted in int64.
DType count_dtype(const Value& weights) {
  if (weights.is_none()) return DType::int64;
  return weights.impl()->meta.dtype == DType::float32 ? DType::float32 : DType::float64;
}

}  // namespace

/// args: self, weights, minlength.
void bincount_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor given = args[0].tensor();
  FRAMEJIT_CHECK(given.dim() == 1 && is_integral(given.dtype(), false),
                 "bincount only supports 1-d non-negative integral inputs.");
  FRAMEJIT_CHECK(args[2].integer() >= 0, "minlength should be >= 0");
  FRAMEJIT_CHECK(args[1].is_none() || args[1].impl()->meta.sizes == given.sizes(),
                 "weights should be 1-d and have the same length as input");
  const Tensor self = contiguous_as(given, DType::int64);
  const int64_t *places = self.data_as<int64_t>(), count = self.sizes()[0];
  const int64_t largest = count > 0 ? extremum_of(ReduceKind::amax, places, count).integer : -1;
  FRAMEJIT_CHECK(count == 0 || extremum_of(ReduceKind::amin, places, count).integer >= 0,
                 "bincount only supports 1-d non-negative integral inputs.");
  const DType dtype = count_dtype(args[1]);
  Tensor result = Tensor::empty(Dims{std::max(args[2].integer(), largest + 1)}, dtype), weights;
  if (!args[1].is_none()) weights = contiguous_as(args[1].tensor(), dtype);
  const int64_t zero_number = 0;
  fill_elements(result, &zero_number, DType::int64);
  for_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>)
      count_into<T>(places, count, weights.defined() ? weights.data_as<T>() : nullptr, result.data_as<T>());
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
