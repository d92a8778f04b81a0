#include "eager/cpu/images/pool_windows.h"

#include <algorithm>

#include "eager/cpu/kernel_support.h"

namespace framejit::eager::cpu {

Windows even_windows(const PoolGeometry& geometry, const Spatial& input, const Spatial& output) {
  const Spatial kernel = spatial(geometry.kernel, 1), stride = spatial(geometry.stride, 1),
                padding = spatial(geometry.padding, 0), dilation = spatial(geometry.dilation, 1);
  Windows windows;
  for (size_t d = 0; d < kSpatial; ++d) {
    AxisWindows& axis = windows[d];
    axis.step = dilation[d];
    for (int64_t i = 0; i < output[d]; ++i) {
      const int64_t start = i * stride[d] - padding[d], span = (kernel[d] - 1) * dilation[d] + 1;
      const int64_t skipped = start < 0 ? (dilation[d] - 1 - start) / dilation[d] * dilation[d] : 0;
      axis.begin.push_back(start + skipped);
      axis.end.push_back(std::min(start + span, input[d]));
      axis.padded_count.push_back(std::min(start + span, input[d] + padding[d]) - start);
    }
  }
  return windows;
}

Windows adaptive_windows(const Spatial& input, const Spatial& output, const Tensor& result) {
  Windows windows;
  if (result.numel() == 0) return windows;
  for (size_t d = 0; d < kSpatial; ++d)
    for (int64_t i = 0; i < output[d]; ++i) {
      windows[d].begin.push_back(i * input[d] / output[d]);
      windows[d].end.push_back(((i + 1) * input[d] + output[d] - 1) / output[d]);
      windows[d].padded_count.push_back(windows[d].end.back() - windows[d].begin.back());
    }
  return windows;
}

Tensor laid_out(Tensor result, const TensorMeta& meta) {
  if (is_contiguous(meta.sizes, meta.strides)) return result;
  Tensor copy = Tensor::empty(meta);
  copy_elements(result, copy);
  return copy;
}

}  // namespace framejit::eager::cpu
