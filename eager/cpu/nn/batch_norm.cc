// batch_norm by the statistics of the batch, and its gradients.
#include <cmath>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/channels.h"
#include "eager/cpu/nn/norm_call.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

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
  NormGradients gradients = empty_gradients(channels, input, of_input);
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
