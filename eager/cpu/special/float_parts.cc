// frexp and nextafter.
#include <cmath>

#include "eager/cpu/kernel_support.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// The half next to `from` in the direction of `to`. Halves of one sign are ordered like their bits.
template <class H>
H next_half(H from, H to) {
  if (from != from || to != to) return from != from ? from : to;
  if (float(from) == float(to)) return to;
  H result = from;
  if (float(from) == 0)
    result.bits = uint16_t((float(to) < 0 ? 0x8000 : 0) | 1);
  else
    result.bits = uint16_t(from.bits + ((float(to) > float(from)) == (float(from) > 0) ? 1 : -1));
  return result;
}
float next_after(float from, float to) { return std::nextafter(from, to); }
double next_after(double from, double to) { return std::nextafter(from, to); }
Half next_after(Half from, Half to) { return next_half(from, to); }
BFloat16 next_after(BFloat16 from, BFloat16 to) { return next_half(from, to); }

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
    if constexpr (!std::is_integral_v<T>)
      for (int64_t i = 0; i < count; ++i)
        result.data_as<T>()[i] = next_after(self.data_as<T>()[i], other.data_as<T>()[i]);
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
