// batch_norm by given statistics: each channel times a number, plus a number, and the gradients of that.
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/channels.h"

namespace framejit::eager {

using namespace cpu;

/// args: input, scale, shift.
void meta_scale_channels(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  FRAMEJIT_CHECK(is_float_type(input.dtype) && input.sizes.size() >= 2, op.schema.name,
                 ": input must be of float32 or float64, with channels");
  for (int i : {1, 2})
    FRAMEJIT_CHECK(args[i].impl()->meta.sizes == Dims{input.sizes[1]}, op.schema.name,
                   ": scale and shift must have an element for each channel");
  results.push_back(contiguous_meta(input.sizes, input.dtype, input.device));
}

namespace {

template <class T>
void scale_channels(const Channels& channels, const T* x, const T* scale, const T* shift, T* to) {
  if (channels.are_columns())
    return for_each_tile<T>(channels, [&](int64_t first, const Columns& columns) {
      const T* none = fill<T>(columns.columns, [](int64_t) { return 0; });
      norm_rows<T>().scale_columns(columns, x + first, none, scale + first, shift + first, to + first);
    });
  const int64_t planes = channels.planes * channels.count;
  parallel_for(planes, norm_rows_per_piece(channels.plane), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t c = p % channels.count, at = p * channels.plane;
      norm_rows<T>().scale(channels.plane, x + at, T(0), scale[c], shift[c], to + at);
    }
  });
}

}  // namespace

void scale_channels_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const auto operand = [&](int i) { return contiguous_as(args[i].tensor(), result.dtype()); };
  const Tensor input = operand(0), scale = operand(1), shift = operand(2);
  if (!(input.numel() == 0))
    for_float_type(input.dtype(), [&](auto zero) {
      using T = decltype(zero);
      scale_channels(Channels(input), input.data_as<T>(), scale.data_as<T>(), shift.data_as<T>(),
                     result.data_as<T>());
    });
  results[0] = std::move(result);
}

namespace cpu {

namespace {

/// Where the gradients go; `input` is null where that is not asked for.
template <class T>
struct ScaleGradients {
  T *input, *scale, *shift;
};

template <class T>
void columns_backward(int64_t first, const Columns& columns, const T* grad, const T* x, const T* scale,
                      const ScaleGradients<T>& to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const int64_t n = columns.columns;
  const T* none = fill<T>(n, [](int64_t) { return 0; });
  double *sums = fill<double>(n, [](int64_t) { return 0; }),
         *products = fill<double>(n, [](int64_t) { return 0; });
  kernels.sum_columns(columns, grad, sums);
  kernels.products_columns(columns, grad, x, none, products);
  std::copy_n(products, n, to.scale + first);
  std::copy_n(sums, n, to.shift + first);
  if (to.input) kernels.scale_columns(columns, grad, none, scale + first, none, to.input + first);
}

template <class T>
void channel_backward(const Channels& channels, int64_t c, const T* grads, const T* input, T scale,
                      const ScaleGradients<T>& to) {
  const NormRows<T>& kernels = norm_rows<T>();
  const T *grad = channels.gather(grads), *x = channels.gather(input);
  const GradSums sums = kernels.products(channels.stretches(), grad, x, T(0));
  to.scale[c] = T(sums.product), to.shift[c] = T(sums.grad);
  if (!to.input) return;
  channels.write(to.input + c * channels.plane,
                 [&](int64_t at, int64_t n, T* out) { kernels.scale(n, grad + at, T(0), scale, T(0), out); });
}

}  // namespace

NormGradients scale_channels_backward(const Tensor& grad, const Tensor& input, const Tensor& scale,
                                      bool of_input) {
  const Channels channels(input);
  NormGradients gradients = empty_gradients(channels, input, of_input);
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *g = grad.data_as<T>(), *x = input.data_as<T>(), *factors = scale.data_as<T>();
    const ScaleGradients<T> to{of_input ? gradients[0].data_as<T>() : nullptr, gradients[1].data_as<T>(),
                               gradients[2].data_as<T>()};
    if (channels.are_columns())
      return for_each_tile<T>(channels, [&](int64_t first, const Columns& columns) {
        columns_backward(first, columns, g + first, x + first, factors, to);
      });
    for_each_channel(channels, [&](int64_t c) {
      const int64_t at = c * channels.plane;
      channel_backward(channels, c, g + at, x + at, factors[c], to);
    });
  });
  return gradients;
}

}  // namespace cpu

}  // namespace framejit::eager
