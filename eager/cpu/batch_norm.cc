// batch_norm by the statistics of the batch.
#include <cmath>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int kLanes = 16;

/// Sum of f(x[i]): kLanes partial sums side by side, for speed and for accuracy.
template <class T, class F>
double lane_sum(const T* x, int64_t n, F f) {
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) lanes[k] += f(x[i + k]);
  double total = 0;
  for (; i < n; ++i) total += double(f(x[i]));
  for (T lane : lanes) total += double(lane);
  return total;
}

/// One channel: `planes` stretches of `plane` elements, `distance` apart.
template <class T>
struct Channel {
  int64_t planes, plane, distance;

  template <class F>
  double mean(const T* x, F f) const {
    double total = 0;
    for (int64_t i = 0; i < planes; ++i) total += lane_sum(x + i * distance, plane, f);
    return total / double(planes * plane);
  }
  void scale(const T* x, T average, T factor, T shift, T* to) const {
    for (int64_t i = 0; i < planes; ++i, x += distance, to += distance)
      for (int64_t k = 0; k < plane; ++k) to[k] = (x[k] - average) * factor + shift;
  }
};

}  // namespace

/// args: input, weight, bias, eps.
void meta_batch_norm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  FRAMEJIT_CHECK_TYPE(is_floating(input.dtype), not_implemented, "\"batch_norm\" not implemented for '",
                      dtype_name(input.dtype), "'");
  Dims channels;
  channels.push_back(input.sizes.sym(1));
  results.push_back(contiguous_meta(input.sizes, input.dtype, input.device));
  results.push_back(contiguous_meta(channels, input.dtype, input.device));
  results.push_back(contiguous_meta(channels, input.dtype, input.device));
}

void batch_norm_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_batch_norm(op, args, metas);
  const DType type = metas[0].dtype == DType::float64 ? DType::float64 : DType::float32;
  const auto computed = [&](const Value& value) {
    return value.is_none() ? Tensor() : contiguous_as(value.tensor(), type);
  };
  const Tensor input = computed(args[0]), weight = computed(args[1]), bias = computed(args[2]);
  Tensor outputs[3];
  for (int i = 0; i < 3; ++i) outputs[i] = Tensor::empty(metas[size_t(i)].sizes, type);
  const int64_t channels = input.sizes()[1], elements = input.numel().expect();
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    const int64_t plane = elements / (input.sizes()[0] * channels);
    const Channel<T> channel{input.sizes()[0], plane, channels * plane};
    const double eps = args[3].real();
    parallel_for(channels, std::max<int64_t>(1, 16384 * channels / elements),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t c = begin; c < end; ++c) {
                     const T* x = input.data_as<T>() + c * plane;
                     const T average = T(channel.mean(x, [](T value) { return value; }));
                     const double variance =
                         channel.mean(x, [=](T value) { return (value - average) * (value - average); });
                     const double factor =
                         (weight.defined() ? double(weight.data_as<T>()[c]) : 1) / std::sqrt(variance + eps);
                     channel.scale(x, average, T(factor), bias.defined() ? bias.data_as<T>()[c] : T(0),
                                   outputs[0].data_as<T>() + c * plane);
                     outputs[1].data_as<T>()[c] = average;
                     outputs[2].data_as<T>()[c] = T(variance);
                   }
                 });
  };
  const int64_t zero = 0;
  for (int i = 1; i < 3 && elements == 0; ++i) fill_elements(outputs[i], &zero, DType::int64);
  if (elements > 0) type == DType::float64 ? run(double()) : run(float());
  for (int i = 0; i < 3; ++i) results[i] = contiguous_as(outputs[i], metas[size_t(i)].dtype);
}

}  // namespace framejit::eager
