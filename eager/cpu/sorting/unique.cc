// Distinct elements, and distinct slices of a dim.
#include <algorithm>
#include <numeric>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/order.h"
#include "eager/cpu/sorting/radix.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Of `order`, a list of items in which equal ones are neighbours: the first of each group, the number of
/// each item's group, and the groups' sizes.
struct Groups {
  std::vector<int64_t> first, counts;
  Tensor inverse;

  Groups() = default;
  template <class Equal>
  Groups(const std::vector<int64_t>& order, const Dims& inverse_sizes, Equal equal)
      : inverse(Tensor::empty(inverse_sizes, DType::int64)) {
    int64_t* group = inverse.data_as<int64_t>();
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || !equal(order[i - 1], order[i])) {
        first.push_back(order[i]);
        counts.push_back(0);
      }
      group[order[i]] = int64_t(first.size()) - 1;
      ++counts.back();
    }
  }
};

std::vector<int64_t> in_sequence(int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Tensor counts_tensor(const std::vector<int64_t>& counts) {
  Tensor result = Tensor::empty(Dims{int64_t(counts.size())}, DType::int64);
  std::copy(counts.begin(), counts.end(), result.data_as<int64_t>());
  return result;
}

/// What is wanted of distinct elements beside themselves.
struct Wanted {
  bool inverse, counts;
};

/// The first elements of `x`, a vector, in memory of their own size.
Tensor contiguous_part(const Tensor& x, int64_t count) {
  const Tensor part = Tensor::empty(Dims{count}, x.dtype());
  copy_elements(reshaped_view(x, Dims{count}, Dims{1}), part);
  return part;
}

/// The first of each run of equal elements. Where a run begins cannot be foretold: every element is written, and
/// the next one takes its place where it does not begin one.
template <class T>
Tensor first_of_runs(const T* data, int64_t count, DType dtype) {
  const Tensor all = Tensor::empty(Dims{count}, dtype);
  T* to = all.data_as<T>();
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    to[found] = data[i];
    found += i == 0 || !(data[i - 1] == data[i]);
  }
  return contiguous_part(all, found);
}

/// Results for elements of which equal ones are neighbours; element i stands for element places[i] of the tensor,
/// or for itself.
template <class T>
void group_runs(const T* data, const int64_t* places, const Tensor& self, Wanted wanted, Value* results) {
  const int64_t count = self.numel().expect();
  const Tensor distinct = first_of_runs(data, count, self.dtype()),
               none = Tensor::empty(Dims{0}, DType::int64);
  const Tensor inverse = wanted.inverse ? Tensor::empty(self.sizes(), DType::int64) : none;
  const Tensor counts = wanted.counts ? Tensor::empty(distinct.sizes(), DType::int64) : none;
  int64_t *group = inverse.data_as<int64_t>(), *size = counts.data_as<int64_t>();
  if (wanted.inverse || wanted.counts)
    for (int64_t i = 0, number = 0, first = 0; i < count; ++i) {
      if (wanted.inverse) group[places ? places[i] : i] = number;
      if (i + 1 < count && data[i] == data[i + 1]) continue;
      if (wanted.counts) size[number] = i + 1 - first;
      first = i + 1;
      ++number;
    }
  results[0] = distinct;
  results[1] = inverse;
  results[2] = counts;
}

template <class T>
void group_elements(const Tensor& self, bool consecutive, Wanted wanted, Value* results) {
  const T* data = self.data_as<T>();
  const int64_t count = self.numel().expect();
  if (consecutive) return group_runs(data, nullptr, self, wanted, results);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    if (!wanted.inverse) {
      RadixKeys<T> keys;
      return group_runs(keys(data, count).data(), nullptr, self, wanted, results);
    }
  RadixOrder<T> order;
  const std::vector<int64_t>& places = order(data, 1, count, /*descending=*/false);
  const Tensor sorted = Tensor::empty(Dims{count}, self.dtype());
  for (int64_t i = 0; i < count; ++i) sorted.data_as<T>()[i] = data[places[size_t(i)]];
  group_runs(sorted.data_as<T>(), places.data(), self, wanted, results);
}

/// Slices are rows of `self`, a matrix.
template <class T>
Groups group_rows(const Tensor& self, bool consecutive) {
  const T* data = self.data_as<T>();
  const int64_t rows = self.sizes()[0], length = self.sizes()[1];
  std::vector<int64_t> order = in_sequence(rows);
  if (!consecutive)
    std::stable_sort(order.begin(), order.end(), [=](int64_t a, int64_t b) {
      return std::lexicographical_compare(data + a * length, data + (a + 1) * length, data + b * length,
                                          data + (b + 1) * length, less_than<T>);
    });
  return Groups(order, Dims{rows}, [=](int64_t a, int64_t b) {
    return std::equal(data + a * length, data + (a + 1) * length, data + b * length);
  });
}

/// `self` with dim `dim` in front and the others made one.
Tensor as_rows(const Tensor& self, int dim, Dims* moved_sizes) {
  Dims sizes{self.sizes()[dim]}, strides{self.strides()[dim]};
  for (int d = 0; d < self.dim(); ++d) {
    if (d == dim) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  const Tensor moved = contiguous(reshaped_view(self, sizes, strides));
  *moved_sizes = sizes;
  const int64_t length = sizes[0] == 0 ? 0 : moved.numel().expect() / sizes[0];
  return reshaped_view(moved, Dims{sizes[0], length}, Dims{length, 1});
}

}  // namespace

/// args: self, consecutive, return_inverse, return_counts.
void unique_elements_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  for_dtype(self.dtype(), [&](auto zero) {
    group_elements<decltype(zero)>(self, args[1].boolean(), {args[2].boolean(), args[3].boolean()}, results);
  });
}

/// args: self, dim, consecutive.
void unique_slices_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int dim = wrap_dim(args[1].integer(), self.dim());
  FRAMEJIT_CHECK(self.dim() > 0, "unique(): got dim=", args[1].integer(),
                 " for a 0-dim tensor. Leave dim out.");
  FRAMEJIT_CHECK(self.numel() > 0 || self.sizes()[dim] == 0,
                 "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  Dims sizes;
  const Tensor rows = as_rows(self, dim, &sizes);
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Groups groups = group_rows<T>(rows, args[2].boolean());
    const int64_t length = rows.sizes()[1];
    sizes[0] = int64_t(groups.first.size());
    const Tensor distinct = Tensor::empty(sizes, self.dtype());
    for (size_t i = 0; i < groups.first.size(); ++i)
      std::copy_n(rows.data_as<T>() + groups.first[i] * length, length,
                  distinct.data_as<T>() + int64_t(i) * length);
    Dims back_sizes, back_strides;  // dim 0 to where it was
    for (int d = 0, other = 1; d < self.dim(); ++d) {
      const int from = d == dim ? 0 : other++;
      back_sizes.push_back(sizes[from]);
      back_strides.push_back(distinct.strides()[from]);
    }
    results[0] = contiguous(reshaped_view(distinct, back_sizes, back_strides));
    results[1] = groups.inverse;
    results[2] = counts_tensor(groups.counts);
  });
}

}  // namespace framejit::eager
