// pad in all modes, and the shuffles of channels and pixels.
#include "eager/autograd/formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/copy.h"
#include "generated/ops/joining.h"
#include "generated/ops/padding.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// Without what negative entries cut away.
Tensor cut(const Tensor& x, const Dims& pad) {
  Tensor result = x;
  for (int i = 0; i < pad.size() / 2; ++i) {
    const int dim = x.dim() - 1 - i;
    const SymInt before = pad.sym(2 * i), after = pad.sym(2 * i + 1);
    if (before >= 0 && after >= 0) continue;
    const SymInt from = before < 0 ? SymInt(0) - before : SymInt(0);
    const SymInt kept = result.size(dim) - from + (after < 0 ? after : SymInt(0));
    FRAMEJIT_CHECK(kept >= 0, "pad: a padding of ", before.str(), " and ", after.str(),
                   " leaves less than nothing of dimension ", dim, " of input ", sizes_text(x.sizes()));
    result = narrow(result, dim, from, kept);
  }
  return result;
}

void check_sizes(const Tensor& input, const Dims& pad, const std::string& mode) {
  for (int i = 0; i < pad.size() / 2; ++i) {
    const int dim = input.dim() - 1 - i;
    const SymInt before = pad.sym(2 * i), after = pad.sym(2 * i + 1), size = input.size(dim);
    if (mode == "reflect")
      FRAMEJIT_CHECK(before < size && after < size,
                     "Padding size should be less than the corresponding input dimension, but got: padding (",
                     before.str(), ", ", after.str(), ") at dimension ", dim, " of input ",
                     sizes_text(input.sizes()));
    if (mode == "circular")
      FRAMEJIT_CHECK(before <= size && after <= size, "Padding value causes wrapping around more than once.");
    if (mode == "replicate")
      FRAMEJIT_CHECK(size > 0, "Expected non-zero size of dimension ", dim, " of input ",
                     sizes_text(input.sizes()));
  }
}

}  // namespace

/// args: input, pad, mode, value.
void pad_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  const Dims pad = args[1].dims();
  const std::string& mode = args[2].string();
  FRAMEJIT_CHECK(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  FRAMEJIT_CHECK(
      pad.size() <= 2 * input.dim(),
      "Padding length should be less than or equal to two times the input dimension but got padding length ",
      pad.size(), " and input of dimension ", input.dim());
  if (mode == "constant")
    return void(results[0] = constant_pad_nd(input, pad, args[3].is_none() ? Value(0) : args[3]));
  FRAMEJIT_CHECK(args[3].is_none() || args[3].real() == 0, "Padding mode \"", mode,
                 "\" doesn't take in value argument");
  FRAMEJIT_CHECK_TYPE(mode == "reflect" || mode == "replicate" || mode == "circular", not_implemented,
                      "Unrecognised padding mode ", mode);
  const int spatial = pad.size() / 2;
  FRAMEJIT_CHECK_TYPE(
      spatial >= 1 && spatial <= 3 && (input.dim() == spatial + 1 || input.dim() == spatial + 2),
      not_implemented, "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  check_sizes(input, pad, mode);
  // Only 'circular' repeats what is left after cutting; the others repeat elements that may be cut away.
  if (mode == "circular") {
    Dims added = pad;
    for (int i = 0; i < added.size(); ++i)
      if (added.sym(i) < 0) added[i] = 0;
    results[0] = pad_by_elements(cut(input, pad), added, mode);
  } else {
    results[0] = pad_by_elements(input, pad, mode);
  }
}

namespace {

Dims leading_sizes(const Tensor& x, int dropped) {
  return Dims(x.sizes().span().first(size_t(x.dim() - dropped)));
}
/// (0, 1, ..., batch - 1, batch + order[0], ...).
Dims permutation(int batch, std::initializer_list<int> order) {
  Dims dims;
  for (int d = 0; d < batch; ++d) dims.push_back(int64_t(d));
  for (int d : order) dims.push_back(int64_t(batch + d));
  return dims;
}
Dims appended(Dims sizes, std::initializer_list<SymInt> more) {
  for (const SymInt size : more) sizes.push_back(size);
  return sizes;
}

}  // namespace

void pixel_shuffle_composite(const Value* args, Value* results) {
  const Tensor x = args[0].tensor();
  const SymInt r = args[1].sym_int();
  const int batch = x.dim() - 3;
  FRAMEJIT_CHECK(batch >= 0, "pixel_shuffle expects input to have at least 3 dimensions, but got input with ",
                 x.dim(), " dimension(s)");
  FRAMEJIT_CHECK(r > 0, "pixel_shuffle expects a positive upscale_factor, but got ", r.str());
  const SymInt channels = x.size(batch), high = x.size(batch + 1), wide = x.size(batch + 2);
  FRAMEJIT_CHECK(floor_mod(channels, r * r) == 0,
                 "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                 "upscale_factor, but input.size(-3)=",
                 channels.str(), " is not divisible by ", (r * r).str());
  const SymInt out = floor_div(channels, r * r);
  const Tensor split = reshape(x, appended(leading_sizes(x, 3), {out, r, r, high, wide}));
  results[0] = reshape(contiguous_copy(permute(split, permutation(batch, {0, 3, 1, 4, 2}))),
                       appended(leading_sizes(x, 3), {out, high * r, wide * r}));
}

void pixel_unshuffle_composite(const Value* args, Value* results) {
  const Tensor x = args[0].tensor();
  const SymInt r = args[1].sym_int();
  const int batch = x.dim() - 3;
  FRAMEJIT_CHECK(batch >= 0,
                 "pixel_unshuffle expects input to have at least 3 dimensions, but got input with ", x.dim(),
                 " dimension(s)");
  FRAMEJIT_CHECK(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got ", r.str());
  const SymInt channels = x.size(batch), high = x.size(batch + 1), wide = x.size(batch + 2);
  FRAMEJIT_CHECK(
      floor_mod(high, r) == 0 && floor_mod(wide, r) == 0,
      "pixel_unshuffle expects height and width to be divisible by downscale_factor, but input of size ",
      sizes_text(x.sizes()), " is not divisible by ", r.str());
  const SymInt to_high = floor_div(high, r), to_wide = floor_div(wide, r);
  const Tensor split = reshape(x, appended(leading_sizes(x, 3), {channels, to_high, r, to_wide, r}));
  results[0] = reshape(contiguous_copy(permute(split, permutation(batch, {0, 2, 4, 1, 3}))),
                       appended(leading_sizes(x, 3), {channels * r * r, to_high, to_wide}));
}

void channel_shuffle_composite(const Value* args, Value* results) {
  const Tensor x = args[0].tensor();
  const SymInt groups = args[1].sym_int();
  FRAMEJIT_CHECK(x.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ",
                 sizes_text(x.sizes()));
  FRAMEJIT_CHECK(groups > 0,
                 "Number of groups to divide channels in must be positive. Value of groups:", groups.str());
  FRAMEJIT_CHECK(floor_mod(x.size(1), groups) == 0, "Number of channels must be divisible by groups. Got ",
                 x.size(1).str(), " channels and ", groups.str(), " groups.");
  const SymInt channels = floor_div(x.size(1), groups);
  Dims sizes = appended(Dims(), {x.size(0), groups, channels});
  for (int d = 2; d < x.dim(); ++d) sizes.push_back(x.size(d));
  const Tensor split = reshape(x, sizes);
  results[0] = reshape(transpose(split, 1, 2), x.sizes());
}

namespace ops {

Dims negated(const Dims& values) {
  Dims result;
  for (int i = 0; i < values.size(); ++i) result.push_back(SymInt(0) - values.sym(i));
  return result;
}
Dims last_sizes(const Dims& sizes, int count) { return Dims(sizes.span().last(size_t(count))); }

}  // namespace ops

}  // namespace framejit::eager
