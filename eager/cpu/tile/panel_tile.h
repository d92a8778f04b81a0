// The tile of a product that is kept in registers, shared by panels.cc and patches.cc.
#pragma once

#include "eager/cpu/tile/packet.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

// Loops over the registers of a tile must be unrolled, else these are an array in memory.
#define FRAMEJIT_UNROLL _Pragma("GCC unroll 16")

// kRows x kVectors registers of it, and a few for the operands.
inline constexpr int kRows = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 6;
inline constexpr int kVectors = 2;
template <class T>
inline constexpr int kColumns = kVectors* kLanes<T>;

template <class T>
struct Tile {
  Packet<T> sums[kRows][kVectors];

  [[gnu::always_inline]] Tile() {
    FRAMEJIT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = spread(T(0));
    }
  }
  /// Adds the product of a column of kRows elements and a row of kVectors vectors.
  [[gnu::always_inline]] void add(const T* column, const Packet<T> (&row)[kVectors]) {
    FRAMEJIT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Packet<T> left = spread(column[r]);
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = multiply_add<T>(left, row[v], sums[r][v]);
    }
  }
  /// What is accumulated are sums of blocks: adding on to the earlier ones would be less exact.
  [[gnu::always_inline]] void store(T* c, int64_t c_stride, bool accumulate) const {
    FRAMEJIT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      FRAMEJIT_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        T* to = c + r * c_stride + v * kLanes<T>;
        put<T>(to, accumulate ? load(to) + sums[r][v] : sums[r][v]);
      }
    }
  }
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
