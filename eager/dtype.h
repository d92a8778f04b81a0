// Contract: element types, their promotion lattice and devices.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "eager/export.h"
#include "eager/half.h"

namespace framejit::eager {

/// Element types, by category.
#define FRAMEJIT_FOR_EACH_DTYPE(X)               \
  X(bool_, bool, "bool")                         \
  X(uint8, uint8_t, "uint8")                     \
  X(int8, int8_t, "int8")                        \
  X(int16, int16_t, "int16")                     \
  X(int32, int32_t, "int32")                     \
  X(int64, int64_t, "int64")                     \
  X(float16, Half, "float16")                    \
  X(bfloat16, BFloat16, "bfloat16")              \
  X(float32, float, "float32")                   \
  X(float64, double, "float64")                  \
  X(complex64, std::complex<float>, "complex64") \
  X(complex128, std::complex<double>, "complex128")

enum class DType : uint8_t {
#define X(id, type, text) id,
  FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
};
inline constexpr int kDTypeCount = 0
#define X(id, type, text) +1
    FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
    ;
/// Bytes of the widest element.
inline constexpr size_t kMaxItemSize = 16;

/// bool < integral < floating < complex: the category decides between tensor and scalar operands.
enum class DTypeCategory : uint8_t { boolean, integral, floating, complex };

constexpr DTypeCategory category(DType dtype) {
  if (dtype == DType::bool_) return DTypeCategory::boolean;
  if (dtype < DType::float16) return DTypeCategory::integral;
  return dtype < DType::complex64 ? DTypeCategory::floating : DTypeCategory::complex;
}
constexpr bool is_floating(DType dtype) { return category(dtype) == DTypeCategory::floating; }
constexpr bool is_complex(DType dtype) { return category(dtype) == DTypeCategory::complex; }
/// Floating or complex: what may carry a gradient, and what true division gives.
constexpr bool is_inexact(DType dtype) { return dtype >= DType::float16; }
constexpr bool is_integral(DType dtype, bool include_bool) {
  return dtype < DType::float16 && (include_bool || dtype != DType::bool_);
}
/// Holds negative values.
constexpr bool is_signed(DType dtype) { return dtype != DType::bool_ && dtype != DType::uint8; }
/// The type of real and imaginary part; of other types, the type itself.
constexpr DType real_type(DType dtype) {
  if (!is_complex(dtype)) return dtype;
  return dtype == DType::complex128 ? DType::float64 : DType::float32;
}
/// The complex type whose parts hold values of a floating type.
constexpr DType complex_type(DType dtype) {
  return real_type(dtype) == DType::float64 ? DType::complex128 : DType::complex64;
}
/// The type that kernels without code for `dtype` compute in, rounding their results back: exact for integers
/// (which wrap either way) and more accurate for others. The type itself where there is none.
constexpr DType wider_type(DType dtype) {
  switch (dtype) {
    case DType::int8:
    case DType::int16:
      return DType::int32;
    case DType::float16:
    case DType::bfloat16:
      return DType::float32;
    case DType::complex64:
      return DType::complex128;
    default:
      return dtype;
  }
}

FRAMEJIT_API size_t item_size(DType dtype);
FRAMEJIT_API const char* dtype_name(DType dtype);  ///< "float32"
/// The common type of two tensors of the same priority (see `promote_operands` for operands of mixed
/// priority).
FRAMEJIT_API DType promote(DType a, DType b);
FRAMEJIT_API DType default_dtype();  ///< of floating values; float32 unless `set_default_dtype` changed it
FRAMEJIT_API void set_default_dtype(DType dtype);

template <class T>
constexpr DType dtype_of();
#define X(id, type, text)            \
  template <>                        \
  constexpr DType dtype_of<type>() { \
    return DType::id;                \
  }
FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X

/// Of C++ types of elements, as the functions above.
template <class T>
inline constexpr bool is_floating_type = is_floating(dtype_of<T>());
template <class T>
inline constexpr bool is_complex_type = is_complex(dtype_of<T>());

enum class DeviceType : uint8_t { cpu, cuda, meta };
inline constexpr int kDeviceTypeCount = 3;
struct Device {
  DeviceType type = DeviceType::cpu;
  int8_t index = 0;
  friend bool operator==(Device, Device) = default;
};
FRAMEJIT_API std::string device_name(Device device);  ///< "cpu", "cuda:0"

}  // namespace framejit::eager
