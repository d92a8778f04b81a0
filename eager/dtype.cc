#include "eager/dtype.h"

#include <algorithm>
#include <atomic>

#include "eager/error.h"

namespace framejit::eager {

namespace {
std::atomic<DType> current_default{DType::float32};
}

size_t item_size(DType dtype) {
  static constexpr uint8_t kSizes[] = {
#define X(id, type, text) sizeof(type),
      FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
  };
  return kSizes[int(dtype)];
}

const char* dtype_name(DType dtype) {
  static constexpr const char* kNames[] = {
#define X(id, type, text) text,
      FRAMEJIT_FOR_EACH_DTYPE(X)
#undef X
  };
  return kNames[int(dtype)];
}

// Within a category the enum is in order of promotion, with two exceptions: neither of uint8 and int8, nor of
// float16 and bfloat16, holds the other.
DType promote(DType a, DType b) {
  const DType low = std::min(a, b), high = std::max(a, b);
  if (low == DType::uint8 && high == DType::int8) return DType::int16;
  if (low == DType::float16 && high == DType::bfloat16) return DType::float32;
  if (high == DType::complex64 && low == DType::float64) return DType::complex128;
  return high;
}

DType default_dtype() { return current_default.load(std::memory_order_relaxed); }

void set_default_dtype(DType dtype) {
  FRAMEJIT_CHECK_TYPE(is_floating(dtype), type, "set_default_dtype: got ", dtype_name(dtype),
                      ", expected a floating type (float32, float64, float16 or bfloat16)");
  current_default.store(dtype, std::memory_order_relaxed);
}

std::string device_name(Device device) {
  if (device.type == DeviceType::cpu) return "cpu";
  return concat(device.type == DeviceType::cuda ? "cuda:" : "meta:", int(device.index));
}

}  // namespace framejit::eager
