// Small square matrices in vector registers, and their transposition. A row is one vector of GCC's, whatever
// the width of a register is; its elements are units of `kUnit` lanes that stay together (2: complex
// numbers).
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T, int kLanes, int kUnit = 1>
struct Square {
  static constexpr int kSize = kLanes / kUnit;
  typedef T Row __attribute__((vector_size(sizeof(T) * kLanes)));

  static Row load(const T* from) {
    Row row;
    std::memcpy(&row, from, sizeof row);
    return row;
  }
  static void store(const Row& row, T* to) { std::memcpy(to, &row, sizeof row); }

  /// Exchanges blocks of 1, 2, 4... units on both sides of the diagonal.
  template <int kBlock = 1>
  static void transpose(Row (&rows)[kSize]) {
    if constexpr (kBlock < kSize) {
#pragma GCC unroll 16
      for (int i = 0; i < kSize; ++i)
        if ((i & kBlock) == 0)
          exchange<kBlock>(rows[i], rows[i + kBlock], std::make_integer_sequence<int, kLanes>());
      transpose<2 * kBlock>(rows);
    }
  }

 private:
  template <int kBlock, int... kLane>
  static void exchange(Row& a, Row& b, std::integer_sequence<int, kLane...>) {
    const Row upper = __builtin_shufflevector(
        a, b, ((kLane / kUnit & kBlock) == 0 ? kLane : kLanes + kLane - kBlock * kUnit)...);
    b = __builtin_shufflevector(a, b,
                                ((kLane / kUnit & kBlock) == 0 ? kLane + kBlock * kUnit : kLanes + kLane)...);
    a = upper;
  }
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
