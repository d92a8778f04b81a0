#include "eager/meta/pooling.h"

#include "eager/error.h"
#include "eager/meta/memory_format.h"
#include "eager/meta/shapes.h"

namespace framejit::eager {

SymInt PoolGeometry::places(int d, SymInt input) const {
  const SymInt span = dilation.sym(d) * (kernel.sym(d) - 1) + 1, step = stride.sym(d), pad = padding.sym(d);
  SymInt count = floor_div(input + pad * 2 - span + (ceil_mode ? step - 1 : SymInt(0)), step) + 1;
  // A last window that would start in the padding behind the image is left out.
  if (ceil_mode && (count - 1) * step >= input + pad) count = count - 1;
  return count;
}

PoolGeometry max_geometry(const Value* args) {
  return {args[1].dims(), args[2].dims(), args[3].dims(), args[4].dims(), args[5].boolean()};
}
PoolGeometry average_geometry(const Value* args) {
  const Dims kernel = args[0].dims();
  return {kernel, args[1].dims(), args[2].dims(), Dims(kernel.size(), 1), args[3].boolean()};
}

namespace {

void check_geometry(const PoolGeometry& geometry) {
  for (int d = 0; d < geometry.spatial(); ++d) {
    FRAMEJIT_CHECK(geometry.kernel[d] > 0, "kernel size should be greater than zero, but got kernel_size=",
                   sizes_text(geometry.kernel));
    FRAMEJIT_CHECK(geometry.stride[d] > 0,
                   "stride should be greater than zero, but got stride=", sizes_text(geometry.stride));
    FRAMEJIT_CHECK(geometry.dilation[d] > 0,
                   "dilation should be greater than zero, but got dilation=", sizes_text(geometry.dilation));
    FRAMEJIT_CHECK(geometry.padding[d] >= 0, "pad must be non-negative, but got pad: ", geometry.padding[d]);
    FRAMEJIT_CHECK(geometry.padding[d] <= ((geometry.kernel[d] - 1) * geometry.dilation[d] + 1) / 2,
                   "pad should be at most half of effective kernel size, but got pad=", geometry.padding[d],
                   ", kernel_size=", geometry.kernel[d], " and dilation=", geometry.dilation[d]);
  }
}

/// The sizes of `self` with other spatial ones.
Dims with_spatial(const Dims& sizes, const Dims& spatial) {
  Dims result(sizes.span().first(size_t(sizes.size() - spatial.size())));
  for (int d = 0; d < spatial.size(); ++d) result.push_back(spatial.sym(d));
  return result;
}

/// Of images with channels last, results have them last.
TensorMeta pooled_meta(const TensorMeta& self, Dims sizes, DType dtype) {
  const std::string last = "channels_last";
  TensorMeta meta = contiguous_meta(std::move(sizes), dtype, self.device);
  if (self.sizes.size() == 4 && !is_contiguous(self.sizes, self.strides) && is_in_format(self, last))
    meta.strides = format_strides(meta.sizes, last);
  return meta;
}

void push_with_indices(Dims sizes, const TensorMeta& self, std::vector<TensorMeta>& results) {
  results.push_back(pooled_meta(self, sizes, self.dtype));
  results.push_back(pooled_meta(self, std::move(sizes), DType::int64));
}

void check_floating(const TensorMeta& self, const char* name) {
  FRAMEJIT_CHECK_TYPE(self.dtype != DType::bool_, not_implemented, "\"", name, "\" not implemented for '",
                      dtype_name(self.dtype), "'");
}

Dims adaptive_sizes(const TensorMeta& self, const Dims& output) {
  for (int d = 0; d < output.size(); ++d) {
    FRAMEJIT_CHECK(output.sym(d) >= 0,
                   "elements of output_size must be greater than or equal to 0 but received ",
                   sizes_text(output));
    FRAMEJIT_CHECK(self.sizes.sym(self.sizes.size() - output.size() + d) > 0,
                   "Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
                   sizes_text(self.sizes));
  }
  return with_spatial(self.sizes, output);
}

}  // namespace

Dims pooled_sizes(const TensorMeta& self, const PoolGeometry& geometry) {
  check_geometry(geometry);
  const int spatial = geometry.spatial(), first = self.sizes.size() - spatial;
  Dims sizes;
  for (int d = 0; d < spatial; ++d) {
    const SymInt input = self.sizes.sym(first + d), places = geometry.places(d, input);
    FRAMEJIT_CHECK(input > 0 && places > 0, "Given input size: ", sizes_text(self.sizes),
                   " and kernel_size=", sizes_text(geometry.kernel), ": calculated output size ",
                   places.str(), " in spatial dim ", d, ". Output size is too small");
    sizes.push_back(places);
  }
  return with_spatial(self.sizes, sizes);
}

void meta_pool_max(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  check_floating(self, "max_pool");
  push_with_indices(pooled_sizes(self, max_geometry(args)), self, results);
}
void meta_pool_adaptive_max(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  check_floating(self, "adaptive_max_pool");
  push_with_indices(adaptive_sizes(self, args[1].dims()), self, results);
}

/// args: self, kernel_size, output_size, samples.
void meta_pool_fractional_max(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &samples = args[3].impl()->meta;
  const Dims kernel = args[1].dims(), output = args[2].dims();
  const int first = self.sizes.size() - kernel.size();
  for (int d = 0; d < kernel.size(); ++d)
    FRAMEJIT_CHECK(kernel.sym(d) > 0 && output.sym(d) > 0 && kernel.sym(d) <= self.sizes.sym(first + d) &&
                       output.sym(d) + kernel.sym(d) - 1 <= self.sizes.sym(first + d),
                   "fractional_max_pool: pool size ", kernel.sym(d).str(),
                   " too large relative to input size ", self.sizes.sym(first + d).str());
  FRAMEJIT_CHECK(samples.dtype == self.dtype, "Expect _random_samples to have the same dtype as input");
  FRAMEJIT_CHECK(samples.sizes.size() == 3 && samples.sizes.sym(2) == kernel.size(),
                 "Expect _random_samples to have sizes (N, C, ", kernel.size(), "), but got ",
                 sizes_text(samples.sizes));
  push_with_indices(with_spatial(self.sizes, output), self, results);
}

/// args: self, indices, sizes, accumulate.
void meta_pool_scatter(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &indices = args[1].impl()->meta;
  FRAMEJIT_CHECK(indices.dtype == DType::int64,
                 "elements in indices should be type int64 but got: ", dtype_name(indices.dtype));
  FRAMEJIT_CHECK(indices.sizes == self.sizes,
                 "Expected shape of indices to be same as that of the input tensor (", sizes_text(self.sizes),
                 ") but got indices tensor with shape: ", sizes_text(indices.sizes));
  results.push_back(contiguous_meta(with_spatial(self.sizes, args[2].dims()), self.dtype, self.device));
}
void meta_pool_gather(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(args[1].impl()->meta.sizes, self.dtype, self.device));
}

void meta_pool_average(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  check_floating(self, "avg_pool");
  FRAMEJIT_CHECK(args[6].is_none() || args[6].integer() != 0, "divisor must be not zero");
  results.push_back(pooled_meta(self, pooled_sizes(self, average_geometry(args + 1)), self.dtype));
}
void meta_pool_adaptive_average(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  check_floating(self, "adaptive_avg_pool");
  results.push_back(pooled_meta(self, adaptive_sizes(self, args[1].dims()), self.dtype));
}
/// args: self, sizes, ...: gradients, which have the spatial sizes of the input.
void meta_pool_average_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(with_spatial(self.sizes, args[1].dims()), self.dtype, self.device));
}
void meta_pool_adaptive_average_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  meta_pool_average_backward(op, args, results);
}

}  // namespace framejit::eager
