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

DTypeCategory category(DType dtype) {
  if (dtype == DType::bool_) return DTypeCategory::boolean;
  return dtype < DType::float32 ? DTypeCategory::integral : DTypeCategory::floating;
}

bool is_floating(DType dtype) { return category(dtype) == DTypeCategory::floating; }

bool is_integral(DType dtype, bool include_bool) {
  return category(dtype) == DTypeCategory::integral || (include_bool && dtype == DType::bool_);
}

// The enum is in promotion order, and every pair's common type is the later of the two.
DType promote(DType a, DType b) { return std::max(a, b); }

DType default_dtype() { return current_default.load(std::memory_order_relaxed); }

void set_default_dtype(DType dtype) {
  FRAMEJIT_CHECK_TYPE(is_floating(dtype), type, "set_default_dtype: got ", dtype_name(dtype),
                      ", expected a floating type (float32 or float64)");
  current_default.store(dtype, std::memory_order_relaxed);
}

std::string device_name(Device device) {
  if (device.type == DeviceType::cpu) return "cpu";
  return concat(device.type == DeviceType::cuda ? "cuda:" : "meta:", int(device.index));
}

}  // namespace framejit::eager
