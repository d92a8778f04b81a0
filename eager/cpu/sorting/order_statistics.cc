// Where in each row the k-th smallest element, the median or the mode is.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/select.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Where the lower of two middle elements stands. NaN, if there is one, is the median; or is left out.
int64_t median_place(int64_t size, int64_t nans, bool ignore_nan) {
  if (ignore_nan) return std::max<int64_t>(0, (size - nans - 1) / 2);
  return nans > 0 ? size - nans : (size - 1) / 2;
}

/// The last place of the most frequent value; of equally frequent ones the smallest counts. `order`: the row's
/// places in the order of the values.
template <class T>
int64_t mode_index(const T* from, int64_t stride, std::span<const int64_t> order) {
  int64_t longest = 0, found = 0;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && from[order[end] * stride] == from[order[begin] * stride];)
      ++end;
    if (int64_t(end - begin) <= longest) continue;
    longest = int64_t(end - begin);
    found = order[end - 1];
  }
  return found;
}

/// Of rows of `n` elements, `stride` apart. Keeps its memory from one row to the next.
template <class T>
class RowStatistics {
 public:
  RowStatistics(int64_t stride, int64_t n) : stride_(stride), n_(n), few_(n <= RankOrder<T>::kLongest) {}

  int64_t mode(const T* row) {
    return few_ ? mode_index<T>(row, stride_, ranks_(row, stride_, n_, false))
                : mode_index<T>(row, stride_, order_(row, stride_, n_, false));
  }
  int64_t kth(const T* row, int64_t place) {
    return few_ ? ranks_.index_at(row, stride_, n_, place) : select_.take(row, stride_, n_).index_at(place);
  }
  int64_t median(const T* row, bool ignore_nan) {
    if (few_) return kth(row, median_place(n_, count_nans(row), ignore_nan));
    select_.take(row, stride_, n_);
    return select_.index_at(median_place(n_, select_.nans(), ignore_nan));
  }

 private:
  int64_t count_nans(const T* row) const {
    int64_t nans = 0;
    for (int64_t i = 0; i < n_; ++i) nans += row[i * stride_] != row[i * stride_];
    return nans;
  }

  int64_t stride_, n_;
  bool few_;
  RankOrder<T> ranks_;
  RadixOrder<T> order_;
  Select<T> select_;
};

template <class T>
void find_statistics(const Tensor& self, const RowShape& shape, const std::string& which, int64_t k,
                     int64_t* to) {
  const T* from = self.data_as<T>();
  const int64_t stride = shape.inner, n = shape.length;
  const bool mode = which == "mode", kth = which == "kth", ignore_nan = which == "nanmedian";
  const int64_t grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, n));
  parallel_for(shape.outer * stride, grain, [&](int64_t begin, int64_t end) {
    RowStatistics<T> statistics(stride, n);
    for (int64_t r = begin; r < end; ++r) {
      const T* row = from + (r / stride) * n * stride + r % stride;
      to[r] = mode  ? statistics.mode(row)
              : kth ? statistics.kth(row, k - 1)
                    : statistics.median(row, ignore_nan);
    }
  });
}

}  // namespace

void meta_order_statistic_index(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const int rank = self.sizes.size(), dim = wrap_dim(args[2].integer(), rank);
  Dims sizes = self.sizes;
  if (rank > 0) sizes[dim] = 1;
  results.push_back(contiguous_meta(std::move(sizes), DType::int64, self.device));
}

void order_statistic_index_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const int dim = self.dim() == 0 ? 0 : wrap_dim(args[2].integer(), self.dim());
  for_dtype(self.dtype(), [&](auto zero) {
    find_statistics<decltype(zero)>(self, row_shape(self.sizes(), dim), args[1].string(), args[3].integer(),
                                    result.data_as<int64_t>());
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
