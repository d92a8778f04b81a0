// Products of vectors, matrices and tensors beyond matmul.
#include <algorithm>

#include "eager/composite/linalg_support.h"
#include "eager/composite/no_graph.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/linalg.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {

namespace {

/// The split points of the cheapest order of multiplication: dynamic programming over the intervals of the
/// chain, where sides[i] x sides[i + 1] are the sizes of matrix i.
std::vector<std::vector<size_t>> cheapest_splits(const std::vector<int64_t>& sides) {
  const size_t count = sides.size() - 1;
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> split(count, std::vector<size_t>(count, 0));
  for (size_t length = 2; length <= count; ++length)
    for (size_t first = 0; first + length <= count; ++first) {
      const size_t last = first + length - 1;
      cost[first][last] = std::numeric_limits<double>::infinity();
      for (size_t at = first; at < last; ++at) {
        const double total = cost[first][at] + cost[at + 1][last] +
                             double(sides[first]) * double(sides[at + 1]) * double(sides[last + 1]);
        if (total < cost[first][last]) cost[first][last] = total, split[first][last] = at;
      }
    }
  return split;
}

Tensor chain_product(const std::vector<Tensor>& tensors, const std::vector<std::vector<size_t>>& splits,
                     size_t first, size_t last) {
  if (first == last) return tensors[first];
  const size_t at = splits[first][last];
  return mm(chain_product(tensors, splits, first, at), chain_product(tensors, splits, at + 1, last));
}

Tensor cross_product(const Tensor& a, const Tensor& b, int dim, const char* name) {
  FRAMEJIT_CHECK(a.size(dim) == 3 && b.size(dim) == 3, name, ": inputs dimension ", dim,
                 " must have length 3. Got ", a.size(dim).str(), " and ", b.size(dim).str());
  const Dims sizes = broadcast_sizes(a.sizes(), b.sizes());
  FRAMEJIT_CHECK(a.dtype() == b.dtype(), name, ": expected inputs of one dtype, got ", dtype_name(a.dtype()),
                 " and ", dtype_name(b.dtype()));
  const auto whole = [&](const Tensor& x) { return x.sizes() == sizes ? x : expand(x, sizes); };
  return ops::cross_product(whole(a), whole(b), dim);
}

/// The dims of `rank` that are not among `dims`, in order.
Dims other_dims(int rank, const Dims& dims) {
  Dims others;
  for (int64_t d = 0; d < rank; ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) others.push_back(d);
  return others;
}

/// Sizes of the given dims, appended to `sizes`; their product.
SymInt append_sizes(const Tensor& tensor, const Dims& dims, Dims& sizes) {
  SymInt count = 1;
  for (int64_t d : dims) {
    sizes.push_back(tensor.size(int(d)));
    count = count * tensor.size(int(d));
  }
  return count;
}

Dims wrapped(const Dims& dims, int rank) {
  Dims result;
  for (int64_t d : dims) result.push_back(int64_t(wrap_dim(d, rank)));
  return result;
}

Tensor as_matrix(const Tensor& tensor, const Dims& order, SymInt rows, SymInt columns) {
  return reshape(permute(tensor, order), Dims{rows.bits(), columns.bits()});
}
Dims joined(Dims first, const Dims& second) {
  for (int64_t entry : second) first.push_back(entry);
  return first;
}

Tensor tensordot_over(Tensor a, Tensor b, const Dims& dims_a, const Dims& dims_b) {
  FRAMEJIT_CHECK(dims_a.size() == dims_b.size(), "both dimension lists should have same length");
  const Dims summed_a = wrapped(dims_a, a.dim()), summed_b = wrapped(dims_b, b.dim());
  for (int i = 0; i < summed_a.size(); ++i) {  // a dim of size 1 is broadcast: the other one is summed alone
    const int d = int(summed_a[i]), e = int(summed_b[i]);
    if (a.size(d) == b.size(e)) continue;
    FRAMEJIT_CHECK(a.size(d) == 1 || b.size(e) == 1,
                   "contracted dimensions need to match, but first has size ", a.size(d).str(), " in dim ", d,
                   " and second has size ", b.size(e).str(), " in dim ", e);
    if (a.size(d) == 1)
      b = sum(b, Dims{e}, true, b.dtype());
    else
      a = sum(a, Dims{d}, true, a.dtype());
  }
  const Dims free_a = other_dims(a.dim(), summed_a), free_b = other_dims(b.dim(), summed_b);
  Dims sizes, inner;
  const SymInt rows = append_sizes(a, free_a, sizes), columns = append_sizes(b, free_b, sizes);
  const SymInt count = append_sizes(a, summed_a, inner);
  return reshape(mm(as_matrix(a, joined(free_a, summed_a), rows, count),
                    as_matrix(b, joined(summed_b, free_b), count, columns)),
                 sizes);
}

}  // namespace

/// Also chain_matmul, which takes one matrix alone.
void linalg_multi_dot_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  FRAMEJIT_CHECK(!tensors.empty(), "multi_dot(): expected at least 2 tensors but got 0");
  if (tensors.size() == 1) return void(results[0] = tensors[0]);
  const bool row = tensors.front().dim() == 1, column = tensors.back().dim() == 1;
  if (row) tensors.front() = unsqueeze(tensors.front(), 0);
  if (column) tensors.back() = unsqueeze(tensors.back(), 1);
  std::vector<int64_t> sides;
  for (size_t i = 0; i < tensors.size(); ++i) {
    FRAMEJIT_CHECK(tensors[i].dim() == 2, "multi_dot(): tensor ", i, " must be 2D but got ", tensors[i].dim(),
                   "D");
    sides.push_back(tensors[i].size(0).expect());
  }
  sides.push_back(tensors.back().size(1).expect());
  Tensor result = chain_product(tensors, cheapest_splits(sides), 0, tensors.size() - 1);
  if (row) result = squeeze(result, one_dim(0));
  results[0] = column ? squeeze(result, one_dim(-1)) : result;
}

/// args: self, other, dim.
void linalg_cross_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  FRAMEJIT_CHECK(a.dim() == b.dim(), "linalg.cross: inputs must have the same number of dimensions, got ",
                 a.dim(), " and ", b.dim(), ".");
  results[0] = cross_product(a, b, wrap_dim(args[2].integer(), a.dim()), "linalg.cross");
}
void cross_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  FRAMEJIT_CHECK(a.dim() == b.dim(), "linalg.cross: inputs must have the same number of dimensions, got ",
                 a.dim(), " and ", b.dim(), ".");
  int dim = 0;
  if (!args[2].is_none()) {
    dim = wrap_dim(args[2].integer(), a.dim());
  } else {
    while (dim < a.dim() && !(a.size(dim) == 3)) ++dim;
    FRAMEJIT_CHECK(dim < a.dim(), "no dimension of size 3 in input");
  }
  results[0] = cross_product(a, b, dim, "linalg.cross");
}

void linalg_vecdot_composite(const Value* args, Value* results) {
  const Tensor x = args[0].tensor();
  results[0] = sum((is_complex(x.dtype()) ? conj(x) : x) * args[1].tensor(), one_dim(args[2].sym_int()));
}

/// Powers 0 to N - 1 along a new last dim.
static Tensor powers(const Tensor& x, const Value& count) {
  const SymInt n = count.is_none() ? x.size(x.dim() - 1) : count.sym_int();
  FRAMEJIT_CHECK(!(n < 0), "vander: N must be non-negative.");
  const Tensor base = is_integral(x.dtype(), true) ? cast(x, DType::int64) : x;
  Dims sizes = joined(x.sizes(), {n.bits()});
  if (n == 0) return zeros(sizes, base.dtype(), x.device());
  sizes[sizes.size() - 1] = 1;
  const Tensor one = ones(sizes, base.dtype(), x.device());
  if (n == 1) return one;
  sizes[sizes.size() - 1] = (n - 1).bits();
  return cat({one, cumprod(expand(unsqueeze(base, -1), sizes), -1)}, -1);
}
void linalg_vander_composite(const Value* args, Value* results) {
  const Tensor given = args[0].tensor(), x = given.dim() == 0 ? unsqueeze(given, 0) : given;
  FRAMEJIT_CHECK(args[1].is_none() ? given.dim() > 0 : args[1].sym_int() > 1,
                 "linalg.vander: N must be greater than 1.");
  results[0] = powers(x, args[1]);
}
void vander_composite(const Value* args, Value* results) {
  FRAMEJIT_CHECK(args[0].impl()->meta.sizes.size() == 1, "x must be a one-dimensional tensor.");
  const Tensor increasing = powers(args[0].tensor(), args[1]);
  results[0] = args[2].boolean() ? increasing : flip(increasing, one_dim(-1));
}

void linalg_diagonal_composite(const Value* args, Value* results) {
  results[0] = diagonal(args[0].tensor(), args[1].sym_int(), args[2].sym_int(), args[3].sym_int());
}

void linalg_tensorinv_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int64_t ind = args[1].integer();
  FRAMEJIT_CHECK(ind > 0, "Expected a strictly positive integer for 'ind'");
  Dims front, back;
  SymInt rows = 1, columns = 1;
  for (int d = 0; d < self.dim(); ++d) {
    (d < ind ? front : back).push_back(self.size(d));
    (d < ind ? rows : columns) = (d < ind ? rows : columns) * self.size(d);
  }
  FRAMEJIT_CHECK(
      rows == columns,
      "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got ",
      columns.str(), " != ", rows.str());
  results[0] = reshape(linalg_inv(reshape(self, Dims{rows.bits(), columns.bits()})), joined(back, front));
}

/// args: A, B, dims of A that are moved to its end first.
void linalg_tensorsolve_composite(const Value* args, Value* results) {
  Tensor a = args[0].tensor();
  const Tensor b = args[1].tensor();
  if (!args[2].is_none()) {
    const Dims dims = wrapped(args[2].dims(), a.dim());
    Dims ends;
    for (int i = -dims.size(); i < 0; ++i) ends.push_back(int64_t(i));
    a = movedim(a, dims, ends);
  }
  Dims solution;
  for (int d = b.dim(); d < a.dim(); ++d) solution.push_back(a.size(d));
  const SymInt count = b.numel();
  FRAMEJIT_CHECK(numel(solution) == count,
                 "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                 "prod(self.shape[:other.ndim]), but got ",
                 numel(solution).str(), " != ", count.str());
  const Tensor x = linalg_solve(reshape(a, Dims{count.bits(), count.bits()}), reshape(b, Dims{-1}));
  results[0] = reshape(x, solution);
}

void tensordot_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  const int64_t count = args[2].integer();
  FRAMEJIT_CHECK(count >= 0, "tensordot expects dims >= 0, but got dims=", count);
  FRAMEJIT_CHECK(count <= std::min(a.dim(), b.dim()),
                 "tensordot expects dims < ndim_a or ndim_b, but got dims=", count);
  Dims last, first;
  for (int64_t i = 0; i < count; ++i) {
    last.push_back(a.dim() - count + i);
    first.push_back(i);
  }
  results[0] = tensordot_over(a, b, last, first);
}
void inner_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  if (a.dim() == 0 || b.dim() == 0) return void(results[0] = a * b);
  FRAMEJIT_CHECK(a.size(a.dim() - 1) == b.size(b.dim() - 1),
                 "inner() the last dimension must match on both input tensors but got shapes ",
                 sizes_text(a.sizes()), " and ", sizes_text(b.sizes()));
  results[0] = tensordot_over(a, b, Dims{-1}, Dims{-1});
}

/// Each dim of the product is a dim of self times one of other: both are spread out over pairs of dims.
void kron_composite(const Value* args, Value* results) {
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  const int rank = std::max(a.dim(), b.dim());
  Dims spread_a, spread_b, sizes;
  for (int d = 0; d < rank; ++d) {
    const int da = d - rank + a.dim(), db = d - rank + b.dim();
    const SymInt size_a = da < 0 ? SymInt(1) : a.size(da), size_b = db < 0 ? SymInt(1) : b.size(db);
    spread_a.push_back(size_a);
    spread_a.push_back(int64_t(1));
    spread_b.push_back(int64_t(1));
    spread_b.push_back(size_b);
    sizes.push_back(size_a * size_b);
  }
  results[0] = reshape(reshape(a, spread_a) * reshape(b, spread_b), sizes);
}

namespace {

bool can_be_placed(const std::vector<Tensor>& blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [&](const Tensor& block) {
    return needs_no_graph({block}) && block.dtype() == blocks[0].dtype() &&
           block.device() == blocks[0].device();
  });
}

/// The blocks copied to where they belong.
Tensor placed_blocks(const std::vector<Tensor>& blocks, SymInt columns) {
  SymInt rows = 0;
  for (const Tensor& block : blocks) rows = rows + rows_of(block);
  Dims sizes;
  for (const SymInt size : {rows, columns}) sizes.push_back(size);
  const Tensor result = zeros(sizes, blocks[0].dtype(), blocks[0].device());
  SymInt row = 0, column = 0;
  for (const Tensor& block : blocks) {
    copy_(narrow(narrow(result, 0, row, rows_of(block)), 1, column, columns_of(block)), block);
    row = row + rows_of(block);
    column = column + columns_of(block);
  }
  return result;
}

}  // namespace

void block_diag_composite(const Value* args, Value* results) {
  std::vector<Tensor> blocks = args[0].tensor_list();
  SymInt columns = 0, before = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    FRAMEJIT_CHECK(blocks[i].dim() <= 2,
                   "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ", i, " has ",
                   blocks[i].dim(), " dimensions");
    while (blocks[i].dim() < 2) blocks[i] = unsqueeze(blocks[i], 0);
    columns = columns + columns_of(blocks[i]);
  }
  if (blocks.empty()) return void(results[0] = empty(Dims{1, 0}));
  if (can_be_placed(blocks)) return void(results[0] = placed_blocks(blocks, columns));
  for (Tensor& block : blocks) {
    const SymInt rows = rows_of(block), after = columns - before - columns_of(block);
    auto padding = [&](SymInt width) {
      return zeros(Dims{rows.bits(), width.bits()}, block.dtype(), block.device());
    };
    const Tensor left = padding(before), right = padding(after);
    before = before + columns_of(block);
    block = cat({left, block, right}, 1);
  }
  results[0] = cat(blocks, 0);
}

}  // namespace framejit::eager
