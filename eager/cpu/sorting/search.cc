// searchsorted: binary search of many values.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/sorting/order.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// args of searchsorted: sorted_sequence, self, out_int32, right, side, sorter.
bool goes_behind_equals(const Value* args) {
  const bool right = args[3].boolean();
  if (args[4].is_none()) return right;
  const std::string& side = args[4].string();
  FRAMEJIT_CHECK(side == "left" || side == "right",
                 "torch.searchsorted(): side can only be 'left' or 'right' but got ", side);
  FRAMEJIT_CHECK(!right || side == "right",
                 "torch.searchsorted(): side and right can't be set to opposites, got side of ", side,
                 " while right was True");
  return side == "right";
}

void check_sizes(const Dims& sequence, const Dims& values) {
  bool fits = sequence.size() == 1 || sequence.size() == values.size();
  for (int d = 0; fits && sequence.size() > 1 && d + 1 < sequence.size(); ++d)
    fits = sequence.sym(d) == values.sym(d);
  FRAMEJIT_CHECK(
      fits && !sequence.empty(),
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
      "boundaries tensor and input value tensor must match, but we got boundaries tensor ",
      sizes_text(sequence), " and input value tensor ", sizes_text(values));
}

/// Among more elements than this, most are not in the cache: a branch that is guessed right then begins to load
/// what is wanted next, while a choice waits.
constexpr int64_t kCached = 4096;

/// How many of `n` elements, the first ones, `before` holds for.
template <class Before>
int64_t count_first(int64_t n, Before before) {
  int64_t low = 0;
  while (n > kCached) {
    const int64_t half = n / 2;
    if (before(low + half - 1)) {
      asm volatile("");  // else GCC makes a choice of the branch
      low += half;
    }
    n -= half;
  }
  for (; n > 1; n -= n / 2) low += before(low + n / 2 - 1) ? n / 2 : 0;
  return low + (n == 1 && before(low));
}

/// How many of `n` sorted elements, read through `place`, stand before the place of `value`. NaN is the
/// largest: no comparison holds for one among the elements.
template <class T, class Place>
int64_t place_of(const T* sorted, int64_t n, T value, bool behind_equals, Place place) {
  if (value != value && behind_equals) return n;
  if (value != value) return count_first(n, [=](int64_t at) { return less_than(sorted[place(at)], value); });
  if (behind_equals) return count_first(n, [=](int64_t at) { return sorted[place(at)] <= value; });
  return count_first(n, [=](int64_t at) { return sorted[place(at)] < value; });
}

/// `per_row` values are looked up in each row of `length`; one row serves all when `shared`.
template <class T>
void search(const Tensor& sequence, const Tensor& values, const int64_t* sorter, bool behind_equals,
            const Tensor& result) {
  const T *sorted = sequence.data_as<T>(), *wanted = values.data_as<T>();
  const int64_t length = sequence.sizes().back(), count = values.numel().expect();
  const bool shared = sequence.dim() == 1;
  const int64_t per_row = shared ? count : values.sizes().back();
  parallel_for(count, 2048, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = shared ? 0 : i / per_row * length;
      const int64_t* order = sorter ? sorter + start : nullptr;
      const int64_t place = place_of(sorted + start, length, wanted[i], behind_equals,
                                     [=](int64_t at) { return order ? order[at] : at; });
      if (result.dtype() == DType::int32)
        result.data_as<int32_t>()[i] = int32_t(place);
      else
        result.data_as<int64_t>()[i] = place;
    }
  });
}

/// A 0-dim value may be of another type, which counts less.
DType search_dtype(const Value* args) {
  const DType sequence = args[0].impl()->meta.dtype, value = args[1].impl()->meta.dtype;
  const PromotionOperand operands[] = {{sequence, PromotionRank::tensor}, {value, PromotionRank::zero_dim}};
  return sequence == value ? sequence : promote_operands(operands);
}

void check_sorter(const Tensor& sorter, const Tensor& sequence) {
  FRAMEJIT_CHECK(sorter.dtype() == DType::int64,
                 "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ",
                 dtype_name(sorter.dtype()));
  FRAMEJIT_CHECK(
      sorter.sizes() == sequence.sizes(),
      "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ",
      sizes_text(sequence.sizes()), "and got sorter tensor ", sizes_text(sorter.sizes()));
  const int64_t *data = sorter.data_as<int64_t>(), count = sorter.numel().expect();
  const int64_t length = count == 0 ? 0 : sorter.sizes().back();
  FRAMEJIT_CHECK(std::all_of(data, data + count, [=](int64_t i) { return i >= 0 && i < length; }),
                 "torch.searchsorted(): sorter index out of range");
}

}  // namespace

void meta_searchsorted(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &sequence = args[0].impl()->meta, &values = args[1].impl()->meta;
  goes_behind_equals(args);
  check_sizes(sequence.sizes, values.sizes);
  FRAMEJIT_CHECK(
      sequence.dtype == values.dtype || values.sizes.empty(),
      "torch.searchsorted(): input value tensor and boundary tensor should have same dtype, but got "
      "boundary tensor dtype ",
      dtype_name(sequence.dtype), " and input value tensor dtype ", dtype_name(values.dtype));
  results.push_back(
      contiguous_meta(values.sizes, args[2].boolean() ? DType::int32 : DType::int64, values.device));
}

void searchsorted_kernel(const Op& op, const Value* args, Value* results) {
  const DType dtype = search_dtype(args);
  const Tensor sequence = contiguous_as(args[0].tensor(), dtype),
               values = contiguous_as(args[1].tensor(), dtype);
  Tensor result = allocate_result(op, args), sorter;
  if (!args[5].is_none()) check_sorter(sorter = contiguous(args[5].tensor()), sequence);
  for_dtype(sequence.dtype(), [&](auto zero) {
    search<decltype(zero)>(sequence, values, sorter.defined() ? sorter.data_as<int64_t>() : nullptr,
                           goes_behind_equals(args), result);
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
