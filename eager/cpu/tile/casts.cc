// Conversion of strided elements into a tile.
#include <cstring>
#include <type_traits>

#include "eager/cpu/tile/loop_table.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// Floats become integers by way of a signed type that holds the whole range of x86's conversion
/// instructions, so that -1.0 becomes 255 as uint8, as in PyTorch.
template <class To, class From>
inline To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint8_t>) {
    return To(int32_t(value));
  } else {
    return To(value);
  }
}

template <class From, class To>
void cast(const void* from, int64_t stride, void* to, int64_t n) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  if (stride == 1) {
    if constexpr (std::is_same_v<From, To>) {
      std::memcpy(out, in, size_t(n) * sizeof(To));
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(in[i]);
    }
  } else if (stride == 0) {
    To value = convert<To>(*in);
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(in[i * stride]);
  }
}

template <class From>
void add_casts_from(cpu::LoopKernels& table) {
  auto& row = table.cast[size_t(dtype_of<From>())];
#define FRAMEJIT_ADD_CAST(id, type, text) row[size_t(DType::id)] = &cast<From, type>;
  FRAMEJIT_FOR_EACH_DTYPE(FRAMEJIT_ADD_CAST)
#undef FRAMEJIT_ADD_CAST
}

}  // namespace

void add_casts(cpu::LoopKernels& table) {
#define FRAMEJIT_ADD_CASTS(id, type, text) add_casts_from<type>(table);
  FRAMEJIT_FOR_EACH_DTYPE(FRAMEJIT_ADD_CASTS)
#undef FRAMEJIT_ADD_CASTS
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
