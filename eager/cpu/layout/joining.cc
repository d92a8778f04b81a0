// cat, flip, and the functional counterparts of writing through a view.
#include <cstring>

#include "eager/cpu/kernel_support.h"
#include "eager/error.h"
#include "eager/meta/memory_format.h"
#include "eager/meta/views.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// PyTorch's exception from the rule that all tensors have one rank: vectors of no elements are left out.
bool is_skipped(const TensorMeta& meta) { return meta.sizes.size() == 1 && meta.sizes.sym(0) == 0; }

const TensorMeta& cat_example(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors)
    if (!is_skipped(tensor.meta())) return tensor.meta();
  return tensors[0].meta();
}

DType cat_dtype(const std::vector<Tensor>& tensors) {
  std::vector<PromotionOperand> operands;
  for (const Tensor& tensor : tensors)
    operands.push_back({tensor.dtype(), tensor.dim() == 0 ? PromotionRank::zero_dim : PromotionRank::tensor});
  return promote_operands(operands);
}

void check_cat_sizes(const Dims& expected, const Dims& sizes, int dim, size_t position) {
  FRAMEJIT_CHECK(sizes.size() == expected.size(), "Tensors must have same number of dimensions: got ",
                 expected.size(), " and ", sizes.size());
  for (int d = 0; d < sizes.size(); ++d)
    FRAMEJIT_CHECK(d == dim || sizes.sym(d) == expected.sym(d),
                   "Sizes of tensors must match except in dimension ", dim, ". Expected size ",
                   expected.sym(d).str(), " but got size ", sizes.sym(d).str(), " for tensor number ",
                   position, " in the list.");
}

/// Whether all tensors that count lie in that order, and not in row-major order too.
bool all_in_format(const std::vector<Tensor>& tensors, const char* format) {
  bool any = false;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor.meta())) continue;
    if (tensor.is_contiguous() || !is_in_format(tensor.meta(), format)) return false;
    any = true;
  }
  return any;
}

/// So many bytes are joined without a plan of copies.
constexpr int64_t kFewBytes = 32 * 1024;

/// Every `step`th element of `to` from those of `from`, in stretches of `run`.
template <class Word>
void interleave(const void* from, int64_t count, int64_t run, void* to, int64_t step) {
  const Word* next = static_cast<const Word*>(from);
  Word* place = static_cast<Word*>(to);
  for (int64_t i = 0; i < count; ++i, next += run, place += step)
    for (int64_t k = 0; k < run; ++k) place[k] = next[k];
}

/// A few contiguous tensors of the result's dtype. False, with nothing done, where they are not.
bool join_few(const std::vector<Tensor>& tensors, int dim, const Tensor& result) {
  const int64_t item = int64_t(item_size(result.dtype()));
  if (result.numel().expect() * item > kFewBytes || !result.is_contiguous()) return false;
  for (const Tensor& tensor : tensors)
    if (tensor.dtype() != result.dtype() || !tensor.is_contiguous()) return false;
  const RowShape shape = row_shape(result.sizes(), dim);
  const int64_t step = shape.length * shape.inner;
  char* to = static_cast<char*>(result.data());
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor.meta())) continue;
    const int64_t run = tensor.sizes()[dim] * shape.inner;
    for_size(item, [&](auto zero) {
      if (shape.outer == 1)
        std::memcpy(to, tensor.data(), size_t(run * item));
      else
        interleave<decltype(zero)>(tensor.data(), shape.outer, run, to, step);
    });
    to += run * item;
  }
  return true;
}

/// Writes `src` into the part `geometry` of `copy`, which is the result. The copy of a tensor with gaps has
/// none, so the geometry must be that of the copy.
void scatter_view(const Op& op, const Tensor& src, const Tensor& copy, const ViewGeometry& geometry,
                  Value* results) {
  FRAMEJIT_CHECK(src.sizes() == geometry.sizes, op.schema.name,
                 ": expected src to have a size equal to the slice of "
                 "self. src size = ",
                 sizes_text(src.sizes()), ", slice size = ", sizes_text(geometry.sizes));
  copy_elements(src, make_view(copy, geometry));
  results[0] = copy;
}

}  // namespace

void meta_cat(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const std::vector<Tensor>& tensors = args[0].tensor_list();
  FRAMEJIT_CHECK_TYPE(!tensors.empty(), value, "torch.cat(): expected a non-empty list of Tensors");
  const TensorMeta& example = cat_example(tensors);
  for (size_t i = 0; i < tensors.size(); ++i)
    FRAMEJIT_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i,
                   ") cannot be concatenated");
  const int dim = wrap_dim(args[1].integer(), example.sizes.size());
  Dims sizes = example.sizes;
  SymInt length = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_skipped(tensors[i].meta())) continue;
    check_cat_sizes(example.sizes, tensors[i].sizes(), dim, i);
    length = length + tensors[i].size(dim);
  }
  sizes[dim] = length.bits();
  TensorMeta result = contiguous_meta(sizes, cat_dtype(tensors), example.device);
  for (const auto& [rank, format] : {std::pair(4, "channels_last"), std::pair(5, "channels_last_3d")})
    if (rank == sizes.size() && all_in_format(tensors, format))
      result.strides = format_strides(sizes, format);
  results.push_back(std::move(result));
}

void cat_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor result = allocate_result(op, args);
  const int dim = wrap_dim(args[1].integer(), result.dim());
  results[0] = result;
  if (join_few(args[0].tensor_list(), dim, result)) return;
  int64_t at = 0;
  for (const Tensor& tensor : args[0].tensor_list()) {
    if (is_skipped(tensor.meta())) continue;
    copy_elements(tensor,
                  reshaped_view(result, tensor.sizes(), result.strides(), at * result.strides()[dim]));
    at += tensor.sizes()[dim];
  }
}

void meta_flip(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  if (!args[1].dims().empty()) dim_mask(args[1], self.sizes.size());
  results.push_back(preserved_meta(self));
}

void flip_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  const uint64_t mask = args[1].dims().empty() ? 0 : dim_mask(args[1], self.dim());
  if (!(self.numel() == 0)) {
    // Negative strides from the far end of each flipped dim.
    Dims strides = self.strides();
    int64_t start = 0;
    for (int d = 0; d < self.dim(); ++d)
      if (mask >> d & 1) {
        start += (self.sizes()[d] - 1) * strides[d];
        strides[d] = -strides[d];
      }
    copy_elements(reshaped_view(self, self.sizes(), strides, start), result);
  }
  results[0] = std::move(result);
}

// The geometry functions read the view op's arguments: the tensor, then what follows src.
void slice_scatter_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor copy = cloned(args[0].tensor());
  const Value view_args[] = {copy, args[2], args[3], args[4], args[5]};
  scatter_view(op, args[1].tensor(), copy, slice_geometry(view_args), results);
}
void select_scatter_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor copy = cloned(args[0].tensor());
  const Value view_args[] = {copy, args[2], args[3]};
  scatter_view(op, args[1].tensor(), copy, select_geometry(view_args), results);
}
void diagonal_scatter_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor copy = cloned(args[0].tensor());
  const Value view_args[] = {copy, args[2], args[3], args[4]};
  scatter_view(op, args[1].tensor(), copy, diagonal_geometry(view_args), results);
}

void meta_unfold_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& grad = args[0].impl()->meta;
  results.push_back(contiguous_meta(args[1].dims(), grad.dtype, grad.device));
}

void unfold_backward_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const int64_t number = 0;
  fill_elements(result, &number, DType::int64);
  const Value view_args[] = {Value(result), args[2], args[3], args[4]};
  const Tensor grad = contiguous(args[0].tensor()), windows = make_view(result, unfold_geometry(view_args));
  const std::vector<int64_t> offsets = enumerate_offsets(windows.sizes().span(), windows.strides().span());
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.data_as<T>();
    const T* from = grad.data_as<T>();
    for (size_t i = 0; i < offsets.size(); ++i) to[offsets[i]] = wrapping_sum(to[offsets[i]], from[i]);
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
