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

/// How many of `n` elements, the first ones, `before` holds for.
template <class Before>
int64_t count_first(int64_t n, Before before) {
  int64_t low = 0;
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

/// Values that are looked up together: what one waits for, a comparison or the memory, the others wait for too.
constexpr int64_t kTogether = 8;
constexpr int64_t kPart = 512;  ///< values between two visits of the result

/// As `place_of`, of kTogether values, none of them NaN, in all of a row.
template <class T, class Before>
void places_of(const T* sorted, int64_t n, const T* values, Before before, int64_t* places) {
  int64_t low[kTogether] = {};
  for (; n > 1; n -= n / 2) {
    const T* middle = sorted + n / 2 - 1;
#pragma GCC unroll 8
    for (int64_t k = 0; k < kTogether; ++k)  // not a branch, which GCC would make of `?`
      low[k] += -int64_t(before(middle[low[k]], values[k])) & (n / 2);
  }
  for (int64_t k = 0; k < kTogether; ++k) places[k] = low[k] + (n == 1 && before(sorted[low[k]], values[k]));
}

/// Looks `count` values up in one row.
template <class T>
void search_row(const T* sorted, int64_t length, const int64_t* sorter, const T* wanted, int64_t count,
                bool behind_equals, int64_t* places) {
  int64_t i = 0;
  for (; !sorter && i + kTogether <= count; i += kTogether) {
    const T* values = wanted + i;
    if (std::any_of(values, values + kTogether, [](T value) { return value != value; })) {
      for (int64_t k = 0; k < kTogether; ++k)
        places[i + k] = place_of(sorted, length, values[k], behind_equals, [](int64_t at) { return at; });
    } else if (behind_equals) {
      places_of(
          sorted, length, values, [](T x, T value) { return x <= value; }, places + i);
    } else {
      places_of(
          sorted, length, values, [](T x, T value) { return x < value; }, places + i);
    }
  }
  for (; i < count; ++i)
    places[i] = place_of(sorted, length, wanted[i], behind_equals,
                         [=](int64_t at) { return sorter ? sorter[at] : at; });
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
    int64_t places[kPart];
    for (int64_t i = begin; i < end;) {
      const int64_t row = i / per_row, n = std::min({kPart, end - i, (row + 1) * per_row - i});
      const int64_t start = shared ? 0 : row * length;
      search_row(sorted + start, length, sorter ? sorter + start : nullptr, wanted + i, n, behind_equals,
                 places);
      if (result.dtype() == DType::int32)
        std::copy_n(places, n, result.data_as<int32_t>() + i);
      else
        std::copy_n(places, n, result.data_as<int64_t>() + i);
      i += n;
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
