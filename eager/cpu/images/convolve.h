// Convolutions of contiguous images in memory.
#pragma once

#include "eager/cpu/images/patch_product.h"
#include "eager/cpu/images/plane_filter.h"

namespace framejit::eager::cpu {

/// Whether a group's result has too few channels for products of matrices.
template <class T>
bool are_few(int64_t result_channels) {
  return result_channels * 2 <= panel_kernels<T>().rows;
}

/// The weights of a group are `group_stride` after those of the one before it; `bias` may be null.
template <class T>
void convolve(const Shapes& shapes, const Images<T>& input, const WeightView<T>& weights,
              int64_t group_stride, const T* bias, T* result);

/// `shapes.window` moves over the result. Weights are contiguous, those of a pixel's channel side by side.
template <class T>
void convolve_transposed(const Shapes& shapes, const Images<T>& input, const T* weight, const T* bias,
                         T* result);

}  // namespace framejit::eager::cpu
