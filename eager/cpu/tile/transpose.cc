// Transposition of matrices in memory, square by square. Elements are only moved: their size is all that
// counts. Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "eager/cpu/layout/transpose.h"

#include "eager/cpu/tile/squares.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// A few rows, one element of each by turns: the compiler's vectors do this.
template <int kRows, class T>
void interleave(const T* __restrict from, int64_t from_stride, T* __restrict to, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c)
    for (int r = 0; r < kRows; ++r) to[c * kRows + r] = from[r * from_stride + c];
}

/// Elements of `kUnit` times T.
template <class T, int kLanes, int kUnit = 1>
void transpose(const void* from_memory, int64_t from_stride, void* to_memory, int64_t to_stride, int64_t rows,
               int64_t columns) {
  using Small = Square<T, kLanes, kUnit>;
  constexpr int size = Small::kSize;
  const auto from = [&](int64_t r, int64_t c) {
    return static_cast<const T*>(from_memory) + (r * from_stride + c) * kUnit;
  };
  const auto to = [&](int64_t r, int64_t c) {
    return static_cast<T*>(to_memory) + (c * to_stride + r) * kUnit;
  };
  const auto one_by_one = [&](int64_t first_row, int64_t last_row, int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c)
      for (int64_t r = first_row; r < last_row; ++r) std::memcpy(to(r, c), from(r, c), sizeof(T) * kUnit);
  };
  if constexpr (kUnit == 1) {
    if (rows == to_stride && rows == 2) return interleave<2>(from(0, 0), from_stride, to(0, 0), columns);
    if (rows == to_stride && rows == 3) return interleave<3>(from(0, 0), from_stride, to(0, 0), columns);
  }
  const int64_t square_rows = rows / size * size, square_columns = columns / size * size;
  for (int64_t c = 0; c < square_columns; c += size) {
    for (int64_t r = 0; r < square_rows; r += size) {
      typename Small::Row square[size];
#pragma GCC unroll 16
      for (int i = 0; i < size; ++i) square[i] = Small::load(from(r + i, c));
      Small::transpose(square);
#pragma GCC unroll 16
      for (int i = 0; i < size; ++i) Small::store(square[i], to(r, c + i));
    }
    one_by_one(square_rows, rows, c, c + size);
  }
  one_by_one(0, rows, square_columns, columns);
}

}  // namespace

extern const cpu::Transpositions transpositions;
const cpu::Transpositions transpositions = {&transpose<uint8_t, 16>, &transpose<uint16_t, 8>,
                                            &transpose<uint32_t, 16>, &transpose<uint64_t, 8>,
                                            &transpose<uint64_t, 8, 2>};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
