// Where in each row the k-th smallest element, the median or the mode is.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/order.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

template <class T>
using Row = std::vector<Entry<T>>;

/// The index of what stands at `place` once the row is sorted.
template <class T>
int64_t index_at(Row<T>& row, int64_t place) {
  const auto at = row.begin() + place;
  std::nth_element(row.begin(), at, row.end(), [](const Entry<T>& a, const Entry<T>& b) {
    if (less_than(a.value, b.value)) return true;
    return !less_than(b.value, a.value) && a.index < b.index;
  });
  return at->index;
}

template <class T>
int64_t nan_count(const Row<T>& row) {
  return std::count_if(row.begin(), row.end(),
                       [](const Entry<T>& entry) { return entry.value != entry.value; });
}

/// The lower of two middle elements. NaN, if there is one, is the median; or is left out.
template <class T>
int64_t median_index(Row<T>& row, bool ignore_nan) {
  const int64_t size = int64_t(row.size()), nans = nan_count(row);
  if (ignore_nan) return index_at(row, std::max<int64_t>(0, (size - nans - 1) / 2));
  return nans > 0 ? index_at(row, size - nans) : index_at(row, (size - 1) / 2);
}

/// The last place of the most frequent value; of equally frequent ones the smallest counts.
template <class T>
int64_t mode_index(Row<T>& row) {
  std::stable_sort(row.begin(), row.end(),
                   [](const Entry<T>& a, const Entry<T>& b) { return less_than(a.value, b.value); });
  int64_t longest = 0, found = 0;
  for (size_t begin = 0, end = 0; begin < row.size(); begin = end) {
    for (end = begin + 1; end < row.size() && row[end].value == row[begin].value;) ++end;
    if (int64_t(end - begin) <= longest) continue;
    longest = int64_t(end - begin);
    found = row[end - 1].index;
  }
  return found;
}

template <class T>
int64_t statistic(Row<T>& row, const std::string& which, int64_t k) {
  if (which == "kth") return index_at(row, k - 1);
  if (which == "mode") return mode_index(row);
  return median_index(row, which == "nanmedian");
}

template <class T>
void find_statistics(const Tensor& self, const RowShape& shape, const std::string& which, int64_t k,
                     int64_t* to) {
  const T* from = self.data_as<T>();
  const int64_t grain = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, shape.length));
  parallel_for(shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    Row<T> row(size_t(shape.length));
    for (int64_t r = begin; r < end; ++r) {
      const T* first = from + (r / shape.inner) * shape.length * shape.inner + r % shape.inner;
      for (int64_t i = 0; i < shape.length; ++i) row[size_t(i)] = {first[i * shape.inner], i};
      to[r] = statistic(row, which, k);
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
