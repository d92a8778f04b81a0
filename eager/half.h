// float16 and bfloat16 as C++ types: 16 bits of storage. Arithmetic is that of float, to which they convert
// by themselves; the way back, which rounds to nearest with ties to even, has to be written: `Half(x + y)`.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace framejit::eager {

/// IEEE 754 binary16: 5 bits of exponent, 10 of mantissa.
inline uint16_t half_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  // In [0.5, 1) a float has the spacing of subnormal halves (2^-24), so the addition rounds as they need it.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  const uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  constexpr uint32_t first_normal = 113u << 23, past_largest = 143u << 23;
  return uint16_t(sign | (magnitude < first_normal   ? subnormal
                          : magnitude < past_largest ? normal
                                                     : special));
}
inline float half_value(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000) << 16, magnitude = uint32_t(half & 0x7fff);
  // The multiplication moves the exponent's bias from 15 to 127, and makes subnormal halves normal floats.
  const uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  return std::bit_cast<float>(sign | (magnitude >= 0x7c00 ? magnitude << 13 | 0x7f800000 : finite));
}

/// The upper half of a float: 8 bits of exponent, 7 of mantissa.
inline uint16_t bfloat16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return uint16_t(value != value ? 0x7fc0 : rounded);
}
inline float bfloat16_value(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

struct Half {
  uint16_t bits = 0;
  Half() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit Half(T value) : bits(half_bits(float(value))) {}
  operator float() const { return half_value(bits); }  // NOLINT: implicit on purpose
};
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit BFloat16(T value) : bits(bfloat16_bits(float(value))) {}
  operator float() const { return bfloat16_value(bits); }  // NOLINT: implicit on purpose
};

}  // namespace framejit::eager
