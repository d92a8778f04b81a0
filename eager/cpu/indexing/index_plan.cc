#include "eager/cpu/indexing/index_plan.h"

#include <algorithm>

#include "eager/cpu/indexing/index_loops.h"
#include "eager/cpu/isa.h"
#include "eager/cpu/kernel_support.h"
#include "eager/error.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::IndexLoops, index_loops, const IndexLoops& index_loops())

namespace framejit::eager {

IndexShape index_shape(const Dims& sizes, const std::vector<Tensor>& indices) {
  const int rank = sizes.size();
  FRAMEJIT_CHECK_TYPE(int(indices.size()) <= rank, index, "too many indices for tensor of dimension ", rank,
                      " (got ", indices.size(), ")");
  IndexShape shape;
  for (int d = 0; d < int(indices.size()); ++d) {
    const Tensor& index = indices[size_t(d)];
    if (!index.defined()) continue;
    FRAMEJIT_CHECK_TYPE(index.dtype() == DType::int64 || index.dtype() == DType::int32, index,
                        "tensors used as indices must be long, int, byte or bool tensors");
    shape.index_sizes =
        shape.indexed.empty() ? index.sizes() : broadcast_sizes(shape.index_sizes, index.sizes());
    shape.indexed.push_back(d);
  }
  FRAMEJIT_CHECK_TYPE(!shape.indexed.empty(), index, "at least one index must be a tensor");
  const int first = shape.indexed.front(), last = shape.indexed.back();
  const bool adjacent = last - first + 1 == int(shape.indexed.size());
  for (int d = 0; d < rank; ++d) {
    if (d < int(indices.size()) && indices[size_t(d)].defined()) continue;
    (adjacent && d < first ? shape.before : shape.after).push_back(d);
  }
  for (int d : shape.before) shape.result_sizes.push_back(sizes[d]);
  for (int64_t size : shape.index_sizes) shape.result_sizes.push_back(size);
  for (int d : shape.after) shape.result_sizes.push_back(sizes[d]);
  return shape;
}

namespace cpu {

namespace {

std::vector<int64_t> offsets_of_dims(const Tensor& x, const std::vector<int>& dims) {
  Dims sizes, strides;
  for (int d : dims) {
    sizes.push_back(x.sizes()[d]);
    strides.push_back(x.strides()[d]);
  }
  return enumerate_offsets(sizes.span(), strides.span());
}

/// Takes the last of `dims` off as long as they make up one contiguous run, and returns its length.
int64_t take_contiguous_run(const Tensor& x, std::vector<int>& dims) {
  int64_t run = 1;
  for (; !dims.empty() && (x.sizes()[dims.back()] == 1 || x.strides()[dims.back()] == run); dims.pop_back())
    run *= x.sizes()[dims.back()];
  return run;
}

/// Raises the user's error for an index outside of a dim.
void check_indices(const Tensor& indices, int64_t size, int dim) {
  const int64_t *values = indices.data_as<int64_t>(), count = indices.numel().expect();
  if (index_loops().all_within(values, count, -size, size)) return;
  for (int64_t i = 0; i < count; ++i)
    FRAMEJIT_CHECK_TYPE(values[i] >= -size && values[i] < size, index, "index ", values[i],
                        " is out of bounds for dimension ", dim, " with size ", size);
}

Tensor broadcast_to(const Tensor& indices, const Dims& sizes) {
  if (indices.sizes() == sizes) return indices;
  Tensor wide = Tensor::empty(sizes, indices.dtype());
  copy_elements(indices, wide);
  return wide;
}

void add_offsets(const std::vector<IndexPlan::Chooser>& choosers, int64_t first, int64_t n, int64_t* to) {
  std::fill_n(to, n, 0);
  for (const IndexPlan::Chooser& chooser : choosers)
    index_loops().add_offsets(chooser.indices.data_as<int64_t>() + first, n, chooser.size, chooser.stride,
                              to);
}

}  // namespace

const int64_t* IndexPlan::offsets(int64_t first, int64_t n, int64_t* buffer) const {
  if (!chosen.empty()) return chosen.data() + first;
  add_offsets(choosers, first, n, buffer);
  return buffer;
}

IndexPlan make_index_plan(const Tensor& x, const std::vector<Tensor>& indices, const IndexShape& shape) {
  IndexPlan plan;
  plan.before = offsets_of_dims(x, shape.before);
  std::vector<int> after = shape.after;
  plan.run = take_contiguous_run(x, after);
  plan.after = offsets_of_dims(x, after);
  plan.count = numel(shape.index_sizes).expect();
  for (int d : shape.indexed) {
    const Tensor numbers = contiguous_as(indices[size_t(d)], DType::int64);
    if (plan.count > 0) check_indices(numbers, x.sizes()[d], d);
    plan.choosers.push_back({broadcast_to(numbers, shape.index_sizes), x.sizes()[d], x.strides()[d]});
  }
  if (plan.before.size() > 1) {
    plan.chosen.resize(size_t(plan.count));
    add_offsets(plan.choosers, 0, plan.count, plan.chosen.data());
  }
  return plan;
}

}  // namespace cpu
}  // namespace framejit::eager
