// Contract: element types, their promotion lattice and devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "eager/export.h"

namespace framejit::eager {

/// Element types. The order within a category is the order of promotion.
/// Further types (int8, int16, float16, bfloat16, complex) go at their place here and in
/// `FRAMEJIT_FOR_EACH_DTYPE`.
#define FRAMEJIT_FOR_EACH_DTYPE(X) \
  X(bool_, bool, "bool")           \
  X(uint8, uint8_t, "uint8")       \
  X(int32, int32_t, "int32")       \
  X(int64, int64_t, "int64")       \
  X(float32, float, "float32")     \
  X(float64, double, "float64")

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

/// bool < integral < floating (< complex): the category decides between tensor and scalar operands.
enum class DTypeCategory : uint8_t { boolean, integral, floating };

FRAMEJIT_API size_t item_size(DType dtype);
FRAMEJIT_API const char* dtype_name(DType dtype);  ///< "float32"
FRAMEJIT_API DTypeCategory category(DType dtype);
FRAMEJIT_API bool is_floating(DType dtype);
FRAMEJIT_API bool is_integral(DType dtype, bool include_bool);
/// The common type of two tensors of the same priority (see `promote.h` for operands of mixed priority).
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

enum class DeviceType : uint8_t { cpu, cuda, meta };
inline constexpr int kDeviceTypeCount = 3;
struct Device {
  DeviceType type = DeviceType::cpu;
  int8_t index = 0;
  friend bool operator==(Device, Device) = default;
};
FRAMEJIT_API std::string device_name(Device device);  ///< "cpu", "cuda:0"

}  // namespace framejit::eager
