#include "eager/cpu/nn/embedding_bag.h"

#include <algorithm>
#include <iterator>

#include "eager/cpu/float_type.h"
#include "eager/cpu/indexing/index_loops.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// Elements that one thread adds up without asking another.
constexpr int64_t kGrain = 65536;

bool are_indices(const Tensor& tensor) {
  return tensor.dtype() == DType::int64 || tensor.dtype() == DType::int32;
}

/// Where bags begin, and where the last one ends; empty where that makes no sense.
std::vector<int64_t> limits_of(const Tensor& indices, const Tensor& offsets, bool include_last) {
  const int64_t length = indices.sizes()[indices.dim() - 1];
  std::vector<int64_t> limits;
  if (!offsets.defined()) {
    for (int64_t bag = 0; bag <= indices.sizes()[0]; ++bag) limits.push_back(bag * length);
    return limits;
  }
  const Tensor starts = contiguous_as(offsets, DType::int64);
  const int64_t *begin = starts.data_as<int64_t>(), *end = begin + starts.sizes()[0];
  if (begin == end) return {};
  limits.assign(begin, end);
  if (include_last)
    limits.back() = length;
  else
    limits.push_back(length);
  const bool fits = limits.front() == 0 && std::is_sorted(limits.begin(), limits.end());
  return fits ? limits : std::vector<int64_t>();
}

Tensor tensor_of(const std::vector<int64_t>& numbers) {
  const Tensor tensor = Tensor::empty(Dims{int64_t(numbers.size())}, DType::int64);
  std::copy(numbers.begin(), numbers.end(), tensor.data_as<int64_t>());
  return tensor;
}

/// Leaves out rows `padding`.
Bags without_padding(const int64_t* rows, const std::vector<int64_t>& limits, int64_t padding) {
  std::vector<int64_t> kept, new_limits{0};
  for (size_t bag = 0; bag + 1 < limits.size(); ++bag) {
    std::remove_copy(rows + limits[bag], rows + limits[bag + 1], std::back_inserter(kept), padding);
    new_limits.push_back(int64_t(kept.size()));
  }
  return {tensor_of(kept), tensor_of(new_limits)};
}

/// The bags of arguments of bag_sums and its derivative.
struct BagRows {
  const int64_t *rows, *limits;
  int64_t count;

  BagRows(const Tensor& indices, const Tensor& bounds)
      : rows(indices.data_as<int64_t>()), limits(bounds.data_as<int64_t>()), count(bounds.sizes()[0] - 1) {}
  int64_t size(int64_t bag) const { return limits[bag + 1] - limits[bag]; }
};

void sum_rows(const float* table, int64_t width, const int64_t* rows, int64_t count, float* sum) {
  index_loops().sum_rows(table, width, rows, count, sum);
}
void sum_rows(const double* table, int64_t width, const int64_t* rows, int64_t count, double* sum) {
  std::fill_n(sum, width, 0.0);
  for (int64_t i = 0; i < count; ++i) RowOps<double>::get().add(sum, table + rows[i] * width, width, sum);
}

}  // namespace

std::optional<Bags> cpu::find_bags(const Tensor& given, const Tensor& table, const Tensor& offsets,
                                   bool include_last, std::optional<int64_t> padding) {
  const bool is_float = table.dtype() == DType::float32 || table.dtype() == DType::float64;
  if (!is_float || table.dim() != 2 || !are_indices(given) || given.dim() != (offsets.defined() ? 1 : 2) ||
      (offsets.defined() && (offsets.dim() != 1 || !are_indices(offsets))))
    return std::nullopt;
  const Tensor indices = contiguous_as(given, DType::int64);
  const std::vector<int64_t> limits = limits_of(given, offsets, include_last);
  const int64_t height = table.sizes()[0], *rows = indices.data_as<int64_t>();
  if (limits.size() < 2 || !index_loops().all_within(rows, limits.back(), 0, height)) return std::nullopt;
  if (padding) return without_padding(rows, limits, *padding < 0 ? *padding + height : *padding);
  return Bags{indices, tensor_of(limits)};
}

/// args: self, indices, limits, mean.
void meta_bag_sums(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &limits = args[2].impl()->meta;
  Dims sizes;
  sizes.push_back(limits.sizes.sym(0) - 1);
  sizes.push_back(self.sizes.sym(1));
  results.push_back(contiguous_meta(sizes, self.dtype, self.device));
}

void bag_sums_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor table = contiguous(args[0].tensor()), result = allocate_result(op, args);
  const BagRows bags(args[1].tensor(), args[2].tensor());
  const bool mean = args[3].boolean();
  const int64_t width = table.sizes()[1];
  const int64_t work =
      std::max<int64_t>(1, bags.limits[bags.count] * width / std::max<int64_t>(1, bags.count));
  for_float_type(table.dtype(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(bags.count, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
      for (int64_t bag = begin; bag < end; ++bag) {
        T* to = result.data_as<T>() + bag * width;
        sum_rows(table.data_as<T>(), width, bags.rows + bags.limits[bag], bags.size(bag), to);
        if (mean) RowOps<T>::get().divide(to, T(std::max<int64_t>(1, bags.size(bag))), width, to);
      }
    });
  });
  results[0] = result;
}

/// args: grad_output, indices, limits, mean, sizes.
void meta_bag_sums_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& grad = args[0].impl()->meta;
  results.push_back(contiguous_meta(args[4].dims(), grad.dtype, grad.device));
}

void bag_sums_backward_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor grad = contiguous(args[0].tensor()), result = allocate_result(op, args);
  const BagRows bags(args[1].tensor(), args[2].tensor());
  const bool mean = args[3].boolean();
  const int64_t nothing = 0, width = grad.sizes()[1];
  fill_elements(result, &nothing, DType::int64);
  for_float_type(grad.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // Each thread has columns of its own, and goes through all bags in their order.
    parallel_for(width, column_grain(bags.limits[bags.count], width), [&](int64_t begin, int64_t end) {
      const ScratchScope scope;
      T* share = Scratch::of_thread().take_array<T>(end - begin);
      for (int64_t bag = 0; bag < bags.count; ++bag) {
        const T* from = grad.data_as<T>() + bag * width + begin;
        if (mean) {
          RowOps<T>::get().divide(from, T(std::max<int64_t>(1, bags.size(bag))), end - begin, share);
          from = share;
        }
        for (int64_t i = bags.limits[bag]; i < bags.limits[bag + 1]; ++i) {
          T* to = result.data_as<T>() + bags.rows[i] * width + begin;
          RowOps<T>::get().add(to, from, end - begin, to);
        }
      }
    });
  });
  results[0] = result;
}

}  // namespace framejit::eager
