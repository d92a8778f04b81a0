#include "eager/cpu/nn/target_losses.h"

#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kPiece = 8 * 1024;  ///< targets worth a thread

/// Scores are outer x classes x inner, targets outer x inner.
RowShape score_shape(const Dims& sizes) { return row_shape(sizes, sizes.size() == 1 ? 0 : 1); }

/// Calls `f(target number, place of its class among the scores, or -1 for what is ignored)`.
template <class F>
void for_each_target(const RowShape& shape, const int64_t* targets, int64_t ignored, const F& f) {
  parallel_for(shape.outer * shape.inner, kPiece, [&](int64_t begin, int64_t end) {
    int64_t outer = begin / shape.inner, inner = begin % shape.inner;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t target = targets[i];
      const bool counts = target != ignored;
      FRAMEJIT_CHECK_TYPE(!counts || (target >= 0 && target < shape.length), index, "Target ", target,
                          " is out of bounds. Expected classes from 0 to ", shape.length - 1,
                          ", or ignore_index.");
      f(i, counts ? (outer * shape.length + target) * shape.inner + inner : -1);
      if (++inner == shape.inner) {
        inner = 0;
        ++outer;
      }
    }
  });
}

/// Calls `f(T())` with the C++ type of a floating dtype.
template <class F>
void for_floats(DType dtype, const F& f) {
  for_dtype(dtype, [&](auto zero) {
    if constexpr (!std::is_integral_v<decltype(zero)>)
      f(zero);
    else
      fail(ErrorType::not_implemented, "\"nll_loss\" not implemented for '", dtype_name(dtype),
           "' on cpu; it exists for floating types");
  });
}

}  // namespace

/// args: self, target, weight, ignore_index. Results: of each target, the loss and the weight.
void meta_target_losses(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  for (int i = 0; i < 2; ++i)
    results.push_back(contiguous_meta(args[1].impl()->meta.sizes, self.dtype, self.device));
}

void target_losses_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), target = contiguous(args[1].tensor()),
               weight = args[2].is_none() ? Tensor() : contiguous_as(args[2].tensor(), self.dtype());
  std::vector<TensorMeta> metas;
  meta_target_losses(op, args, metas);
  const Tensor losses = Tensor::empty(metas[0]), weights = Tensor::empty(metas[1]);
  const RowShape shape = score_shape(self.sizes());
  for_floats(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *scores = self.data_as<T>(), *of_class = weight.defined() ? weight.data_as<T>() : nullptr;
    T *loss = losses.data_as<T>(), *of_target = weights.data_as<T>();
    const int64_t* classes = target.data_as<int64_t>();
    for_each_target(shape, classes, args[3].integer(), [&](int64_t i, int64_t place) {
      of_target[i] = place < 0 ? T(0) : of_class ? of_class[classes[i]] : T(1);
      loss[i] = place < 0 ? T(0) : of_class ? T(-(scores[place] * of_target[i])) : T(-scores[place]);
    });
  });
  results[0] = losses;
  results[1] = weights;
}

namespace cpu {

Tensor target_losses_backward(const Tensor& grad, const Dims& sizes, const Tensor& target,
                              const Tensor& weights, int64_t ignored) {
  Tensor result = Tensor::empty(sizes, grad.dtype());
  const Tensor of_losses = contiguous(grad), classes = contiguous(target);
  for_floats(grad.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *g = of_losses.data_as<T>(), *of_target = weights.data_as<T>();
    T* to = result.data_as<T>();
    std::fill_n(to, result.numel().expect(), T(0));
    for_each_target(score_shape(sizes), classes.data_as<int64_t>(), ignored, [&](int64_t i, int64_t place) {
      if (place >= 0) to[place] = T(-(g[i] * of_target[i]));
    });
  });
  return result;
}

}  // namespace cpu

}  // namespace framejit::eager
