// Conversion of strided elements into a tile. Frequent pairs of types have a loop of their own; the others go
// by way of a type between, through a buffer that stays in the cache, which gives the values that PyTorch
// gives.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "eager/cpu/tile/halves.h"
#include "eager/cpu/tile/loop_table.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// Floats become integers by way of a signed type that holds the whole range of x86's conversion
/// instructions, so that -1.0 becomes 255 as uint8, as in PyTorch. Complex numbers lose their imaginary part.
template <class To, class From>
inline To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_complex_type<From> && !is_complex_type<To>) {
    return To(value.real());
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    return To(int32_t(value));
  } else {
    return To(value);
  }
}

/// A complex number is a float with a zero above it: an integer of twice the width, which is vectorised.
void convert_run(const float* in, std::complex<float>* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t bits = std::bit_cast<uint32_t>(in[i]);
    std::memcpy(static_cast<void*>(out + i), &bits, sizeof bits);
  }
}

template <class From, class To>
void convert_run(const From* in, To* out, int64_t n) {
  if constexpr ((is_half_type<From> && std::is_same_v<To, float>) ||
                (is_half_type<To> && std::is_same_v<From, float>))
    return convert_halves(in, out, n);
  else if constexpr (std::is_same_v<From, bool> && !is_complex_type<To>)  // else not vectorised
    return convert_run(reinterpret_cast<const uint8_t*>(in), out, n);
  else
    for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(in[i]);
}
/// For moving elements without looking at them.
template <size_t kSize>
using Bits = std::conditional_t<
    kSize == 1, uint8_t,
    std::conditional_t<kSize == 2, uint16_t,
                       std::conditional_t<kSize == 4, uint32_t,
                                          std::conditional_t<kSize == 8, uint64_t, std::complex<double>>>>>;

/// Steps that are known when this is compiled become shuffles of vectors.
template <int64_t kStride, class T>
void move_steps(const T* in, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = in[i * kStride];
}
/// One by one: what GCC makes of it, vectors put together from single elements, is slower.
template <class T>
void move_steps(const T* in, int64_t stride, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = in[i * stride];
    asm volatile("" ::: "memory");
  }
}
template <class T>
void move(const void* from, int64_t stride, void* to, int64_t n) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  switch (stride) {
    case 0:
      return void(std::fill_n(out, n, T(*in)));
    case 1:
      std::memcpy(static_cast<void*>(out), in, size_t(n) * sizeof(T));
      return;
    case -1:
      return move_steps<-1>(in, out, n);
    case 2:
      return move_steps<2>(in, out, n);
    default:
      return move_steps(in, stride, out, n);
  }
}

constexpr int64_t kChunk = 512;  ///< elements between two steps of a conversion

template <class From, class To>
void cast(const void* from, int64_t stride, void* to, int64_t n) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  if (stride == 1) return convert_run(in, out, n);
  if (stride == 0) return void(std::fill_n(out, n, convert<To>(*in)));
  From elements[kChunk];
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t count = std::min(kChunk, n - at);
    move<Bits<sizeof(From)>>(in + at * stride, stride, elements, count);
    convert_run(elements, out + at, count);
  }
}

/// The type by way of which T converts to and from others. Those that are their own convert directly.
template <class T>
struct Central {
  using type = T;
};
template <>
struct Central<Half> {
  using type = float;
};
template <>
struct Central<BFloat16> {
  using type = float;
};
template <class T>
struct Central<std::complex<T>> {
  using type = T;
};
template <class T>
inline constexpr bool is_central = std::is_same_v<T, typename Central<T>::type>;

template <class From, class To>
inline constexpr bool is_direct =
    (is_central<From> && is_central<To>) || std::is_same_v<To, typename Central<From>::type> ||
    std::is_same_v<From, typename Central<To>::type> ||
    (is_complex_type<From> && (is_complex_type<To> || std::is_same_v<To, bool>));

template <class From, class To>
constexpr cpu::CastFn cast_function();

template <class From, class Between, class To>
void cast_by_way_of(const void* from, int64_t stride, void* to, int64_t n) {
  constexpr cpu::CastFn first = cast_function<From, Between>(), second = cast_function<Between, To>();
  Between between[kChunk];
  if (stride == 0) {
    first(from, 0, between, 1);
    return second(between, 0, to, n);
  }
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t count = std::min(kChunk, n - at);
    first(static_cast<const From*>(from) + at * stride, stride, between, count);
    second(between, 1, static_cast<To*>(to) + at, count);
  }
}

template <class From, class To>
constexpr cpu::CastFn cast_function() {
  if constexpr (std::is_same_v<From, To>)
    return &move<Bits<sizeof(From)>>;
  else if constexpr (is_direct<From, To>)
    return &cast<From, To>;
  else if constexpr (!is_central<From>)
    return &cast_by_way_of<From, typename Central<From>::type, To>;
  else
    return &cast_by_way_of<From, typename Central<To>::type, To>;
}

template <class From>
void add_casts_from(cpu::LoopKernels& table) {
  auto& row = table.cast[size_t(dtype_of<From>())];
#define FRAMEJIT_ADD_CAST(id, type, text) row[size_t(DType::id)] = cast_function<From, type>();
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
