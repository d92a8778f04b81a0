// grid_sampler as weighted sums of gathered elements.
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/elementary.h"
#include "generated/ops/indexing.h"
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
      const Tensor place = cast(masked_fill(detach(tap.place), logical_not(within), 0), DType::int64);
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

void check_grid(const Tensor& input, const Tensor& grid, int64_t mode) {
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

}  // namespace

/// args: input, grid, interpolation_mode, padding_mode, align_corners. The grid has x, the last dim, first.
void grid_sampler_composite(const Value* args, Value* results) {
  const int64_t mode = args[2].integer();
  check_grid(args[0].tensor(), args[1].tensor(), mode);
  const Tensor input = widened(args[0].tensor()), grid = widened(args[1].tensor());
  const int spatial = input.dim() - 2;
  const SymInt batch = input.size(0);
  std::vector<GridAxis> axes;
  std::vector<std::vector<Tap>> taps;
  for (int d = 0; d < spatial; ++d) {
    axes.push_back({input.size(d + 2).expect(), Padding(args[3].integer()), args[4].boolean()});
    Dims rows;
    rows.push_back(batch);
    rows.push_back(SymInt(-1));
    if (grid.numel() == 0) rows[1] = 0;
    taps.push_back(taps_of(axes.back(), reshape(select(grid, -1, spatial - 1 - d), rows), mode));
  }
  Dims flat_sizes, sizes;
  SymInt elements = 1;
  for (const GridAxis& axis : axes) elements = elements * axis.size;
  for (const SymInt size : {batch, input.size(1), elements}) flat_sizes.push_back(size);
  sizes.push_back(batch);
  sizes.push_back(input.size(1));
  for (int d = 1; d <= spatial; ++d) sizes.push_back(grid.size(d));
  const Tensor flat = reshape(input, flat_sizes);
  results[0] = narrowed(reshape(Sampler(flat, axes, taps).run(), sizes), args[0].impl()->meta.dtype);
}

}  // namespace framejit::eager
