#include "eager/autograd/formulas.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager::ops {

namespace {

/// Bit d: dim d is reduced.
uint64_t reduced_dims(int rank, const std::optional<Dims>& dim) {
  if (!dim || dim->empty()) return (uint64_t(1) << rank) - 1;
  uint64_t mask = 0;
  for (int64_t d : *dim) mask |= uint64_t(1) << (d < 0 ? d + rank : d);
  return mask;
}

}  // namespace

Dims dim_list(SymInt dim) {
  Dims dims;
  dims.push_back(dim);
  return dims;
}

Dims inverse_permutation(const Dims& dims) {
  Dims inverse(dims.size());
  for (int i = 0; i < dims.size(); ++i) inverse[int(dims[i] < 0 ? dims[i] + dims.size() : dims[i])] = i;
  return inverse;
}

/// Whether zeros of these sizes are better not stored: whoever gets them makes a copy anyway.
static bool are_many(const Dims& sizes) {
  int64_t count = 1;
  for (int d = 0; d < sizes.size(); ++d) {
    if (sizes.sym(d).is_symbolic()) return false;
    count *= sizes[d];
  }
  return count >= 4096;
}

Tensor zeros_of(const Tensor& like, const Dims& sizes) {
  if (modes().grad_enabled || like.is_symbolic() || !are_many(sizes))
    return zeros(sizes, like.dtype(), like.device());
  return expand(zeros(Dims(), like.dtype(), like.device()), sizes);
}

Tensor sum_to_size(const Tensor& self, const Dims& sizes) {
  int added = self.dim() - sizes.size();
  Dims dims;
  for (int i = 0; i < self.dim(); ++i) {
    bool stretched = i >= added && sizes.sym(i - added) == 1 && !(self.size(i) == 1);
    if (i < added || stretched) dims.push_back(int64_t(i));
  }
  if (dims.empty()) return self;
  Tensor summed = sum(self, dims, /*keepdim=*/true);
  return added > 0 ? reshape(summed, sizes) : summed;
}

Tensor expand_reduced(const Tensor& grad, const Dims& sizes, const std::optional<Dims>& dim, bool keepdim) {
  if (keepdim || sizes.empty()) return expand(grad, sizes);
  uint64_t reduced = reduced_dims(sizes.size(), dim);
  Dims kept = sizes;
  for (int i = 0; i < sizes.size(); ++i)
    if (reduced >> i & 1) kept[i] = 1;
  return expand(reshape(grad, kept), sizes);
}

SymInt reduced_count(const Dims& sizes, const std::optional<Dims>& dim) {
  uint64_t reduced = reduced_dims(sizes.size(), dim);
  SymInt count = 1;
  for (int i = 0; i < sizes.size(); ++i)
    if (reduced >> i & 1) count = count * sizes.sym(i);
  return count;
}

}  // namespace framejit::eager::ops
