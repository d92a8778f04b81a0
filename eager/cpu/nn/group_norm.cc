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
  FRAMEJIT_CHECK_TYPE(is_floating(input.dtype), not_implemented, "\"group_norm\" not implemented for '",
                      dtype_name(input.dtype), "'");
  Dims groups;
  groups.push_back(input.sizes.sym(0));
  groups.push_back(args[1].sym_int());
  results.push_back(contiguous_meta(input.sizes, input.dtype, input.device));
  results.push_back(contiguous_meta(groups, input.dtype, input.device));
  results.push_back(contiguous_meta(groups, input.dtype, input.device));
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

template <class T>
GradSums plane_sums(const Groups& groups, const T* grad, const T* x, T mean) {
  return norm_rows<T>().products({1, groups.plane, 0}, grad, x, mean);
}

template <class T>
void group_backward(const Groups& groups, int64_t g, const T* grad, const T* x, const T* weight, T mean,
                    T rstd, T* to) {
  const auto weight_of = [&](int64_t c) { return weight ? weight[groups.first_channel(g) + c] : T(1); };
  GradSums sums;
  for (int64_t c = 0; c < groups.channels; ++c) {
    const int64_t at = c * groups.plane;
    const GradSums plane = plane_sums(groups, grad + at, x + at, mean);
    sums.grad += plane.grad * double(weight_of(c));
    sums.product += plane.product * double(weight_of(c));
  }
  const double root = rstd, each = root / double(groups.elements());
  const T slope = T(root * root * each * sums.product), shift = T(each * sums.grad);
  for (int64_t c = 0; c < groups.channels; ++c) {
    const int64_t at = c * groups.plane;
    norm_rows<T>().scale_backward(groups.plane, grad + at, rstd * weight_of(c), x + at, mean, slope, shift,
                                  to + at);
  }
}

}  // namespace

Tensor group_norm_planes_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const Tensor& mean, const Tensor& rstd) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  const Groups groups(input.sizes(), mean.sizes()[1]);
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_group(groups, [&](int64_t g) {
      const int64_t at = g * groups.elements();
      group_backward(groups, g, grad.data_as<T>() + at, input.data_as<T>() + at, data_or_null<T>(weight),
                     mean.data_as<T>()[g], rstd.data_as<T>()[g], result.data_as<T>() + at);
    });
  });
  return result;
}

Tensor group_norm_weight_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                  const Tensor& rstd) {
  const int64_t images = input.sizes()[0], channels = input.sizes()[1];
  Tensor result = Tensor::empty(Dims{channels}, input.dtype());
  const Groups groups(input.sizes(), mean.sizes()[1]);
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(channels, norm_rows_per_piece(images * groups.plane), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        double total = 0;
        for (int64_t i = 0; i < images; ++i) {
          const int64_t at = (i * channels + c) * groups.plane,
                        g = i * groups.per_image + c / groups.channels;
          const T* x = input.data_as<T>() + at;
          total += plane_sums(groups, grad.data_as<T>() + at, x, mean.data_as<T>()[g]).product *
                   double(rstd.data_as<T>()[g]);
        }
        result.data_as<T>()[c] = T(total);
      }
    });
  });
  return result;
}

}  // namespace cpu

}  // namespace framejit::eager
