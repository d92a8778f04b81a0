// Where advanced indexing finds its elements: shared by the shape rule and by reading and writing kernels.
#pragma once

#include <vector>

#include "eager/op.h"

namespace framejit::eager {

/// Shape of `x[indices]`. The index tensors broadcast to one shape, which stands where the first of them
/// stands if they are next to each other, else in front.
struct IndexShape {
  std::vector<int> indexed;  ///< dims of x that have an index tensor
  Dims index_sizes;          ///< common shape of the index tensors
  std::vector<int> before;   ///< other dims in front of the index shape, in the result
  std::vector<int> after;    ///< ... and behind it
  Dims result_sizes;
};
/// Raises the user's error for too many indices, wrong dtypes or shapes. Works on symbolic sizes.
IndexShape index_shape(const Dims& sizes, const std::vector<Tensor>& indices);

namespace cpu {

/// Where the elements of the result lie in x. Element (i, j, k, l) of the result, whose sizes are those of
/// the three lists and `run`, has the offset before[i] + chosen[j] + after[k] + l, in elements.
struct IndexPlan {
  std::vector<int64_t> before, chosen, after;
  int64_t run;
};
/// IndexError for an index out of range.
IndexPlan make_index_plan(const Tensor& x, const std::vector<Tensor>& indices, const IndexShape& shape);

}  // namespace cpu
}  // namespace framejit::eager
