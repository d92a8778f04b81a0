// Types for loops that move elements without looking at them.
#pragma once

#include <complex>
#include <cstdint>

namespace framejit::eager::cpu {

/// Calls `f(T())` with a type of `size` bytes, for loops that only move elements. Its alignment is at most
/// that of a dtype of that size.
template <class F>
auto for_size(int64_t size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      return f(std::complex<double>());
  }
}

}  // namespace framejit::eager::cpu
