// The public pooling functions: ranks, defaults, and which of the rows does the work.
#include "eager/composite/no_graph.h"
#include "eager/composite/support.h"
#include "eager/cpu/images/pooled_values.h"
#include "eager/meta/convolution.h"
#include "generated/ops/activation.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/pooling.h"
#include "generated/ops/random.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

namespace {

void check_rank(const char* name, const Tensor& input, int spatial) {
  FRAMEJIT_CHECK(input.dim() == spatial + 1 || input.dim() == spatial + 2, name, ": Expected ", spatial + 1,
                 "D or ", spatial + 2,
                 "D (batch mode) tensor for input, but got: ", sizes_text(input.sizes()));
}

/// The stride is the kernel's size where none is given.
Dims stride_or(const Value& stride, const Dims& kernel) {
  if (stride.is_none() || stride.dims().empty()) return kernel;
  return expanded_list(stride.dims(), kernel.size(), "stride");
}

/// args: input, kernel_size, stride, padding, dilation, ceil_mode.
PoolGeometry checked_max_geometry(const char* name, int spatial, const Value* args) {
  check_rank(name, args[0].tensor(), spatial);
  const Dims kernel = expanded_list(args[1].dims(), spatial, "kernel_size");
  return {kernel, stride_or(args[2], kernel), expanded_list(args[3].dims(), spatial, "padding"),
          expanded_list(args[4].dims(), spatial, "dilation"), args[5].boolean()};
}

std::array<Tensor, 2> max_pool_with_indices(const Tensor& input, const PoolGeometry& g) {
  return pool_max(input, g.kernel, g.stride, g.padding, g.dilation, g.ceil_mode);
}

/// Where nobody will ask for a gradient, no indices are made.
Tensor max_pool(const Tensor& input, const PoolGeometry& geometry) {
  if (needs_no_graph({input}) && cpu::are_pooled_by_rows(input, geometry.spatial()))
    return cpu::largest_of_windows(input, geometry);
  return max_pool_with_indices(input, geometry)[0];
}

/// args: input, kernel_size, stride, padding, ceil_mode, count_include_pad, and divisor_override but in 1d.
Tensor avg_pool(const char* name, int spatial, const Value* args) {
  const Tensor input = args[0].tensor();
  check_rank(name, input, spatial);
  const Dims kernel = expanded_list(args[1].dims(), spatial, "kernel_size");
  std::optional<SymInt> divisor;
  if (spatial > 1 && !args[6].is_none()) divisor = args[6].sym_int();
  return pool_average(input, kernel, stride_or(args[2], kernel),
                      expanded_list(args[3].dims(), spatial, "padding"), args[4].boolean(), args[5].boolean(),
                      divisor);
}

/// The average over all is a mean, which is faster: for small images by a kernel of its own, where nobody will
/// ask for a gradient.
Tensor adaptive_avg_pool(const char* name, int spatial, const Value* args) {
  const Tensor input = args[0].tensor();
  check_rank(name, input, spatial);
  const Dims output = expanded_list(args[1].dims(), spatial, "output_size");
  bool all = is_floating(input.dtype());
  Dims dims;
  for (int d = 0; d < spatial; ++d) {
    dims.push_back(int64_t(d - spatial));
    all = all && output.sym(d) == 1 && input.size(input.dim() - 1 - d) > 0;
  }
  if (!all) return pool_adaptive_average(input, output);
  if (needs_no_graph({input}) && cpu::are_pooled_by_rows(input, spatial) &&
      cpu::are_small_images(input, spatial))
    return cpu::means_of_images(input, spatial);
  return mean(input, dims, true);
}

std::array<Tensor, 2> adaptive_max_pool(const char* name, int spatial, const Value* args) {
  const Tensor input = args[0].tensor();
  check_rank(name, input, spatial);
  return pool_adaptive_max(input, expanded_list(args[1].dims(), spatial, "output_size"));
}

/// args: input, norm_type, kernel_size, stride, ceil_mode.
Tensor lp_pool(const char* name, int spatial, const Value* args) {
  const Tensor input = args[0].tensor();
  check_rank(name, input, spatial);
  const Dims kernel = expanded_list(args[2].dims(), spatial, "kernel_size");
  const double power = args[1].real();
  SymInt count = 1;
  for (int d = 0; d < spatial; ++d) count = count * kernel.sym(d);
  const Tensor averages = pool_average(pow(input, power), kernel, stride_or(args[3], kernel),
                                       Dims(spatial, 0), args[4].boolean(), true, std::nullopt);
  return pow(sign(averages) * relu(abs(averages)) * Value(count), 1 / power);
}

/// args: input, indices, kernel_size, stride, padding, output_size.
Tensor max_unpool(const char* name, int spatial, const Value* args) {
  const Tensor input = args[0].tensor();
  check_rank(name, input, spatial);
  const Dims kernel = expanded_list(args[2].dims(), spatial, "kernel_size"),
             stride = stride_or(args[3], kernel), padding = expanded_list(args[4].dims(), spatial, "padding");
  Dims sizes;
  for (int d = 0; d < spatial; ++d)
    sizes.push_back((input.size(input.dim() - spatial + d) - 1) * stride.sym(d) + kernel.sym(d) -
                    padding.sym(d) * 2);
  if (!args[5].is_none()) {
    const Dims given = args[5].dims();
    FRAMEJIT_CHECK_TYPE(given.size() >= spatial, value, "output_size should be a sequence containing ",
                        spatial, " or ", spatial + 2, " elements, but it has a length of '", given.size(),
                        "'");
    for (int d = 0; d < spatial; ++d) {
      const SymInt size = given.sym(given.size() - spatial + d), least = sizes.sym(d) - stride.sym(d),
                   most = sizes.sym(d) + stride.sym(d);
      FRAMEJIT_CHECK_TYPE(least < size && size < most, value, "invalid output_size \"", sizes_text(given),
                          "\" (dim ", d, " must be between ", least.str(), " and ", most.str(), ")");
      sizes[d] = size.bits();
    }
  }
  return pool_scatter(input, args[1].tensor(), sizes, false);
}

/// args: input, kernel_size, output_size, output_ratio, return_indices, random samples.
std::array<Tensor, 2> fractional_max_pool(const char* name, int spatial, const Value* args) {
  const Tensor input = args[0].tensor();
  check_rank(name, input, spatial);
  FRAMEJIT_CHECK_TYPE(!args[2].is_none() || !args[3].is_none(), value, name,
                      " requires specifying either an output_size or an output_ratio");
  Dims output;
  if (!args[2].is_none()) {
    output = expanded_list(args[2].dims(), spatial, "output_size");
  } else {
    const std::vector<double>& ratio = args[3].real_list();
    for (int d = 0; d < spatial; ++d)
      output.push_back(int64_t(double(input.size(input.dim() - spatial + d).expect()) *
                               ratio[size_t(d) < ratio.size() ? size_t(d) : ratio.size() - 1]));
  }
  Tensor samples = args[5].tensor();
  if (!samples.defined()) {
    const SymInt batch = input.dim() == spatial + 2 ? input.size(0) : SymInt(1);
    Dims sizes;
    for (const SymInt size : {batch, input.size(input.dim() - spatial - 1), SymInt(spatial)})
      sizes.push_back(size);
    samples = rand(sizes, {}, input.dtype(), input.device());
  }
  return pool_fractional_max(input, expanded_list(args[1].dims(), spatial, "kernel_size"), output, samples);
}

void store(std::array<Tensor, 2> pair, Value* results) {
  results[0] = std::move(pair[0]);
  results[1] = std::move(pair[1]);
}

}  // namespace

#define FRAMEJIT_POOLING(n)                                                                            \
  void max_pool##n##d_composite(const Value* args, Value* results) {                                   \
    results[0] = max_pool(args[0].tensor(), checked_max_geometry("max_pool" #n "d()", n, args));       \
  }                                                                                                    \
  void max_pool##n##d_with_indices_composite(const Value* args, Value* results) {                      \
    store(max_pool_with_indices(args[0].tensor(), checked_max_geometry("max_pool" #n "d()", n, args)), \
          results);                                                                                    \
  }                                                                                                    \
  void avg_pool##n##d_composite(const Value* args, Value* results) {                                   \
    results[0] = avg_pool("avg_pool" #n "d()", n, args);                                               \
  }                                                                                                    \
  void adaptive_avg_pool##n##d_composite(const Value* args, Value* results) {                          \
    results[0] = adaptive_avg_pool("adaptive_avg_pool" #n "d()", n, args);                             \
  }                                                                                                    \
  void adaptive_max_pool##n##d_with_indices_composite(const Value* args, Value* results) {             \
    store(adaptive_max_pool("adaptive_max_pool" #n "d()", n, args), results);                          \
  }                                                                                                    \
  void lp_pool##n##d_composite(const Value* args, Value* results) {                                    \
    results[0] = lp_pool("lp_pool" #n "d()", n, args);                                                 \
  }                                                                                                    \
  void max_unpool##n##d_composite(const Value* args, Value* results) {                                 \
    results[0] = max_unpool("max_unpool" #n "d()", n, args);                                           \
  }
FRAMEJIT_POOLING(1)
FRAMEJIT_POOLING(2)
FRAMEJIT_POOLING(3)
#undef FRAMEJIT_POOLING

void fractional_max_pool2d_composite(const Value* args, Value* results) {
  store(fractional_max_pool("fractional_max_pool2d", 2, args), results);
}
void fractional_max_pool3d_composite(const Value* args, Value* results) {
  store(fractional_max_pool("fractional_max_pool3d", 3, args), results);
}

}  // namespace framejit::eager
