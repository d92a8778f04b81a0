#include "eager/cpu/indexing/index_plan.h"

#include "eager/cpu/kernel_support.h"
#include "eager/error.h"

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

/// Adds index * stride to every offset, for one index tensor broadcast to `sizes`.
void add_index(const Tensor& index, const Dims& sizes, int64_t size, int64_t stride, int dim,
               std::vector<int64_t>& offsets) {
  Tensor wide = Tensor::empty(sizes, DType::int64);
  copy_elements(index, wide);
  const int64_t* values = wide.data_as<int64_t>();
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t value = values[i];
    FRAMEJIT_CHECK_TYPE(value >= -size && value < size, index, "index ", value,
                        " is out of bounds for dimension ", dim, " with size ", size);
    offsets[i] += (value < 0 ? value + size : value) * stride;
  }
}

}  // namespace

IndexPlan make_index_plan(const Tensor& x, const std::vector<Tensor>& indices, const IndexShape& shape) {
  IndexPlan plan;
  plan.before = offsets_of_dims(x, shape.before);
  std::vector<int> after = shape.after;
  plan.run = take_contiguous_run(x, after);
  plan.after = offsets_of_dims(x, after);
  plan.chosen.assign(size_t(numel(shape.index_sizes).expect()), 0);
  for (int d : shape.indexed)
    add_index(indices[size_t(d)], shape.index_sizes, x.sizes()[d], x.strides()[d], d, plan.chosen);
  return plan;
}

}  // namespace cpu
}  // namespace framejit::eager
