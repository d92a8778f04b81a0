// interpolate: sizes and modes; `resample` and adaptive pooling do the work.
#include <cmath>

#include "eager/composite/support.h"
#include "generated/ops/pooling.h"
#include "generated/ops/resampling.h"

namespace framejit::eager {

namespace {

/// Spatial sizes of the result, and the factors that the user gave (none where only sizes count).
struct Target {
  Dims sizes;
  std::vector<double> scales;
};

/// args: ..., size, scale_factor, mode, align_corners, recompute_scale_factor.
Target target_of(const Tensor& input, const Value* args) {
  const int spatial = input.dim() - 2;
  const bool recompute = !args[5].is_none() && args[5].boolean();
  FRAMEJIT_CHECK_TYPE(args[1].is_none() || args[2].is_none(), value,
                      "only one of size or scale_factor should be defined");
  FRAMEJIT_CHECK_TYPE(!args[1].is_none() || !args[2].is_none(), value,
                      "either size or scale_factor should be defined");
  Target target;
  if (!args[1].is_none()) {
    FRAMEJIT_CHECK_TYPE(!recompute, value, "recompute_scale_factor is not meaningful with an explicit size.");
    target.sizes = args[1].dims();
    if (target.sizes.size() == 1) target.sizes = Dims(spatial, target.sizes[0]);
    FRAMEJIT_CHECK_TYPE(
        target.sizes.size() == spatial, value,
        "Input and output must have the same number of spatial dimensions, but got input with sizes ",
        sizes_text(input.sizes()), " and output size of ", sizes_text(target.sizes));
    return target;
  }
  target.scales = args[2].real_list();
  FRAMEJIT_CHECK_TYPE(
      int(target.scales.size()) == spatial, value,
      "Input and scale_factor must have the same number of spatial dimensions, but got input with sizes ",
      sizes_text(input.sizes()), " and ", target.scales.size(), " scale factors");
  for (int d = 0; d < spatial; ++d) {
    const double scale = target.scales[size_t(d)];
    const SymInt size = input.size(d + 2);
    // A whole factor keeps symbolic sizes symbolic.
    if (scale == std::floor(scale))
      target.sizes.push_back(size * int64_t(scale));
    else
      target.sizes.push_back(int64_t(std::floor(double(size.expect()) * scale)));
  }
  if (recompute) target.scales.clear();
  return target;
}

struct Mode {
  const char* name;
  const char* base;                   ///< of `resample`; null: adaptive pooling
  int spatial;                        ///< 0: any
  bool aligns_corners;                ///< takes align_corners
  const char* antialiased = nullptr;  ///< the same of `resample`, with antialias=True
};
constexpr Mode kModes[] = {
    {"nearest", "nearest", 0, false},
    {"nearest-exact", "nearest-exact", 0, false},
    {"area", nullptr, 0, false},
    {"linear", "linear", 1, true},
    {"bilinear", "linear", 2, true, "linear-antialiased"},
    {"bicubic", "cubic", 2, true, "cubic-antialiased"},
    {"trilinear", "linear", 3, true},
};

}  // namespace

/// args: input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias.
void interpolate_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  const std::string& name = args[3].string();
  const Mode* mode =
      std::find_if(std::begin(kModes), std::end(kModes), [&](const Mode& m) { return name == m.name; });
  FRAMEJIT_CHECK_TYPE(
      mode != std::end(kModes) && input.dim() >= 3 && input.dim() <= 5, not_implemented,
      "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", input.dim(),
      "D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got ",
      name, ")");
  FRAMEJIT_CHECK_TYPE(
      mode->aligns_corners || args[4].is_none(), value,
      "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
      "trilinear");
  const Target target = target_of(input, args);
  const bool antialias = args[6].boolean();
  FRAMEJIT_CHECK_TYPE(
      !antialias || (mode->antialiased && input.dim() == 4), value,
      "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as "
      "input");
  FRAMEJIT_CHECK_TYPE(mode->spatial == 0 || mode->spatial == input.dim() - 2, not_implemented, "Got ",
                      input.dim(), "D input, but ", name, " mode needs ", mode->spatial + 2, "D input");
  const bool align_corners = !args[4].is_none() && args[4].boolean();
  if (!mode->base) return void(results[0] = pool_adaptive_average(input, target.sizes));
  results[0] =
      resample(input, target.sizes, antialias ? mode->antialiased : mode->base, align_corners, target.scales);
}

}  // namespace framejit::eager
