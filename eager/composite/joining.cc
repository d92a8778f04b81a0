// Joining, repeating and reordering.
#include "eager/autograd/joining_formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor at_least(const Tensor& tensor, int rank) {
  if (tensor.dim() >= rank) return tensor;
  return at_least(unsqueeze(tensor, 0), rank);
}

/// Copies of self side by side: a new dim in front of each, expanded, then folded into it.
Tensor repeated(const Tensor& self, const Dims& repeats) {
  const int rank = repeats.size();
  FRAMEJIT_CHECK(
      rank >= self.dim(),
      "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  const Tensor padded = at_least(self, rank);
  Dims split, wide, folded;
  for (int i = 0; i < rank; ++i) {
    FRAMEJIT_CHECK(repeats.sym(i) >= 0, "Trying to create tensor with negative dimension ",
                   repeats.sym(i).str());
    split.push_back(int64_t(1));
    split.push_back(padded.sizes()[i]);
    wide.push_back(repeats[i]);
    wide.push_back(padded.sizes()[i]);
    folded.push_back(padded.size(i) * repeats.sym(i));
  }
  return reshape(contiguous_copy(expand(reshape(padded, split), wide)), folded);
}

}  // namespace

void stack_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  FRAMEJIT_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  const Dims expected = tensors[0].sizes();
  const int dim = wrap_dim(args[1].integer(), expected.size() + 1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    FRAMEJIT_CHECK(tensors[i].sizes() == expected, "stack expects each tensor to be equal size, but got ",
                   sizes_text(expected), " at entry 0 and ", sizes_text(tensors[i].sizes()), " at entry ", i);
    tensors[i] = unsqueeze(tensors[i], dim);
  }
  results[0] = cat(tensors, dim);
}

void hstack_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  FRAMEJIT_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  for (Tensor& tensor : tensors) tensor = at_least(tensor, 1);
  results[0] = cat(tensors, tensors[0].dim() == 1 ? 0 : 1);
}
void vstack_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  FRAMEJIT_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  for (Tensor& tensor : tensors) tensor = at_least(tensor, 2);
  results[0] = cat(tensors, 0);
}

void repeat_composite(const Value* args, Value* results) {
  results[0] = repeated(args[0].tensor(), args[1].dims());
}
void tile_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Dims repeats = args[1].dims();
  while (repeats.size() < self.dim()) repeats.insert(0, 1);
  results[0] = repeated(self, repeats);
}

void repeat_interleave_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor();
  const SymInt repeats = args[1].sym_int();
  FRAMEJIT_CHECK(repeats >= 0, "Repeats must be non-negative");
  if (args[2].is_none()) self = reshape(self, {-1});
  FRAMEJIT_CHECK_TYPE(self.dim() > 0, index, "repeat_interleave: got dim ", args[2].integer(),
                      ", but a tensor without dims has none");
  const int dim = args[2].is_none() ? 0 : wrap_dim(args[2].integer(), self.dim());
  FRAMEJIT_CHECK(args[3].is_none() || args[3].sym_int() == self.size(dim) * repeats,
                 "repeat_interleave: Invalid output_size, expected ", (self.size(dim) * repeats).str());
  Dims wide = self.sizes(), folded = self.sizes();
  wide.insert(dim + 1, repeats.bits());
  folded[dim] = (self.size(dim) * repeats).bits();
  results[0] = reshape(contiguous_copy(expand(unsqueeze(self, dim + 1), wide)), folded);
}

Tensor ops::roll_backward(const Tensor& grad, Dims shifts, const Dims& dims) {
  for (int64_t& shift : shifts) shift = -shift;
  return roll(grad, shifts, dims);
}

void argsort_composite(const Value* args, Value* results) {
  results[0] = sort(args[0].tensor(), args[1].sym_int(), args[2].boolean(), args[3].boolean())[1];
}

}  // namespace framejit::eager
