// scatter_reduce: elements that an index tensor sends to one place become one.
#include <cmath>

#include "eager/cpu/indexing/dim_plan.h"

namespace framejit::eager {

using namespace cpu;

namespace {

enum class Combine : uint8_t { sum, prod, mean, amax, amin };

Combine combine_of(const Op& op, const std::string& name) {
  if (name == "sum") return Combine::sum;
  if (name == "prod") return Combine::prod;
  if (name == "mean") return Combine::mean;
  if (name == "amax" || name == "max") return Combine::amax;
  if (name == "amin" || name == "min") return Combine::amin;
  fail(ErrorType::runtime, op.schema.name,
       "(): reduce argument must be either sum, prod, mean, amax or amin, got ", name);
}

template <class T>
T wrapping_product(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return T(a * b);
}

/// The larger (or smaller) of two; NaN wins. The branch is one that is hardly ever taken: the comparisons, which
/// no one can foretell, are one instruction.
template <class T>
T extremum(T a, T b, bool larger) {
  if (__builtin_expect(b != b, false)) return b;
  return larger ? (b > a ? b : a) : (b < a ? b : a);
}

template <Combine kCombine, class T>
T combined(T a, T b) {
  if constexpr (kCombine == Combine::sum || kCombine == Combine::mean)
    return wrapping_sum(a, b);
  else if constexpr (kCombine == Combine::prod)
    return wrapping_product(a, b);
  else if constexpr (is_complex_type<T>)
    fail(ErrorType::not_implemented,
         "scatter_reduce(): amax and amin are not implemented for complex numbers");
  else
    return extremum(a, b, kCombine == Combine::amax);
}

/// What a mean divides by; integers are rounded down.
template <class T>
T divided(T sum, int64_t count) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum;
  } else if constexpr (std::is_integral_v<T>) {
    const int64_t quotient = int64_t(sum) / count;
    return T(quotient - (int64_t(sum) % count != 0 && int64_t(sum) < 0));
  } else {
    return T(sum / T(double(count)));
  }
}

template <Combine kCombine, class T>
void reduce_into(const Tensor& result, const Tensor& src, const Value* args, bool include_self) {
  T* to = result.data_as<T>();
  const T* from = src.data_as<T>();
  if (include_self && kCombine != Combine::mean)
    return scatter_into(result, args, [=](int64_t offset, int64_t position) {
      to[offset] = combined<kCombine>(to[offset], from[position]);
    });
  std::vector<int64_t> counts(result->storage->nbytes() / sizeof(T), 0);  // of what went to each place
  scatter_into(result, args, [&](int64_t offset, int64_t position) {
    const bool first = counts[size_t(offset)]++ == 0 && !include_self;
    to[offset] = first ? from[position] : combined<kCombine>(to[offset], from[position]);
  });
  if constexpr (kCombine == Combine::mean)
    for (size_t offset = 0; offset < counts.size(); ++offset)
      if (counts[offset] > 0) to[offset] = divided(to[offset], counts[offset] + include_self);
}

template <class T>
void reduce_into(Combine combine, const Tensor& result, const Tensor& src, const Value* args,
                 bool include_self) {
  switch (combine) {
    case Combine::sum:
      return reduce_into<Combine::sum, T>(result, src, args, include_self);
    case Combine::prod:
      return reduce_into<Combine::prod, T>(result, src, args, include_self);
    case Combine::mean:
      return reduce_into<Combine::mean, T>(result, src, args, include_self);
    case Combine::amax:
      return reduce_into<Combine::amax, T>(result, src, args, include_self);
    case Combine::amin:
      return reduce_into<Combine::amin, T>(result, src, args, include_self);
  }
}

}  // namespace

void meta_scatter(const Op& op, const Value* args, std::vector<TensorMeta>& results);

void meta_scatter_reduce(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  combine_of(op, args[4].string());
  meta_scatter(op, args, results);
}

void scatter_reduce_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_scatter_reduce(op, args, metas);
  Tensor result = written_self(op, args[0].tensor());
  const Tensor src = leading_part(args[3].tensor(), args[2].tensor().sizes(), result);
  const Combine combine = combine_of(op, args[4].string());
  for_any_dtype(result.dtype(), [&](auto zero) {
    reduce_into<decltype(zero)>(combine, result, src, args, args[5].boolean());
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
