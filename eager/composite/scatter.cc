// Writing elements where indices or masks say.
#include "eager/autograd/formulas.h"
#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/indexing.h"
#include "generated/ops/joining.h"
#include "generated/ops/reduction.h"
#include "generated/ops/scatter.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor flat(const Tensor& self) { return reshape(self, {-1}); }

/// `scatter` with PyTorch's older names of reductions.
Tensor scatter_combined(const Value* args, const Tensor& src, const std::string& reduce) {
  const Tensor self = args[0].tensor(), index = args[2].tensor();
  FRAMEJIT_CHECK(reduce == "add" || reduce == "multiply", "reduce argument must be either add or multiply.");
  if (reduce == "add") return scatter_add(self, args[1].sym_int(), index, src);
  return scatter_reduce(self, args[1].sym_int(), index, src, "prod");
}

/// `index`, a vector, as an index tensor of `gather` for a source of the given sizes.
Tensor spread_index(const Tensor& index, int dim, const Dims& sizes) {
  Dims own(std::max(1, sizes.size()), 1);
  own[dim] = -1;
  const Tensor spread = reshape(index, own);
  return sizes.empty() ? reshape(index, Dims()) : expand(spread, sizes);
}

}  // namespace

void scatter_src_reduce_composite(const Value* args, Value* results) {
  results[0] = scatter_combined(args, args[3].tensor(), args[4].string());
}
void scatter_value_reduce_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const Tensor value = full(Dims(), args[3], self.dtype(), self.device());
  results[0] = scatter_combined(args, expand(value, args[2].tensor().sizes()), args[4].string());
}

/// args: self, dim, index, source, reduce, include_self.
void index_reduce_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), index = args[2].tensor(), source = args[3].tensor();
  const std::string& reduce = args[4].string();
  FRAMEJIT_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
                 "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ", reduce,
                 ".");
  FRAMEJIT_CHECK_TYPE(index.dim() <= 1, index,
                      "index_reduce_(): Index is supposed to be a vector, but got dim: ", index.dim());
  FRAMEJIT_CHECK(self.dtype() == source.dtype(),
                 "index_reduce_(): self and source expected to have the same dtype, but got (self) ",
                 dtype_name(self.dtype()), " and (source) ", dtype_name(source.dtype()));
  const int dim = wrap_dim(args[1].integer(), self.dim());
  FRAMEJIT_CHECK(source.dim() == 0 || index.numel() == source.size(dim),
                 "index_reduce_(): Number of indices (", index.numel().str(),
                 ") should be equal to source.size(dim)");
  results[0] =
      scatter_reduce(self, dim, spread_index(index, dim, source.sizes()), source, reduce, args[5].boolean());
}

void index_fill_tensor_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), value = args[3].tensor();
  FRAMEJIT_CHECK(value.dim() == 0,
                 "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
                 " dimension(s).");
  const Tensor nowhere = zeros(self.sizes(), DType::bool_, self.device());
  const Tensor chosen = index_fill(nowhere, args[1].sym_int(), args[2].tensor(), true);
  results[0] = where(chosen, value.dtype() == self.dtype() ? value : cast(value, self.dtype()), self);
}

void masked_scatter_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor(), mask = args[1].tensor();
  const Tensor source = args[2].tensor();
  FRAMEJIT_CHECK(self.dtype() == source.dtype(),
                 "masked_scatter: expected self and source to have same dtypes but got ",
                 dtype_name(self.dtype()), " and ", dtype_name(source.dtype()));
  FRAMEJIT_CHECK(mask.dtype() == DType::bool_,
                 "masked_scatter_ only supports boolean masks, but got mask with dtype ",
                 dtype_name(mask.dtype()));
  const Dims sizes = broadcast_sizes(self.sizes(), mask.sizes());
  results[0] = masked_scatter_elements(expand(self, sizes), expand(mask, sizes), source);
}

/// args: self, index, source, accumulate.
void put_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), index = args[1].tensor(), source = args[2].tensor();
  FRAMEJIT_CHECK(index.dtype() == DType::int64, "put_(): Expected a long tensor for index, but got ",
                 dtype_name(index.dtype()));
  FRAMEJIT_CHECK(self.dtype() == source.dtype(),
                 "put_(): self and source expected to have the same dtype, but got self.dtype = ",
                 dtype_name(self.dtype()), " and source.dtype = ", dtype_name(source.dtype()));
  FRAMEJIT_CHECK_TYPE(
      index.numel() == source.numel(), index,
      "put_(): Expected source and index to have the same number of elements, but got source.numel() = ",
      source.numel().str(), ", index.numel() = ", index.numel().str());
  results[0] =
      reshape(index_put_elements(flat(self), {flat(index)}, flat(source), args[3].boolean()), self.sizes());
}

/// args: self, fill_value, wrap.
void fill_diagonal_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() >= 2, "dimensions must larger than 1");
  for (int d = 1; self.dim() > 2 && d < self.dim(); ++d)
    FRAMEJIT_CHECK(self.size(d) == self.size(0), "all dimensions of input must be of equal length");
  Tensor line = self;
  while (line.dim() > 1) line = diagonal(line, 0, 0, line.dim() - 1);
  fill_(line, args[1]);
  if (self.dim() == 2 && args[2].boolean()) {
    const SymInt rows = self.size(0), columns = self.size(1);
    for (SymInt start = columns + 1; start < rows; start = start + columns + 1)
      fill_(diagonal(slice(self, 0, start, rows)), args[1]);
  }
  results[0] = self;
}

/// args: self, repeats, dim, output_size.
void repeat_interleave_counts_composite(const Value* args, Value* results) {
  Tensor self = args[0].tensor(), repeats = args[1].tensor();
  if (args[2].is_none()) self = flat(self);
  FRAMEJIT_CHECK_TYPE(self.dim() > 0, index, "repeat_interleave: got dim ", args[2].integer(),
                      ", but a tensor without dims has none");
  const int dim = args[2].is_none() ? 0 : wrap_dim(args[2].integer(), self.dim());
  if (repeats.dim() == 0 || (repeats.dim() == 1 && repeats.size(0) == 1))
    repeats = expand(flat(repeats), one_dim(self.size(dim)));
  FRAMEJIT_CHECK(repeats.dim() == 1 && repeats.size(0) == self.size(dim),
                 "repeats must have the same size as input along dim, but got repeats.size(0) = ",
                 repeats.dim() > 0 ? repeats.size(0).str() : "1", " and input.size(", dim,
                 ") = ", self.size(dim).str());
  const std::optional<SymInt> total =
      args[3].is_none() ? std::nullopt : std::optional<SymInt>(args[3].sym_int());
  results[0] = index_select(self, dim, repeat_interleave(repeats, total));
}

/// args: indices, shape.
void unravel_index_composite(const Value* args, Value* results) {
  Tensor rest = args[0].tensor();
  const Dims shape = *optional_dims(args[1]);
  FRAMEJIT_CHECK_TYPE(is_integral(rest.dtype(), false), type,
                      "expected 'indices' to be integer dtype, but got ", dtype_name(rest.dtype()));
  if (rest.dtype() != DType::int64) rest = cast(rest, DType::int64);
  std::vector<Tensor> columns(static_cast<size_t>(shape.size()));
  for (int i = shape.size() - 1; i >= 0; --i) {
    columns[size_t(i)] = remainder(rest, shape.sym(i));
    rest = floor_divide(rest, shape.sym(i));
  }
  results[0] = std::move(columns);
}

namespace ops {

namespace {

Tensor scatter_reduce_counts(const Tensor& like, SymInt dim, const Tensor& index, bool include_self) {
  const Tensor start = include_self ? ones_like(like) : zeros_like(like);
  const Tensor counts = scatter_add(start, dim, index, ones(index.sizes(), like.dtype(), like.device()));
  return masked_fill(counts, eq(counts, 0), 1);
}

Tensor scatter_reduce_ties(const Tensor& self, SymInt dim, const Tensor& index, const Tensor& src,
                           bool include_self, const Tensor& result) {
  const Tensor own = include_self ? cast(eq(self, result), self.dtype()) : zeros_like(self);
  const Tensor sent = cast(eq(src, gather(result, dim, index)), self.dtype());
  const Tensor ties = scatter_add(own, dim, index, sent);
  return masked_fill(ties, eq(ties, 0), 1);
}

/// The product of all others: result / src, and where src is the only zero of its product, the product of
/// what is left; zero where there are several.
Tensor scatter_prod_backward_src(const Tensor& grad, const Tensor& self, SymInt dim, const Tensor& index,
                                 const Tensor& src, bool include_self, const Tensor& result) {
  const Tensor zero = eq(src, 0), safe = masked_fill(src, zero, 1);
  const Tensor zeros_sent = scatter_add(zeros_like(self), dim, index, cast(zero, self.dtype()));
  const Tensor only_zero = logical_and(zero, eq(gather(zeros_sent, dim, index), 1));
  const Tensor others =
      scatter_reduce(self, dim, index, masked_fill(src, only_zero, 1), "prod", include_self);
  return where(only_zero, gather(grad * others, dim, index), gather(grad * result, dim, index) / safe);
}

}  // namespace

Tensor scatter_reduce_backward_self(const Tensor& grad, const Tensor& self, SymInt dim, const Tensor& index,
                                    const Tensor& src, const std::string& reduce, bool include_self,
                                    const Tensor& result) {
  Tensor own = grad;
  if (reduce == "mean") {
    own = grad / scatter_reduce_counts(grad, dim, index, include_self);
  } else if (reduce == "prod") {
    const Tensor safe = masked_fill(self, eq(self, 0), 1);
    own = grad * scatter_reduce(safe, dim, index, src, "prod", include_self) / safe;
  } else if (reduce != "sum") {
    own = where(eq(self, result), grad / scatter_reduce_ties(self, dim, index, src, include_self, result), 0);
  }
  return include_self ? own : scatter(own, dim, index, Value(0));
}

Tensor scatter_reduce_backward_src(const Tensor& grad, const Tensor& self, SymInt dim, const Tensor& index,
                                   const Tensor& src, const std::string& reduce, bool include_self,
                                   const Tensor& result) {
  FRAMEJIT_CHECK(src.sizes() == index.sizes(),
                 "scatter_reduce(): the gradient of src is only known where src and index "
                 "have the same sizes, got ",
                 sizes_text(src.sizes()), " and ", sizes_text(index.sizes()));
  if (reduce == "sum") return gather(grad, dim, index);
  if (reduce == "mean")
    return gather(grad / scatter_reduce_counts(grad, dim, index, include_self), dim, index);
  if (reduce == "prod") return scatter_prod_backward_src(grad, self, dim, index, src, include_self, result);
  const Tensor share = grad / scatter_reduce_ties(self, dim, index, src, include_self, result);
  return where(eq(src, gather(result, dim, index)), gather(share, dim, index), 0);
}

Tensor as_strided_of_strided(const Tensor& self, const Dims& sizes, const Dims& strides, const Dims& size,
                             const Dims& stride, SymInt offset) {
  SymInt length = 1, read = 1;
  for (int d = 0; d < sizes.size(); ++d) length = length + sym_max(sizes.sym(d) - 1, 0) * strides.sym(d);
  for (int d = 0; d < size.size(); ++d) read = read + sym_max(size.sym(d) - 1, 0) * stride.sym(d);
  const SymInt before = sym_max(SymInt(0) - offset, 0);
  const Tensor storage = zeros_of(self, dim_list(before + sym_max(length, offset + read)));
  return as_strided(as_strided_scatter(storage, self, sizes, strides, before), size, stride, offset + before);
}

}  // namespace ops

}  // namespace framejit::eager
