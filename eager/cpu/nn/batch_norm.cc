// batch_norm by the statistics of the batch, and its gradients.
#include <cmath>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/norm_call.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Where the elements of a channel lie: `planes` stretches of `plane` elements, `distance` apart.
struct Channels {
  int64_t count, planes, plane, distance;

  explicit Channels(const Tensor& input) : count(input.sizes()[1]), planes(input.sizes()[0]) {
    plane = input.numel().expect() / (planes * count);
    distance = plane * count;
  }
  int64_t elements() const { return planes * plane; }
  /// Images of one pixel: a channel is a column.
  bool are_columns() const { return plane == 1; }
  /// Stretches so short that a channel is gathered first.
  bool are_gathered() const { return plane < 16; }
  Stretches stretches() const {
    return are_gathered() ? Stretches{1, elements(), 0} : Stretches{planes, plane, distance};
  }
  /// The channel that begins at `x`, as `stretches` says.
  template <class T>
  const T* gather(const T* x) const {
    if (!are_gathered()) return x;
    T* side_by_side = Scratch::of_thread().take_array<T>(elements());
    for (int64_t i = 0; i < planes; ++i) std::copy_n(x + i * distance, plane, side_by_side + i * plane);
    return side_by_side;
  }
  template <class T>
  void scatter(const T* side_by_side, T* to) const {
    for (int64_t i = 0; i < planes; ++i) std::copy_n(side_by_side + i * plane, plane, to + i * distance);
  }
  /// Calls `write(offset, n, to + offset)` for each stretch of the channel that begins at `to`.
  template <class T, class Write>
  void write(T* to, Write write) const {
    const Stretches all = stretches();
    T* target = are_gathered() ? Scratch::of_thread().take_array<T>(elements()) : to;
    for (int64_t i = 0; i < all.count; ++i) write(i * all.distance, all.length, target + i * all.distance);
    if (are_gathered()) scatter(target, to);
  }
};

template <class F>
void for_each_channel(const Channels& channels, F f) {
  parallel_for(channels.count, norm_rows_per_piece(channels.elements()), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      ScratchScope scope;
      f(c);
    }
  });
}
/// `f(first channel, columns)` for tiles of channels that are columns.
template <class T, class F>
void for_each_tile(const Channels& channels, F f) {
  constexpr int64_t kTile = NormRows<T>::kMostColumns;
  const int64_t tiles = (channels.count + kTile - 1) / kTile;
  parallel_for(tiles, norm_rows_per_piece(channels.planes * kTile), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      ScratchScope scope;
      f(t * kTile, Columns{channels.planes, std::min(kTile, channels.count - t * kTile), channels.count});
    }
  });
}

/// A vector of scratch memory, f(i) for each i.
template <class T, class F>
T* fill(int64_t n, F f) {
  T* vector = Scratch::of_thread().take_array<T>(n);
  for (int64_t i = 0; i < n; ++i) vector[i] = T(f(i));
  return vector;
}

/// Weights and biases, which may be missing, and statistics of channels.
template <class T>
struct Parameters {
  const T *weight, *bias;
  T *mean, *variance;
  double eps;

  double root(int64_t c) const { return 1 / std::sqrt(double(variance[c]) + eps); }
  T weight_of(int64_t c) const { return weight ? weight[c] : T(1); }
  T bias_of(int64_t c) const { return bias ? bias[c] : T(0); }
};

template <class T>
void normalize_channel(const Channels& channels, const Parameters<T>& p, int64_t c, const T* input, T* to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const double count = double(channels.elements());
  const T* x = channels.gather(input);
  p.mean[c] = T(kernels.sum(channels.stretches(), x) / count);
  p.variance[c] = T(kernels.squares(channels.stretches(), x, p.mean[c]) / count);
  channels.write(to, [&](int64_t at, int64_t n, T* out) {
    kernels.scale(n, x + at, p.mean[c], T(p.weight_of(c) * p.root(c)), p.bias_of(c), out);
  });
}

template <class T>
void normalize_columns(const Parameters<T>& p, int64_t first, const Columns& columns, const T* x, T* to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const int64_t n = columns.columns;
  const double count = double(columns.rows);
  double *sums = fill<double>(n, [](int64_t) { return 0; }),
         *squares = fill<double>(n, [](int64_t) { return 0; });
  T* means = p.mean + first;
  kernels.sum_columns(columns, x, sums);
  for (int64_t i = 0; i < n; ++i) means[i] = T(sums[i] / count);
  kernels.squares_columns(columns, x, means, squares);
  for (int64_t i = 0; i < n; ++i) p.variance[first + i] = T(squares[i] / count);
  const T *factor = fill<T>(n, [&](int64_t i) { return p.weight_of(first + i) * p.root(first + i); }),
          *shift = fill<T>(n, [&](int64_t i) { return p.bias_of(first + i); });
  kernels.scale_columns(columns, x, means, factor, shift, to);
}

template <class T>
Parameters<T> parameters(const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& variance,
                         double eps) {
  return {data_or_null<T>(weight), data_or_null<T>(bias), mean.data_as<T>(), variance.data_as<T>(), eps};
}

}  // namespace

/// args: input, weight, bias, eps.
void meta_batch_norm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  push_normalized("batch_norm", input, Dims{input.sizes[1]}, results);
}

void batch_norm_kernel(const Op& op, const Value* args, Value* results) {
  NormCall norm(op, args, meta_batch_norm);
  const Tensor input = norm.operand(args[0]), weight = norm.operand(args[1]), bias = norm.operand(args[2]);
  norm.run(input, results, [&](auto zero) {
    using T = decltype(zero);
    const Channels channels(input);
    const auto p = parameters<T>(weight, bias, norm.outputs[1], norm.outputs[2], args[3].real());
    const T* x = input.data_as<T>();
    T* to = norm.outputs[0].data_as<T>();
    if (channels.are_columns())
      return for_each_tile<T>(channels, [&](int64_t first, const Columns& columns) {
        normalize_columns(p, first, columns, x + first, to + first);
      });
    for_each_channel(channels, [&](int64_t c) {
      normalize_channel(channels, p, c, x + c * channels.plane, to + c * channels.plane);
    });
  });
}

namespace cpu {

Tensor affine_channels(const Tensor& input, const Tensor& scale, const Tensor& shift) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  const Channels channels(input);
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = input.data_as<T>(), *factor = scale.data_as<T>(), *added = shift.data_as<T>();
    T* to = result.data_as<T>();
    if (channels.are_columns())
      return for_each_tile<T>(channels, [&](int64_t first, const Columns& columns) {
        const T* none = fill<T>(columns.columns, [](int64_t) { return 0; });
        norm_rows<T>().scale_columns(columns, x + first, none, factor + first, added + first, to + first);
      });
    const int64_t planes = channels.planes * channels.count;
    parallel_for(planes, norm_rows_per_piece(channels.plane), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t c = p % channels.count, at = p * channels.plane;
        norm_rows<T>().scale(channels.plane, x + at, T(0), factor[c], added[c], to + at);
      }
    });
  });
  return result;
}

namespace {

/// What makes the gradient of x out of the sums over a channel: with g the gradient of x' and r = rstd,
/// r * (g - mean(g) - x' * mean(g * x')) = factor * grad - slope * (x - mean) - shift.
struct BackwardFactors {
  double factor, slope, shift;
  BackwardFactors(const GradSums& sums, double root, double weight, double count)
      : factor(root * weight),
        slope(factor * root * root * sums.product / count),
        shift(factor * sums.grad / count) {}
};

/// Where the gradients of all channels go; `input` is null where that is not asked for.
template <class T>
struct BackwardResults {
  T *input, *weight, *bias;

  void set_parameters(int64_t c, const GradSums& sums, double root) const {
    weight[c] = T(sums.product * root);
    bias[c] = T(sums.grad);
  }
};

template <class T>
void columns_backward(const Parameters<T>& p, int64_t first, const Columns& columns, const T* grad,
                      const T* x, const BackwardResults<T>& to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const int64_t n = columns.columns;
  double *grads = fill<double>(n, [](int64_t) { return 0; }),
         *products = fill<double>(n, [](int64_t) { return 0; });
  kernels.sum_columns(columns, grad, grads);
  kernels.products_columns(columns, grad, x, p.mean + first, products);
  for (int64_t i = 0; i < n; ++i) to.set_parameters(first + i, {grads[i], products[i]}, p.root(first + i));
  if (!to.input) return;
  const auto factors = [&](int64_t i) {
    return BackwardFactors({grads[i], products[i]}, p.root(first + i), p.weight_of(first + i),
                           double(columns.rows));
  };
  const T *factor = fill<T>(n, [&](int64_t i) { return factors(i).factor; }),
          *slope = fill<T>(n, [&](int64_t i) { return factors(i).slope; }),
          *shift = fill<T>(n, [&](int64_t i) { return factors(i).shift; });
  kernels.backward_columns(columns, grad, factor, x, p.mean + first, slope, shift, to.input + first);
}

template <class T>
void channel_backward(const Channels& channels, const Parameters<T>& p, int64_t c, const T* grads,
                      const T* input, const BackwardResults<T>& to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const T *grad = channels.gather(grads), *x = channels.gather(input);
  const GradSums sums = kernels.products(channels.stretches(), grad, x, p.mean[c]);
  to.set_parameters(c, sums, p.root(c));
  if (!to.input) return;
  const BackwardFactors f(sums, p.root(c), p.weight_of(c), double(channels.elements()));
  channels.write(to.input + c * channels.plane, [&](int64_t at, int64_t n, T* out) {
    kernels.scale_backward(n, grad + at, T(f.factor), x + at, p.mean[c], T(f.slope), T(f.shift), out);
  });
}

}  // namespace

NormGradients batch_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                         const Tensor& mean, const Tensor& variance, double eps,
                                         bool of_input) {
  const Channels channels(input);
  NormGradients gradients;
  if (of_input) gradients[0] = Tensor::empty(input.sizes(), input.dtype());
  for (size_t i : {1, 2}) gradients[i] = Tensor::empty(Dims{channels.count}, input.dtype());
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto p = parameters<T>(weight, {}, mean, variance, eps);
    const T *g = grad.data_as<T>(), *x = input.data_as<T>();
    const BackwardResults<T> to{of_input ? gradients[0].data_as<T>() : nullptr, gradients[1].data_as<T>(),
                                gradients[2].data_as<T>()};
    if (channels.are_columns())
      return for_each_tile<T>(channels, [&](int64_t first, const Columns& columns) {
        columns_backward(p, first, columns, g + first, x + first, to);
      });
    for_each_channel(channels, [&](int64_t c) {
      const int64_t at = c * channels.plane;
      channel_backward(channels, p, c, g + at, x + at, to);
    });
  });
  return gradients;
}

}  // namespace cpu

}  // namespace framejit::eager
