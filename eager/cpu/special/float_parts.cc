// frexp and nextafter.
#include <bit>
#include <cmath>
#include <type_traits>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// The number next to `from` in the direction of `to`. Numbers of one sign are ordered like their bits.
template <class T>
T next_after(T from, T to) {
  using Bits =
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  using Value = std::conditional_t<sizeof(T) == 2, float, T>;
  constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(T) - 1));
  const Value x = Value(from), y = Value(to);
  const Bits bits = std::bit_cast<Bits>(from), target = std::bit_cast<Bits>(to);
  const Bits step = (y > x) == (x > 0) ? 1 : Bits(-1);
  const Bits moved = x == 0 ? Bits((target & sign) | 1) : Bits(bits + step);
  const Bits ordered = x == y ? target : moved;
  return std::bit_cast<T>(x != x ? bits : y != y ? target : ordered);
}

/// Calls `f(T())` for floating types.
template <class F>
void for_float(const char* name, DType dtype, F f) {
  FRAMEJIT_CHECK_TYPE(is_floating(dtype), not_implemented, "\"", name, "\" not implemented for '",
                      dtype_name(dtype), "'");
  for_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) f(zero);
  });
}

}  // namespace

void meta_frexp(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  FRAMEJIT_CHECK(is_floating(self.dtype), "torch.frexp() only supports floating-point dtypes");
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
  results.push_back(contiguous_meta(self.sizes, DType::int32, self.device));
}

void frexp_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  std::vector<TensorMeta> metas;
  meta_frexp(op, args, metas);
  const Tensor mantissa = Tensor::empty(metas[0]), exponent = Tensor::empty(metas[1]);
  const int64_t count = self.numel().expect();
  for_float("frexp", self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      int power = 0;
      mantissa.data_as<T>()[i] = T(std::frexp(self.data_as<T>()[i], &power));
      exponent.data_as<int32_t>()[i] = power;
    }
  });
  results[0] = mantissa;
  results[1] = exponent;
}

void meta_nextafter(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

void nextafter_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), other = contiguous(args[1].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t count = self.numel().expect();
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) {
      const T *from = self.data_as<T>(), *to = other.data_as<T>();
      T* out = result.data_as<T>();
      parallel_for(count, int64_t{1} << 15, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) out[i] = next_after(from[i], to[i]);
      });
    }
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
