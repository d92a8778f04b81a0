#include "eager/cpu/norm_rows.h"

#include <algorithm>
#include <cmath>

#include "eager/cpu/isa.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loop_kernels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

#define FRAMEJIT_DECLARE_NORM_ROWS(isa)                \
  namespace framejit::eager::isa {                     \
  extern const cpu::NormRows<float> norm_rows_float;   \
  extern const cpu::NormRows<double> norm_rows_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_NORM_ROWS)
#undef FRAMEJIT_DECLARE_NORM_ROWS

namespace framejit::eager::cpu {

template <>
const NormRows<float>& norm_rows<float>() {
  switch (chosen_isa()) {
#define FRAMEJIT_NORM_ROWS(isa) \
  case Isa::isa:                \
    return isa::norm_rows_float;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_NORM_ROWS)
#undef FRAMEJIT_NORM_ROWS
  }
  __builtin_unreachable();
}
template <>
const NormRows<double>& norm_rows<double>() {
  switch (chosen_isa()) {
#define FRAMEJIT_NORM_ROWS(isa) \
  case Isa::isa:                \
    return isa::norm_rows_double;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_NORM_ROWS)
#undef FRAMEJIT_NORM_ROWS
  }
  __builtin_unreachable();
}

namespace {

constexpr int64_t kPiece = 16 * 1024;  ///< elements worth a thread

template <class F>
void for_float_dtype(DType dtype, F f) {
  dtype == DType::float64 ? f(double()) : f(float());
}

int64_t rows_per_piece(int64_t length) { return std::max<int64_t>(1, kPiece / length); }

/// The mean over rows, as the loops of reductions compute it: in the same order, hence with the same bits.
template <class T>
class RowMean {
 public:
  RowMean() : reducer_(loop_kernels().row[size_t(ReduceKind::mean)][size_t(dtype_of<T>())]) {}

  T of(const T* x, int64_t n) const {
    return fold(n, [&](int64_t at, int64_t count) { return reducer_.chunk(x + at, count, at); });
  }
  T of_squares(const T* x, int64_t n) const {
    return fold(n, [&](int64_t at, int64_t count) { return reducer_.product(x + at, x + at, count); });
  }

 private:
  template <class Chunk>
  T fold(int64_t n, Chunk chunk) const {
    ReduceState total = reducer_.start(), block = reducer_.start();
    for (int64_t at = 0; at < n; at += kReduceChunk) {
      const ReduceState state = chunk(at, std::min(kReduceChunk, n - at));
      reducer_.merge(&block, &state, 1);
      if ((at + kReduceChunk) % kReduceBlock != 0 && at + kReduceChunk < n) continue;
      reducer_.merge(&total, &block, 1);
      block = reducer_.start();
    }
    T result;
    reducer_.finish(&total, 1, n, &result);
    return result;
  }
  const RowReducer& reducer_;
};

/// One element by the kernel of an op of the table.
template <class T>
T apply(const Op& op, T a, T b) {
  static constexpr double one = 1;  // alpha of add
  const void* in[] = {&a, &b};
  T result;
  op.tiles[size_t(dtype_of<T>())].kernel->by_scalar_mask[0](in, &result, 1, &one);
  return result;
}

template <class T>
const T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_as<T>() : nullptr;
}

}  // namespace

bool are_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const DType dtype = input.dtype();
  if (dtype != DType::float32 && dtype != DType::float64) return false;
  const auto fits = [&](const Tensor& t) {
    return !t.defined() || (t.dtype() == dtype && t.is_contiguous());
  };
  return input.is_contiguous() && input.numel() != 0 && fits(weight) && fits(bias);
}

void layer_norm_rows(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t length,
                     double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd) {
  static const Op &add = get_op("add"), &inverse_root = get_op("rsqrt"), &subtract = get_op("sub");
  for_float_dtype(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const TileFn minus_one = subtract.tiles[size_t(dtype_of<T>())].kernel->by_scalar_mask[2];
    static constexpr double one = 1;  // alpha of sub
    const int64_t rows = input.numel().expect() / length;
    parallel_for(rows, rows_per_piece(length), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T* distance = Scratch::of_thread().take_array<T>(length);
      const RowMean<T> row_mean;
      for (int64_t r = begin; r < end; ++r) {
        const T* x = input.data_as<T>() + r * length;
        const T average = row_mean.of(x, length);
        const void* operands[] = {x, &average};
        minus_one(operands, distance, length, &one);
        const T root = apply(inverse_root, apply(add, row_mean.of_squares(distance, length), T(eps)), T(0));
        norm_rows<T>().forward(length, distance, root, data_or_null<T>(weight), data_or_null<T>(bias),
                               result.data_as<T>() + r * length);
        mean.data_as<T>()[r] = average;
        rstd.data_as<T>()[r] = root;
      }
    });
  });
}

namespace {

/// One channel of a batch: `planes` stretches of `plane` elements, `distance` apart.
struct Planes {
  int64_t channels, planes, plane, distance;

  explicit Planes(const Tensor& input) : channels(input.sizes()[1]), planes(input.sizes()[0]) {
    plane = input.numel().expect() / (planes * channels);
    distance = plane * channels;
  }
  int64_t elements() const { return planes * plane; }
};

/// Means over a channel of grad, and of grad times the normalized input.
template <class T>
struct ChannelMeans {
  T mean, rstd;
  double grad = 0, product = 0;

  ChannelMeans(const Planes& planes, const T* grads, const T* x, T average, T variance, double eps)
      : mean(average), rstd(T(1 / std::sqrt(double(variance) + eps))) {
    for (int64_t i = 0; i < planes.planes; ++i) {
      double sum, products;
      norm_rows<T>().sums(planes.plane, grads + i * planes.distance, nullptr, x + i * planes.distance, mean,
                          rstd, &sum, &products);
      grad += sum / double(planes.elements());
      product += products / double(planes.elements());
    }
  }
};

template <class F>
void for_each_channel(const Planes& planes, F f) {
  parallel_for(planes.channels, rows_per_piece(planes.elements()), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) f(c);
  });
}

}  // namespace

Tensor batch_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const Tensor& mean, const Tensor& variance, double eps) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  const Planes planes(input);
  for_float_dtype(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_channel(planes, [&](int64_t c) {
      const T *g = grad.data_as<T>() + c * planes.plane, *x = input.data_as<T>() + c * planes.plane;
      const ChannelMeans<T> means(planes, g, x, mean.data_as<T>()[c], variance.data_as<T>()[c], eps);
      const T factor = weight.defined() ? means.rstd * weight.data_as<T>()[c] : means.rstd;
      for (int64_t i = 0; i < planes.planes; ++i) {
        const int64_t at = i * planes.distance;
        norm_rows<T>().backward(planes.plane, g + at, nullptr, x + at, means.mean, means.rstd, factor,
                                T(means.grad), T(means.product), result.data_as<T>() + c * planes.plane + at);
      }
    });
  });
  return result;
}

Tensor batch_norm_weight_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                  const Tensor& variance, double eps) {
  const Planes planes(input);
  Tensor result = Tensor::empty(Dims{planes.channels}, input.dtype());
  for_float_dtype(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_channel(planes, [&](int64_t c) {
      const ChannelMeans<T> means(planes, grad.data_as<T>() + c * planes.plane,
                                  input.data_as<T>() + c * planes.plane, mean.data_as<T>()[c],
                                  variance.data_as<T>()[c], eps);
      result.data_as<T>()[c] = T(means.product * double(planes.elements()));
    });
  });
  return result;
}

}  // namespace framejit::eager::cpu
