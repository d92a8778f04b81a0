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
/// the lists `before` and `after`, `count` and `run`, has the offset before[i] + chosen(j) + after[k] + l, in
/// elements.
struct IndexPlan {
  /// One index tensor, broadcast and contiguous, of dim `dim` of x.
  struct Chooser {
    Tensor indices;
    int64_t size, stride;
  };
  std::vector<int64_t> before, after;
  std::vector<Chooser> choosers;
  int64_t count, run;
  /// All of chosen(j), where each is needed more than once; else they are computed when they are.
  std::vector<int64_t> chosen;

  /// chosen(j) for [first, first + n), n <= kIndicesAtOnce, in `buffer` or elsewhere.
  const int64_t* offsets(int64_t first, int64_t n, int64_t* buffer) const;
};
/// IndexError for an index out of range.
IndexPlan make_index_plan(const Tensor& x, const std::vector<Tensor>& indices, const IndexShape& shape);

}  // namespace cpu
}  // namespace framejit::eager
