// sort and topk. NaN counts as the largest value; equal elements keep their order.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/order.h"
#include "eager/cpu/sorting/radix.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Calls `order(entries)` for every row along `dim` and stores the first entries of the order as values and
/// indices: as many as `values` has room for.
template <class T, class Order>
void order_rows(const Tensor& self, int dim, const Tensor& values, const Tensor& indices, Order order) {
  const RowShape shape = row_shape(self.sizes(), dim);
  const int64_t kept = row_shape(values.sizes(), dim).length;
  const T* from = self.data_as<T>();
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, shape.length));
  parallel_for(shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    std::vector<Entry<T>> row(size_t(shape.length));
    for (int64_t r = begin; r < end; ++r) {
      const int64_t o = r / shape.inner, k = r % shape.inner;
      for (int64_t i = 0; i < shape.length; ++i)
        row[size_t(i)] = {from[(o * shape.length + i) * shape.inner + k], i};
      order(row);
      for (int64_t i = 0; i < kept; ++i) {
        const int64_t to = (o * kept + i) * shape.inner + k;
        values.data_as<T>()[to] = row[size_t(i)].value;
        indices.data_as<int64_t>()[to] = row[size_t(i)].index;
      }
    }
  });
}

/// All of every row, by digits.
template <class T>
void sort_rows(const Tensor& self, int dim, const Tensor& values, const Tensor& indices, bool descending) {
  const RowShape shape = row_shape(self.sizes(), dim);
  const int64_t grain = std::max<int64_t>(1, 4096 / shape.length);
  parallel_for(shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    RadixOrder<T> order;
    for (int64_t r = begin; r < end; ++r) {
      const int64_t start = r / shape.inner * shape.length * shape.inner + r % shape.inner;
      const T* from = self.data_as<T>() + start;
      T* value = values.data_as<T>() + start;
      int64_t* index = indices.data_as<int64_t>() + start;
      for (int64_t place : order(from, shape.inner, shape.length, descending)) {
        *value = from[place * shape.inner];
        *index = place;
        value += shape.inner;
        index += shape.inner;
      }
    }
  });
}

/// A stable sort. std::stable_sort takes memory for every row, which rows of a few elements notice.
template <class T, class Less>
void sort_row(std::vector<Entry<T>>& row, Less less) {
  constexpr size_t few = 32;
  if (row.size() > few) return std::stable_sort(row.begin(), row.end(), less);
  for (size_t i = 1; i < row.size(); ++i) {
    const Entry<T> entry = row[i];
    size_t at = i;
    for (; at > 0 && less(entry, row[at - 1]); --at) row[at] = row[at - 1];
    row[at] = entry;
  }
}

struct OrderedRows {
  Tensor self, values, indices;
  int dim;

  OrderedRows(const Op& op, const Value* args, int dim_position) : self(contiguous(args[0].tensor())) {
    std::vector<TensorMeta> metas;
    op.meta(op, args, metas);
    values = Tensor::empty(metas[0]);
    indices = Tensor::empty(metas[1]);
    dim = self.dim() == 0 ? 0 : wrap_dim(args[dim_position].integer(), self.dim());
  }
  void store(Value* results) const {
    results[0] = values;
    results[1] = indices;
  }
};

}  // namespace

void meta_sort(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  wrap_dim(args[1].integer(), self.sizes.size());
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
  results.push_back(contiguous_meta(self.sizes, DType::int64, self.device));
}

void sort_kernel(const Op& op, const Value* args, Value* results) {
  const bool descending = args[2].boolean();
  const OrderedRows rows(op, args, 1);
  for_dtype(rows.self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (rows.self.dim() > 0 && rows.self.sizes()[rows.dim] >= RadixOrder<T>::kShortest)
      return sort_rows<T>(rows.self, rows.dim, rows.values, rows.indices, descending);
    order_rows<T>(rows.self, rows.dim, rows.values, rows.indices, [descending](auto& row) {
      sort_row(row, [descending](const auto& a, const auto& b) {
        return descending ? less_than(b.value, a.value) : less_than(a.value, b.value);
      });
    });
  });
  rows.store(results);
}

void meta_topk(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const int rank = self.sizes.size(), dim = wrap_dim(args[2].integer(), rank);
  const SymInt k = args[1].sym_int(), size = rank == 0 ? SymInt(1) : self.sizes.sym(dim);
  FRAMEJIT_CHECK(k >= 0 && k <= size, "selected index k out of range: k = ", k.str(), ", size ", size.str(),
                 " of dimension ", dim);
  Dims sizes = self.sizes;
  if (rank > 0) sizes[dim] = k.bits();
  results.push_back(contiguous_meta(sizes, self.dtype, self.device));
  results.push_back(contiguous_meta(sizes, DType::int64, self.device));
}

void topk_kernel(const Op& op, const Value* args, Value* results) {
  const int64_t k = args[1].integer();
  const bool largest = args[3].boolean();
  const OrderedRows rows(op, args, 2);
  for_dtype(rows.self.dtype(), [&](auto zero) {
    order_rows<decltype(zero)>(rows.self, rows.dim, rows.values, rows.indices, [k, largest](auto& row) {
      const auto last = row.begin() + std::min<int64_t>(k, int64_t(row.size()));
      std::partial_sort(row.begin(), last, row.end(), [largest](const auto& a, const auto& b) {
        if (largest ? less_than(b.value, a.value) : less_than(a.value, b.value)) return true;
        return !(largest ? less_than(a.value, b.value) : less_than(b.value, a.value)) && a.index < b.index;
      });
    });
  });
  rows.store(results);
}

}  // namespace framejit::eager
