// group_norm: the channels of an image in groups, each normalized as one row; and its gradients.
#include <cmath>
#include <vector>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/norm_call.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// `count` groups of all images, of `channels` planes each.
struct Groups {
  int64_t count, per_image, channels, plane;

  Groups(const Dims& sizes, int64_t groups)
      : count(sizes[0] * groups), per_image(groups), channels(sizes[1] / groups), plane(1) {
    for (int d = 2; d < sizes.size(); ++d) plane *= sizes[d];
  }
  int64_t elements() const { return channels * plane; }
  /// The first channel of group g, in its image.
  int64_t first_channel(int64_t g) const { return g % per_image * channels; }
};

template <class F>
void for_each_group(const Groups& groups, F f) {
  parallel_for(groups.count, norm_rows_per_piece(groups.elements()), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) f(g);
  });
}

template <class T>
void normalize_group(const Groups& groups, int64_t g, const T* x, const T* weight, const T* bias, double eps,
                     T* mean, T* rstd, T* to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const Stretches all{1, groups.elements(), 0};
  const double count = double(groups.elements());
  *mean = T(kernels.sum(all, x) / count);
  *rstd = T(1 / std::sqrt(kernels.squares(all, x, *mean) / count + eps));
  for (int64_t c = 0; c < groups.channels; ++c) {
    const int64_t channel = groups.first_channel(g) + c, at = c * groups.plane;
    kernels.scale(groups.plane, x + at, *mean, weight ? *rstd * weight[channel] : *rstd,
                  bias ? bias[channel] : T(0), to + at);
  }
}

}  // namespace

/// args: input, num_groups, weight, bias, eps.
void meta_group_norm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  Dims groups;
  groups.push_back(input.sizes.sym(0));
  groups.push_back(args[1].sym_int());
  push_normalized("group_norm", input, groups, results);
}

void group_norm_kernel(const Op& op, const Value* args, Value* results) {
  NormCall norm(op, args, meta_group_norm);
  const Tensor input = norm.operand(args[0]), weight = norm.operand(args[2]), bias = norm.operand(args[3]);
  const Groups groups(input.sizes(), args[1].sym_int().expect());
  norm.run(input, results, [&](auto zero) {
    using T = decltype(zero);
    for_each_group(groups, [&](int64_t g) {
      const int64_t at = g * groups.elements();
      normalize_group(groups, g, input.data_as<T>() + at, data_or_null<T>(weight), data_or_null<T>(bias),
                      args[4].real(), norm.outputs[1].data_as<T>() + g, norm.outputs[2].data_as<T>() + g,
                      norm.outputs[0].data_as<T>() + at);
    });
  });
}

namespace cpu {

namespace {

/// Of a group: what its planes sum up to goes to `sums`, the gradient of its input to `to` unless that is
/// null.
template <class T>
void group_backward(const Groups& groups, int64_t g, const T* grad, const T* x, const T* weight, T mean,
                    T rstd, GradSums* sums, T* to) {
  const auto weight_of = [&](int64_t c) { return weight ? weight[groups.first_channel(g) + c] : T(1); };
  GradSums total;
  for (int64_t c = 0; c < groups.channels; ++c) {
    const int64_t at = c * groups.plane;
    sums[c] = norm_rows<T>().products({1, groups.plane, 0}, grad + at, x + at, mean);
    total.grad += sums[c].grad * double(weight_of(c));
    total.product += sums[c].product * double(weight_of(c));
  }
  if (!to) return;
  const double root = rstd, each = root / double(groups.elements());
  const T slope = T(root * root * each * total.product), shift = T(each * total.grad);
  for (int64_t c = 0; c < groups.channels; ++c) {
    const int64_t at = c * groups.plane;
    norm_rows<T>().scale_backward(groups.plane, grad + at, rstd * weight_of(c), x + at, mean, slope, shift,
                                  to + at);
  }
}

}  // namespace

NormGradients group_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                         const Tensor& mean, const Tensor& rstd, bool of_input) {
  NormGradients gradients;
  if (of_input) gradients[0] = Tensor::empty(input.sizes(), input.dtype());
  const Groups groups(input.sizes(), mean.sizes()[1]);
  const int64_t images = input.sizes()[0], channels = input.sizes()[1];
  for (size_t i : {1, 2}) gradients[i] = Tensor::empty(Dims{channels}, input.dtype());
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<GradSums> planes(size_t(images * channels));
    for_each_group(groups, [&](int64_t g) {
      const int64_t at = g * groups.elements();
      group_backward(groups, g, grad.data_as<T>() + at, input.data_as<T>() + at, data_or_null<T>(weight),
                     mean.data_as<T>()[g], rstd.data_as<T>()[g], &planes[size_t(g * groups.channels)],
                     of_input ? gradients[0].data_as<T>() + at : nullptr);
    });
    for (int64_t c = 0; c < channels; ++c) {
      GradSums total;
      for (int64_t i = 0; i < images; ++i) {
        const GradSums& plane = planes[size_t(i * channels + c)];
        total.grad += plane.grad;
        total.product +=
            plane.product * double(rstd.data_as<T>()[i * groups.per_image + c / groups.channels]);
      }
      gradients[1].data_as<T>()[c] = T(total.product);
      gradients[2].data_as<T>()[c] = T(total.grad);
    }
  });
  return gradients;
}

}  // namespace cpu

}  // namespace framejit::eager
