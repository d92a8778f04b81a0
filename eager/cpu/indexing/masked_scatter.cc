// masked_scatter and its gradient, repeat_interleave's indices, nonzero with a size given beforehand.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

void meta_masked_scatter(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

void masked_scatter_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), mask = contiguous(args[1].tensor()),
               source = contiguous(args[2].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t count = self.numel().expect(), available = source.numel().expect();
  const bool* chosen = mask.data_as<bool>();
  const int64_t needed = std::count(chosen, chosen + count, true);
  FRAMEJIT_CHECK(needed <= available, "masked_scatter: expected `source` to have at least as many elements (",
                 available, ") as there are ones in `mask` (", needed, ")");
  for_item_size(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = self.data_as<T>(), *next = source.data_as<T>();
    T* to = result.data_as<T>();
    int64_t i = 0;
    for (int64_t taken = 0; taken < needed; ++i) {  // without a branch: there is a next one, wanted or not
      const T old = from[i], other = next[taken];
      to[i] = chosen[i] ? other : old;
      taken += chosen[i];
    }
    std::copy(from + i, from + count, to + i);
  });
  results[0] = std::move(result);
}

void meta_masked_scatter_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& grad = args[0].impl()->meta;
  results.push_back(contiguous_meta(args[2].dims(), grad.dtype, grad.device));
}

void masked_scatter_backward_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor grad = contiguous(args[0].tensor()), mask = contiguous(args[1].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t count = grad.numel().expect();
  const bool* chosen = mask.data_as<bool>();
  for_item_size(grad.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = grad.data_as<T>();
    T *to = result.data_as<T>(), *end = to + result.numel().expect();
    for (int64_t i = 0; i < count; ++i)
      if (chosen[i]) *to++ = from[i];
    std::fill(to, end, T(0));
  });
  results[0] = std::move(result);
}

/// args: repeats, output_size.
void repeat_interleave_indices_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor given = args[0].tensor();
  FRAMEJIT_CHECK(given.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  FRAMEJIT_CHECK(given.dtype() == DType::int64 || given.dtype() == DType::int32,
                 "repeats has to be Long or Int tensor");
  const Tensor repeats = contiguous_as(given, DType::int64);
  const int64_t *counts = repeats.data_as<int64_t>(), size = repeats.sizes()[0];
  int64_t total = 0;
  for (int64_t i = 0; i < size; ++i) {
    FRAMEJIT_CHECK(counts[i] >= 0, "repeats can not be negative");
    FRAMEJIT_CHECK(!__builtin_add_overflow(total, counts[i], &total),
                   "repeat_interleave: the sum of repeats overflows");
  }
  FRAMEJIT_CHECK(args[1].is_none() || args[1].integer() == total,
                 "allocated size does not match required size");
  Tensor result = Tensor::empty(Dims{total}, given.dtype());
  for_dtype(given.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.data_as<T>();
    for (int64_t i = 0; i < size; ++i) to = std::fill_n(to, counts[i], T(i));
  });
  results[0] = std::move(result);
}

void meta_nonzero_static(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  FRAMEJIT_CHECK(args[1].sym_int() >= 0, "nonzero_static: 'size' must be an non-negative integer");
  Dims sizes{args[1].sym_int().bits(), int64_t(self.sizes.size())};
  results.push_back(contiguous_meta(std::move(sizes), DType::int64, self.device));
}

void nonzero_kernel(const Op& op, const Value* args, Value* results);

void nonzero_static_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  Value found_value;
  nonzero_kernel(op, args, &found_value);
  const Tensor found = found_value.tensor();
  const int64_t rank = found.sizes()[1], rows = std::min(found.sizes()[0], result.sizes()[0]);
  int64_t* to = result.data_as<int64_t>();
  std::copy_n(found.data_as<int64_t>(), rows * rank, to);
  std::fill(to + rows * rank, to + result.numel().expect(), args[2].integer());
  results[0] = std::move(result);
}

}  // namespace framejit::eager
