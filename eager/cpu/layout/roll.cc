// roll: elements that leave a dim at its end come in again at its begin.
#include "eager/cpu/kernel_support.h"
#include "eager/error.h"
#include "eager/meta/memory_format.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// By how many places each dim is turned, less than its size.
Dims places_by_dim(const Dims& sizes, const Dims& shifts, const Dims& dims) {
  Dims places(sizes.size());
  for (int i = 0; i < dims.size(); ++i) {
    const int d = wrap_dim(dims[i], sizes.size());
    if (sizes[d] != 0) places[d] = (((places[d] + shifts[i]) % sizes[d]) + sizes[d]) % sizes[d];
  }
  return places;
}

/// Copies the blocks into which dims from `d` on cut `from`, each to its place in `to`.
void copy_turned(const Tensor& from, const Tensor& to, const Dims& places, int d = 0) {
  while (d < places.size() && places[d] == 0) ++d;
  if (d == places.size()) return copy_elements(from, to);
  const int64_t turned = places[d], kept = from.sizes()[d] - turned;
  const auto part = [d](const Tensor& all, int64_t begin, int64_t length) {
    Dims sizes = all.sizes();
    sizes[d] = length;
    return reshaped_view(all, sizes, all.strides(), begin * all.strides()[d]);
  };
  copy_turned(part(from, 0, kept), part(to, turned, kept), places, d + 1);
  copy_turned(part(from, kept, turned), part(to, 0, turned), places, d + 1);
}

}  // namespace

/// args: self, shifts, dims.
void meta_roll(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const Tensor self = args[0].tensor();
  const Dims &shifts = args[1].dims(), &dims = args[2].dims();
  FRAMEJIT_CHECK(dims.empty() ? shifts.size() == 1 : shifts.size() == dims.size(),
                 "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  FRAMEJIT_CHECK_TYPE(self.dim() > 0 || dims.empty(), index, "Dimension specified as ", dims[0],
                      " but tensor has no dimensions");
  for (int64_t dim : dims) wrap_dim(dim, self.dim());
  results.push_back(dims.empty() ? contiguous_meta(self.sizes(), self.dtype(), self.device())
                                 : meta_in_format_of(self.meta(), self.sizes()));
}

void roll_kernel(const Op& op, const Value* args, Value* results) {
  Tensor self = args[0].tensor(), result = allocate_result(op, args);
  results[0] = result;
  if (result.numel() == 0) return;
  const Dims &shifts = args[1].dims(), &dims = args[2].dims();
  if (!dims.empty()) return copy_turned(self, result, places_by_dim(self.sizes(), shifts, dims));
  // As one dim.
  const Dims sizes{result.numel().expect()}, strides{1};
  copy_turned(reshaped_view(contiguous(self), sizes, strides, 0), reshaped_view(result, sizes, strides, 0),
              places_by_dim(sizes, shifts, Dims{0}));
}

}  // namespace framejit::eager
