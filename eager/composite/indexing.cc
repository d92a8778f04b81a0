// Indexing with masks and along one dim.
#include "eager/composite/support.h"
#include "generated/ops/comparison.h"
#include "generated/ops/creation.h"
#include "generated/ops/indexing.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// Integer index tensors for all: a mask stands for the indices of what is true in it, one tensor per dim of
/// the mask.
std::vector<Tensor> without_masks(const Tensor& self, const std::vector<Tensor>& indices) {
  std::vector<Tensor> result;
  for (const Tensor& index : indices) {
    const bool mask = index.defined() && (index.dtype() == DType::bool_ || index.dtype() == DType::uint8);
    if (!mask) {
      result.push_back(index);
      continue;
    }
    for (int d = 0; d < index.dim(); ++d) {
      const int at = int(result.size()) + d;
      FRAMEJIT_CHECK_TYPE(at < self.dim() && index.size(d) == self.size(at), index, "The shape of the mask ",
                          sizes_text(index.sizes()), " at index ", d,
                          " does not match the shape of the indexed tensor ", sizes_text(self.sizes()),
                          " at index ", at);
    }
    const Tensor found = nonzero(index);
    for (int d = 0; d < index.dim(); ++d) result.push_back(select(found, 1, d));
  }
  return result;
}

Tensor flat(const Tensor& self) { return reshape(self, {-1}); }

std::vector<Tensor> columns_of(const Tensor& found) {
  std::vector<Tensor> columns;
  for (int64_t d = 0; d < found.size(1).expect(); ++d) columns.push_back(select(found, 1, d));
  return columns;
}

std::vector<Tensor> nonzero_columns(const Tensor& self) {
  return columns_of(nonzero(self.dim() == 0 ? unsqueeze(self, 0) : self));
}

/// An index list that picks `index` of dim `dim`.
std::vector<Tensor> index_of_dim(const Tensor& self, const Value& dim, const Tensor& index) {
  std::vector<Tensor> indices(size_t(wrap_dim(dim.integer(), self.dim())));
  indices.push_back(index);
  return indices;
}

/// `values` at the places `index` of dim `dim`; a 0-dim tensor is a vector of one element here.
Tensor put_along(const Tensor& self, const Value& dim, const Tensor& index, const Tensor& values) {
  if (self.dim() > 0) return index_put_elements(self, index_of_dim(self, dim, index), values);
  const Tensor vector = reshape(self, {1});
  return reshape(index_put_elements(vector, index_of_dim(vector, dim, index), values), Dims());
}

}  // namespace

void index_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = index_elements(self, without_masks(self, args[1].tensor_list()));
}
void index_put_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = index_put_elements(self, without_masks(self, args[1].tensor_list()), args[2].tensor(),
                                  args[3].boolean());
}
void index_put_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = index_put_elements_(self, without_masks(self, args[1].tensor_list()), args[2].tensor(),
                                   args[3].boolean());
}

void index_fill_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const Tensor value = full(Dims(), args[3], self.dtype(), self.device());
  results[0] = put_along(self, args[1], args[2].tensor(), value);
}
void index_copy_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = put_along(self, args[1], args[2].tensor(), args[3].tensor());
}

/// args: self, indices, dim. Negative indices count from the end of dim, if one is given.
void take_along_dim_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor(), indices = args[1].tensor();
  if (args[2].is_none()) return void(results[0] = gather(flat(self), 0, flat(indices)));
  FRAMEJIT_CHECK(self.dim() == indices.dim(),
                 "torch.take_along_dim(): input and indices should have the same number "
                 "of dimensions, but got ",
                 self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices");
  const int dim = wrap_dim(args[2].integer(), self.dim());
  Dims self_sizes = self.sizes(), index_sizes = indices.sizes();
  self_sizes[dim] = index_sizes[dim];
  const Dims common = broadcast_sizes(self_sizes, index_sizes);
  index_sizes = self_sizes = common;
  index_sizes[dim] = indices.sizes()[dim];
  self_sizes[dim] = self.sizes()[dim];
  indices = where(lt(indices, 0), indices + Value(self.size(dim)), indices);
  results[0] = gather(expand(self, self_sizes), dim, expand(indices, index_sizes));
}
void take_composite(const Value* args, Value* results) {
  const Tensor indices = args[1].tensor();
  results[0] = index_elements(flat(args[0].tensor()), {indices});
}

void masked_select_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor(), mask = args[1].tensor();
  FRAMEJIT_CHECK(mask.dtype() == DType::bool_, "masked_select: expected BoolTensor for mask");
  const Dims sizes = broadcast_sizes(self.sizes(), mask.sizes());
  self = flat(expand(self, sizes));
  results[0] = index_elements(self, {select(nonzero(flat(expand(mask, sizes))), 1, 0)});
}

void where_nonzero_composite(const Value* args, Value* results) {
  results[0] = nonzero_columns(args[0].tensor());
}
void argwhere_composite(const Value* args, Value* results) { results[0] = nonzero(args[0].tensor()); }
void nonzero_tuple_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = args[1].boolean() ? Value(nonzero_columns(self)) : Value(nonzero(self));
}

}  // namespace framejit::eager
