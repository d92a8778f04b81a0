#include "eager/cpu/nn/embedding_bag.h"

#include <algorithm>

#include "eager/cpu/indexing/index_loops.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

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

}  // namespace

std::optional<Tensor> sums_of_bags(const Tensor& given, const Tensor& table, const Tensor& offsets,
                                   bool include_last, bool mean, std::optional<int64_t> padding) {
  if (table.dtype() != DType::float32 || table.dim() != 2 || !table.is_contiguous() || !are_indices(given) ||
      given.dim() != (offsets.defined() ? 1 : 2) ||
      (offsets.defined() && (offsets.dim() != 1 || !are_indices(offsets))))
    return std::nullopt;
  const Tensor indices = contiguous_as(given, DType::int64);
  const int64_t height = table.sizes()[0], width = table.sizes()[1], *rows = indices.data_as<int64_t>();
  const std::vector<int64_t> limits = limits_of(given, offsets, include_last);
  if (limits.size() < 2 || !index_loops().all_within(rows, limits.back(), 0, height)) return std::nullopt;
  const int64_t bags = int64_t(limits.size()) - 1, unused = padding.value_or(-1);
  const int64_t skipped = padding && unused < 0 ? unused + height : unused;
  const Tensor result = Tensor::empty(Dims{bags, width}, table.dtype());
  const int64_t work = std::max<int64_t>(1, limits.back() * width / bags);
  parallel_for(bags, std::max<int64_t>(1, 65536 / work), [&](int64_t begin, int64_t end) {
    for (int64_t bag = begin; bag < end; ++bag) {
      const ScratchScope scope;
      const int64_t* used = rows + limits[size_t(bag)];
      int64_t count = limits[size_t(bag) + 1] - limits[size_t(bag)];
      if (padding) {
        int64_t* kept = Scratch::of_thread().take_array<int64_t>(count);
        count = std::remove_copy(used, used + count, kept, skipped) - kept;
        used = kept;
      }
      float* to = result.data_as<float>() + bag * width;
      index_loops().sum_rows(table.data_as<float>(), width, used, count, to);
      if (mean) RowOps<float>::get().divide(to, float(std::max<int64_t>(1, count)), width, to);
    }
  });
  return result;
}

}  // namespace framejit::eager::cpu
