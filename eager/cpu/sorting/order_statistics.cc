// Where in each row the k-th smallest element, the median or the mode is.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/radix.h"
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

template <class T>
void find_statistics(const Tensor& self, const RowShape& shape, const std::string& which, int64_t k,
                     int64_t* to) {
  const T* from = self.data_as<T>();
  const int64_t stride = shape.inner, n = shape.length;
  const int64_t grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, n));
  const bool few = n <= RankOrder<T>::kLongest;
  parallel_for(shape.outer * stride, grain, [&](int64_t begin, int64_t end) {
    RankOrder<T> ranks;
    RadixOrder<T> order;
    RadixSelect<T> select;
    for (int64_t r = begin; r < end; ++r) {
      const T* row = from + (r / stride) * n * stride + r % stride;
      const auto ordered = [&]() -> std::span<const int64_t> {
        if (few) return ranks(row, stride, n, false);
        return order(row, stride, n, false);
      };
      const auto index_at = [&](int64_t place) {
        return few ? ordered()[size_t(place)] : select.take(row, stride, n).index_at(place);
      };
      if (which == "mode") {
        to[r] = mode_index(row, stride, ordered());
      } else if (which == "kth") {
        to[r] = index_at(k - 1);
      } else {
        int64_t nans = 0;
        for (int64_t i = 0; i < n; ++i) nans += row[i * stride] != row[i * stride];
        to[r] = index_at(median_place(n, nans, which == "nanmedian"));
      }
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
