// Joining, splitting, turning.
#include "eager/composite/support.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/shapes.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor atleast_1d_of(const Tensor& self) { return self.dim() == 0 ? reshape(self, {1}) : self; }
Tensor atleast_2d_of(const Tensor& self) {
  return self.dim() >= 2 ? self : unsqueeze(atleast_1d_of(self), 0);
}
/// A vector becomes 1 x n x 1, a matrix m x n x 1.
Tensor atleast_3d_of(const Tensor& self) {
  return self.dim() >= 3 ? self : unsqueeze(atleast_2d_of(self), -1);
}

template <Tensor (*widen)(const Tensor&)>
std::vector<Tensor> each(const Value& list) {
  std::vector<Tensor> tensors = list.tensor_list();
  for (Tensor& tensor : tensors) tensor = widen(tensor);
  return tensors;
}

}  // namespace

void atleast_1d_composite(const Value* args, Value* results) { results[0] = atleast_1d_of(args[0].tensor()); }
void atleast_2d_composite(const Value* args, Value* results) { results[0] = atleast_2d_of(args[0].tensor()); }
void atleast_3d_composite(const Value* args, Value* results) { results[0] = atleast_3d_of(args[0].tensor()); }
void atleast_1d_list_composite(const Value* args, Value* results) {
  results[0] = each<atleast_1d_of>(args[0]);
}
void atleast_2d_list_composite(const Value* args, Value* results) {
  results[0] = each<atleast_2d_of>(args[0]);
}
void atleast_3d_list_composite(const Value* args, Value* results) {
  results[0] = each<atleast_3d_of>(args[0]);
}

void dstack_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(!args[0].tensor_list().empty(), "dstack expects a non-empty TensorList");
  results[0] = cat(each<atleast_3d_of>(args[0]), 2);
}
void column_stack_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  FRAMEJIT_CHECK(!tensors.empty(), "column_stack expects a non-empty TensorList");
  for (Tensor& tensor : tensors)
    if (tensor.dim() <= 1) tensor = reshape(tensor, {-1, 1});
  results[0] = cat(tensors, 1);
}

namespace {

std::vector<Tensor> split_at(const Tensor& self, const std::vector<SymInt>& indices, SymInt dim) {
  const SymInt size = self.size(wrap_dim(dim.expect(), self.dim()));
  std::vector<Tensor> parts;
  SymInt start = 0;
  for (SymInt end : indices) {
    parts.push_back(slice(self, dim, start, end));
    start = end;
  }
  parts.push_back(slice(self, dim, start, size));
  return parts;
}

/// The dim that hsplit, vsplit or dsplit split, after their checks.
int split_dim(const char* op, const Tensor& self, int least) {
  FRAMEJIT_CHECK(self.dim() >= least, "torch.", op, " requires a tensor with at least ", least,
                 " dimension, but got a tensor with ", self.dim(), " dimensions!");
  if (op[0] == 'h') return self.dim() == 1 ? 0 : 1;
  return op[0] == 'v' ? 0 : 2;
}

void split_evenly(const char* op, const Value* args, int least, Value* results) {
  const Tensor self = args[0].tensor();
  const int dim = split_dim(op, self, least);
  const int64_t sections = args[1].integer();
  FRAMEJIT_CHECK(sections != 0 && floor_mod(self.size(dim), sections) == 0, "torch.", op,
                 " attempted to split along dimension ", dim, ", but the size of the dimension ",
                 self.size(dim).str(), " is not divisible by the split_size ", sections, "!");
  results[0] = tensor_split(self, sections, dim);
}
void split_by_indices(const char* op, const Value* args, int least, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = split_at(self, args[1].int_list(), split_dim(op, self, least));
}

}  // namespace

void hsplit_composite(const Value* args, Value* results) { split_evenly("hsplit", args, 1, results); }
void vsplit_composite(const Value* args, Value* results) { split_evenly("vsplit", args, 2, results); }
void dsplit_composite(const Value* args, Value* results) { split_evenly("dsplit", args, 3, results); }
void hsplit_indices_composite(const Value* args, Value* results) {
  split_by_indices("hsplit", args, 1, results);
}
void vsplit_indices_composite(const Value* args, Value* results) {
  split_by_indices("vsplit", args, 2, results);
}
void dsplit_indices_composite(const Value* args, Value* results) {
  split_by_indices("dsplit", args, 3, results);
}

void tensor_split_indices_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() > 0,
                 "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  results[0] = split_at(self, args[1].int_list(), args[2].sym_int());
}
void tensor_split_tensor_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), numbers = args[1].tensor();
  FRAMEJIT_CHECK(numbers.dtype() == DType::int64,
                 "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
                 dtype_name(numbers.dtype()));
  FRAMEJIT_CHECK(numbers.dim() <= 1,
                 "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                 "one-dimensional tensor, but "
                 "got a tensor with ",
                 numbers.dim(), " dims");
  if (numbers.dim() == 0)
    return void(results[0] = tensor_split(self, item(numbers).sym_int(), args[2].sym_int()));
  std::vector<SymInt> indices;
  for (int64_t i = 0; i < numbers.size(0).expect(); ++i)
    indices.push_back(item(select(numbers, 0, i)).integer());
  results[0] = split_at(self, indices, args[2].sym_int());
}

void fliplr_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() >= 2, "Input must be >= 2-d, got ", self.dim(), "-d.");
  results[0] = flip(self, {1});
}
void flipud_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() >= 1, "Input must be >= 1-d, got ", self.dim(), "-d.");
  results[0] = flip(self, {0});
}

/// args: self, k, dims.
void rot90_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const Dims dims = args[2].dims();
  FRAMEJIT_CHECK(dims.size() == 2, "expected total rotation dims == 2, but got dims = ", dims.size());
  FRAMEJIT_CHECK(self.dim() >= 2, "expected total dims >= 2, but got total dims = ", self.dim());
  const int first = wrap_dim(dims[0], self.dim()), second = wrap_dim(dims[1], self.dim());
  FRAMEJIT_CHECK(first != second, "expected rotation dims to be different, but got dim0 = ", dims[0],
                 " and dim1 = ", dims[1]);
  switch (floor_mod(args[1].sym_int(), 4).expect()) {
    case 0:
      results[0] = clone(self);
      break;
    case 1:
      results[0] = transpose(flip(self, {second}), first, second);
      break;
    case 2:
      results[0] = flip(self, {first, second});
      break;
    default:
      results[0] = transpose(flip(self, {first}), first, second);
  }
}

void diagflat_composite(const Value* args, Value* results) {
  results[0] = diag(reshape(args[0].tensor(), {-1}), args[1].sym_int());
}

void cartesian_prod_composite(const Value* args, Value* results) {
  const std::vector<Tensor>& tensors = args[0].tensor_list();
  for (const Tensor& tensor : tensors)
    FRAMEJIT_CHECK(tensor.dim() == 1, "Expect a 1D vector, but got shape ", sizes_text(tensor.sizes()));
  FRAMEJIT_CHECK(!tensors.empty(), "cartesian_prod(): expected at least one tensor");
  if (tensors.size() == 1) return void(results[0] = tensors[0]);
  std::vector<Tensor> grids = meshgrid(tensors, "ij");
  for (Tensor& grid : grids) grid = reshape(grid, {-1});
  results[0] = stack(grids, 1);
}

/// args: self, r, with_replacement.
void combinations_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int64_t r = args[1].integer();
  FRAMEJIT_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape ", sizes_text(self.sizes()));
  FRAMEJIT_CHECK(r >= 0, "Expect a non-negative number, but got ", r);
  if (r == 0) return void(results[0] = empty({0}, self.dtype(), self.device()));
  results[0] = index_elements(self, {combination_indices(self.size(0).expect(), r, args[2].boolean())});
}

}  // namespace framejit::eager
