// sort and topk. NaN counts as the largest value; equal elements keep their order.
#include <algorithm>
#include <memory>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/order.h"
#include "eager/cpu/sorting/select.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Calls `visit(from, value, index)` for every row along `dim`, with where the row and its results begin. The
/// elements of a row, and its results, are `RowShape::inner` apart.
template <class T, class Visit>
void for_each_row(const Tensor& self, int dim, const Tensor& values, const Tensor& indices, Visit visit) {
  const RowShape shape = row_shape(self.sizes(), dim);
  const int64_t kept = row_shape(values.sizes(), dim).length;
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, shape.length));
  parallel_for(shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    auto row = visit(shape);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t o = r / shape.inner, k = r % shape.inner, to = o * kept * shape.inner + k;
      row(self.data_as<T>() + o * shape.length * shape.inner + k, values.data_as<T>() + to,
          indices.data_as<int64_t>() + to);
    }
  });
}

/// Every row, or the first `k` of each.
template <class T, class Order>
void sort_rows(const Tensor& self, int dim, const Tensor& values, const Tensor& indices, int64_t k,
               bool descending) {
  for_each_row<T>(self, dim, values, indices, [=](const RowShape& shape) {
    return [=, order = Order()](const T* from, T* value, int64_t* index) mutable {
      const std::span<const int64_t> places = order(from, shape.inner, shape.length, descending);
      for (int64_t place : places.first(size_t(k))) {
        *value = from[place * shape.inner];
        *index = place;
        value += shape.inner;
        index += shape.inner;
      }
    };
  });
}

/// Leaders are found by selection in rows that are less than so many times as long as there are leaders, of few and of many:
/// else most elements do not lead, and one comparison each finds that out.
constexpr int64_t kSelectedOfFew = 150, kSelectedOfMany = 1000;

/// Whether `a` comes before `b` among the largest (or smallest).
template <class T>
bool leads(const Entry<T>& a, const Entry<T>& b, bool largest) {
  if (largest ? less_than(b.value, a.value) : less_than(a.value, b.value)) return true;
  return !(largest ? less_than(a.value, b.value) : less_than(b.value, a.value)) && a.index < b.index;
}

/// The first `k` elements of a row, in a heap whose top is the last of them, or,
/// while they are few, in order: most elements are compared with that last one alone.
template <class T>
class Leaders {
 public:
  static constexpr size_t kFew = 32;

  Leaders(int64_t k, bool largest) : k_(size_t(k)), largest_(largest) {}

  const std::vector<Entry<T>>& of(const T* from, int64_t stride, int64_t n) {
    const auto order = [this](const Entry<T>& a, const Entry<T>& b) { return leads(a, b, largest_); };
    first_.clear();
    for (int64_t i = 0; i < int64_t(k_); ++i) first_.push_back({from[i * stride], i});
    const bool few = k_ <= kFew;
    few ? std::sort(first_.begin(), first_.end(), order)
        : std::make_heap(first_.begin(), first_.end(), order);
    for (int64_t i = int64_t(k_); i < n;) {
      const T& last = few ? first_.back().value : first_.front().value;
      if (stride == 1) i += loops_.skip(from + i, n - i, last, largest_);
      for (const int64_t end = std::min(n, i + kSkipped); i < end; ++i) {
        const T x = from[i * stride];
        if (!(largest_ ? less_than(last, x) : less_than(x, last))) continue;  // also if equal: it comes later
        few ? insert({x, i}) : exchange_top({x, i}, order);
      }
    }
    if (!few) std::sort_heap(first_.begin(), first_.end(), order);
    return first_;
  }

 private:
  void insert(const Entry<T>& entry) {
    size_t at = k_ - 1;
    for (; at > 0 && leads(entry, first_[at - 1], largest_); --at) first_[at] = first_[at - 1];
    first_[at] = entry;
  }
  template <class Order>
  void exchange_top(const Entry<T>& entry, Order order) {
    std::pop_heap(first_.begin(), first_.end(), order);
    first_.back() = entry;
    std::push_heap(first_.begin(), first_.end(), order);
  }

  const KeyLoops<T>& loops_ = std::get<KeyLoops<T>>(key_loops());
  size_t k_;
  bool largest_;
  std::vector<Entry<T>> first_;
};

/// The first `k` of a row by selection of the last of them, then in order: for many, of rows that are not much longer.
template <class T>
class SelectedLeaders {
 public:
  SelectedLeaders(int64_t k, bool largest)
      : k_(k), largest_(largest), indices_(size_t(k)), found_(new T[size_t(k)]) {}

  const std::vector<Entry<T>>& of(const T* from, int64_t stride, int64_t n) {
    const auto last = select_.take(from, stride, n, largest_).at(k_ - 1);
    const int64_t before = select_.find_before(last, indices_.data());
    for (int64_t i = 0; i < before; ++i) found_[size_t(i)] = from[indices_[size_t(i)] * stride];
    first_.clear();
    const auto take = [&](int64_t at) { first_.push_back({found_[size_t(at)], indices_[size_t(at)]}); };
    if (before <= RankOrder<T>::kLongest)
      for (int64_t at : ranks_(found_.get(), 1, before, largest_)) take(at);
    else
      for (int64_t at : order_(found_.get(), 1, before, largest_)) take(at);
    const auto& keys = select_.keys();
    for (auto at = keys.begin(); int64_t(first_.size()) < k_; ++at) {
      at = std::find(at, keys.end(), last.key);
      first_.push_back({from[(at - keys.begin()) * stride], at - keys.begin()});
    }
    return first_;
  }

 private:
  int64_t k_;
  bool largest_;
  Select<T> select_;
  RankOrder<T> ranks_;
  RadixOrder<T> order_;
  std::vector<int64_t> indices_;
  std::unique_ptr<T[]> found_;  // a vector of bools has no elements
  std::vector<Entry<T>> first_;
};

template <class T, class First>
void take_first_by(const Tensor& self, int dim, const Tensor& values, const Tensor& indices, int64_t k,
                   bool largest) {
  for_each_row<T>(self, dim, values, indices, [=](const RowShape& shape) {
    return [=, first = First(k, largest)](const T* from, T* value, int64_t* index) mutable {
      for (const Entry<T>& entry : first.of(from, shape.inner, shape.length)) {
        *value = entry.value;
        *index = entry.index;
        value += shape.inner;
        index += shape.inner;
      }
    };
  });
}

template <class T>
void take_first(const Tensor& self, int dim, const Tensor& values, const Tensor& indices, int64_t k,
                bool largest) {
  if (k == 0) return;
  const int64_t length = row_shape(self.sizes(), dim).length;
  const bool order_all = length <= RankOrder<T>::kLongest && k > 1;
  const bool few = k <= int64_t(Leaders<T>::kFew);
  const bool select = k > 1 && length < k * (few ? kSelectedOfFew : kSelectedOfMany);
  const auto take = order_all ? sort_rows<T, RankOrder<T>>
                    : select  ? take_first_by<T, SelectedLeaders<T>>
                              : take_first_by<T, Leaders<T>>;
  take(self, dim, values, indices, k, largest);
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
    const int64_t length = row_shape(rows.self.sizes(), rows.dim).length;
    const bool few = length <= RankOrder<T>::kLongest;
    const auto sort = few ? sort_rows<T, RankOrder<T>> : sort_rows<T, RadixOrder<T>>;
    sort(rows.self, rows.dim, rows.values, rows.indices, length, descending);
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
    take_first<decltype(zero)>(rows.self, rows.dim, rows.values, rows.indices, k, largest);
  });
  rows.store(results);
}

}  // namespace framejit::eager
