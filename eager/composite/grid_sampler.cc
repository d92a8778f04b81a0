// grid_sampler. A kernel samples (cpu/images/grid_sample.cc) and makes the gradients; what is here beside it are weighted
// sums of gathered elements, from which the gradients of the gradients come.
#include "eager/autograd/autograd.h"
#include "eager/autograd/resampling_formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
#include "generated/ops/resampling.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

enum class Padding { zeros, border, reflection };

/// What lies outside of low ... high (both given twice) mirrored into it.
Tensor reflected(const Tensor& x, double twice_low, double twice_high) {
  if (twice_low == twice_high) return x * 0;
  const double low = twice_low / 2, span = (twice_high - twice_low) / 2;
  const Tensor distance = abs(x - low), rest = fmod(distance, span);
  const Tensor flips = floor(distance / span);
  return where(eq(remainder(flips, 2), 0), rest + low, rsub(rest, span) + low);
}

/// The coordinates of one dim of the images.
struct GridAxis {
  int64_t size;
  Padding padding;
  bool align_corners;

  /// From -1 ... 1 to 0 ... size - 1.
  Tensor pixels(const Tensor& x) const {
    return align_corners ? (x + 1) * (0.5 * double(size - 1)) : ((x + 1) * double(size) - 1) * 0.5;
  }
  Tensor padded(const Tensor& x) const {
    if (padding == Padding::zeros) return x;
    const double last = double(size - 1);
    if (padding == Padding::border) return clamp(x, 0, last);
    return clamp(align_corners ? reflected(x, 0, 2 * last) : reflected(x, -1, 2 * last + 1), 0, last);
  }
};

/// An element along one dim: its coordinate (a whole number, perhaps outside) and its weight.
struct Tap {
  Tensor place, weight;
};

/// Keys' kernel with a = -0.75: see resample.cc.
Tensor cubic_near(const Tensor& x) { return (x * 1.25 - 2.25) * x * x + 1; }
Tensor cubic_far(const Tensor& x) { return ((x * -0.75 + 3.75) * x - 6) * x + 3; }

std::vector<Tap> taps_of(const GridAxis& axis, const Tensor& grid, int64_t mode) {
  const Tensor raw = axis.pixels(grid);
  if (mode == 1) return {{round(axis.padded(raw)), {}}};
  if (mode == 0) {
    const Tensor x = axis.padded(raw), left = floor(x), part = x - left;
    return {{left, rsub(part, 1)}, {left + 1, part}};
  }
  const Tensor left = floor(raw), part = raw - left;
  return {{axis.padded(left - 1), cubic_far(part + 1)},
          {axis.padded(left), cubic_near(part)},
          {axis.padded(left + 1), cubic_near(rsub(part, 1))},
          {axis.padded(left + 2), cubic_far(rsub(part, 2))}};
}

/// The sum over all combinations of taps: `flat` is (N, C, elements), taps are (N, places).
class Sampler {
 public:
  Sampler(const Tensor& flat, const std::vector<GridAxis>& axes, const std::vector<std::vector<Tap>>& taps)
      : flat_(flat), axes_(axes), taps_(taps) {}

  Tensor run() {
    visit(0, {}, {}, {});
    return sum_;
  }

 private:
  /// `index`, `inside` and `weight`: of the dims before `d`, undefined for none.
  void visit(size_t d, const Tensor& index, const Tensor& inside, const Tensor& weight) {
    if (d == axes_.size()) return add(index, inside, weight);
    const double last = double(axes_[d].size - 1);
    for (const Tap& tap : taps_[d]) {
      const Tensor within = logical_and(ge(tap.place, 0), le(tap.place, last));
      const Tensor place = cast(masked_fill(ops::detach(tap.place), logical_not(within), 0), DType::int64);
      visit(d + 1, index.defined() ? index * axes_[d].size + place : place,
            inside.defined() ? logical_and(inside, within) : within,
            weight.defined() && tap.weight.defined() ? weight * tap.weight : tap.weight);
    }
  }
  void add(const Tensor& index, const Tensor& inside, const Tensor& weight) {
    Dims sizes = flat_.sizes();
    sizes[2] = index.size(1).bits();
    Tensor value = gather(flat_, 2, expand(unsqueeze(index, 1), sizes));
    if (weight.defined()) value = value * unsqueeze(weight, 1);
    value = masked_fill(value, unsqueeze(logical_not(inside), 1), 0);
    sum_ = sum_.defined() ? sum_ + value : value;
  }

  const Tensor& flat_;
  const std::vector<GridAxis>& axes_;
  const std::vector<std::vector<Tap>>& taps_;
  Tensor sum_;
};

void check_grid(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding) {
  FRAMEJIT_CHECK(mode >= 0 && mode <= 2, "grid_sampler(): expected interpolation_mode 0, 1 or 2, got ", mode);
  FRAMEJIT_CHECK(padding >= 0 && padding <= 2, "grid_sampler(): expected padding_mode 0, 1 or 2, got ",
                 padding);
  FRAMEJIT_CHECK(input.dtype() == grid.dtype(),
                 "grid_sampler(): expected input and grid to have same dtype, but input has ",
                 dtype_name(input.dtype()), " and grid has ", dtype_name(grid.dtype()));
  FRAMEJIT_CHECK(input.dim() == grid.dim() && (input.dim() == 4 || input.dim() == 5),
                 "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got "
                 "input with sizes ",
                 sizes_text(input.sizes()), " and grid with sizes ", sizes_text(grid.sizes()));
  FRAMEJIT_CHECK(input.size(0) == grid.size(0),
                 "grid_sampler(): expected grid and input to have same batch size, but got input with sizes ",
                 sizes_text(input.sizes()), " and grid with sizes ", sizes_text(grid.sizes()));
  FRAMEJIT_CHECK(grid.size(grid.dim() - 1) == input.dim() - 2, "grid_sampler(): expected grid to have size ",
                 input.dim() - 2, " in last dimension, but got grid with sizes ", sizes_text(grid.sizes()));
  FRAMEJIT_CHECK(mode != 2 || input.dim() == 4,
                 "grid_sampler(): bicubic interpolation only supports 4D input");
  for (int d = 2; d < input.dim(); ++d)
    FRAMEJIT_CHECK(
        input.size(d) > 0,
        "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ",
        sizes_text(input.sizes()), " with dimension ", d, " being empty");
}

/// What the kernel computes, in differentiable steps. The grid has x, the last dim, first.
Tensor sampled_by_gathers(const Tensor& images, const Tensor& grid, int64_t mode, Padding padding,
                          bool align_corners) {
  const int spatial = images.dim() - 2;
  const SymInt batch = images.size(0);
  std::vector<GridAxis> axes;
  std::vector<std::vector<Tap>> taps;
  SymInt elements = 1, places = 1;
  for (int d = 1; d <= spatial; ++d) places = places * grid.size(d);
  for (int d = 0; d < spatial; ++d) {
    axes.push_back({images.size(d + 2).expect(), padding, align_corners});
    elements = elements * axes.back().size;
    const Tensor coordinates = reshape(select(grid, -1, spatial - 1 - d), Dims{batch.bits(), places.bits()});
    taps.push_back(taps_of(axes.back(), coordinates, mode));
  }
  const Tensor flat = reshape(images, Dims{batch.bits(), images.size(1).bits(), elements.bits()});
  Dims sizes{batch.bits(), images.size(1).bits()};
  for (int d = 1; d <= spatial; ++d) sizes.push_back(grid.size(d));
  return reshape(Sampler(flat, axes, taps).run(), sizes);
}

}  // namespace

namespace ops {

/// The two gradients are the derivatives of s = sum(self * sampled(images, grid)), so that what is asked for are those
/// of grads[0] . ds/dimages + grads[1] . ds/dgrid.
std::array<Tensor, 3> sample_images_second_gradients(const std::vector<Tensor>& grads, const Tensor& self,
                                                     const Tensor& images, const Tensor& grid,
                                                     std::array<SymInt, 2> modes, bool align_corners,
                                                     const std::array<bool, 3>& needed) {
  const bool again = eager::modes().grad_enabled;
  const GradModeScope recorded(true);
  const auto variable = [again](const Tensor& of) {
    if (again && of.requires_grad()) return of;
    const Tensor leaf = ops::detach(of);
    set_requires_grad(leaf, true);
    return leaf;
  };
  const std::vector<Tensor> variables{variable(self), variable(images), variable(grid)};
  const Tensor sampled = sampled_by_gathers(variables[1], variables[2], modes[0].expect(),
                                            Padding(modes[1].expect()), align_corners);
  const std::vector<Tensor> first =
      eager::grad({sampled}, {variables[1], variables[2]}, {variables[0]}, {true, true}, true);
  std::vector<Tensor> outputs, output_grads;
  for (size_t i = 0; i < 2; ++i)
    if (grads[i].defined() && first[i].defined() && first[i].requires_grad()) {
      outputs.push_back(first[i]);
      output_grads.push_back(grads[i]);
    }
  std::array<Tensor, 3> gradients;
  const std::vector<Tensor> second =
      outputs.empty() ? std::vector<Tensor>(3)
                      : eager::grad(outputs, variables, output_grads, {again, again}, true);
  for (size_t i = 0; i < 3; ++i)
    if (needed[i]) gradients[i] = second[i].defined() ? second[i] : variables[i] * 0;
  return gradients;
}

}  // namespace ops

/// args: input, grid, interpolation_mode, padding_mode, align_corners.
void grid_sampler_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor(), grid = args[1].tensor();
  check_grid(input, grid, args[2].integer(), args[3].integer());
  results[0] = narrowed(
      sample_images(widened(input), widened(grid), args[2].integer(), args[3].integer(), args[4].boolean()),
      input.dtype());
}

}  // namespace framejit::eager
