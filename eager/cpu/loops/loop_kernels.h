// The kernels of loop drivers themselves: conversion on the way into a tile, and reductions of a tile.
// Compiled once per instruction set (cpu/tile/casts.cc, row_reductions.cc, column_reductions.cc).
//
// Reductions give the same bits on every instruction set: the order in which elements are combined is fixed
// by the counts below, not by a register's width.
#pragma once

#include <array>
#include <cstdint>

#include "eager/cpu/loops/reduce.h"
#include "eager/dtype.h"

namespace framejit::eager::cpu {

/// A row is reduced in chunks of this many elements, each over `kLanes` running results that are combined in
/// a tree; chunk results are combined one after the other, in double precision, within blocks, and blocks
/// likewise.
inline constexpr int64_t kReduceChunk = 1024;
inline constexpr int kLanes = 64;
inline constexpr int64_t kReduceBlock = 32 * kReduceChunk;

/// Running result of one row's reduction. Which members count depends on kind and dtype: floats are kept as
/// doubles.
struct ReduceState {
  union {
    double real;
    int64_t integer;
  };
  union {
    int64_t index;  ///< argmax, argmin: where `real`/`integer` was found; -1: nothing yet
    double imaginary;
  };
};

/// `from`, every `stride`-th element, converted and stored side by side.
using CastFn = void (*)(const void* from, int64_t stride, void* to, int64_t n);

struct RowReducer {
  ReduceState (*start)();
  /// One chunk of at most kReduceChunk elements, of which the first has index `first`.
  ReduceState (*chunk)(const void* in, int64_t n, int64_t first);
  /// The same of each of `rows` rows that lie `stride` elements apart.
  void (*chunks)(const void* in, int64_t stride, int64_t rows, int64_t n, int64_t first, ReduceState* out);
  /// Adds `n` elements, of which the first has index `first`, to `into`, chunk after chunk.
  void (*run)(const void* in, int64_t n, int64_t first, ReduceState* into);
  /// A chunk of products `a[i] * b[i]`, which are rounded as by the kernel of `mul`. Sums and means of floats
  /// only.
  ReduceState (*product)(const void* a, const void* b, int64_t n);
  /// `run` over products.
  void (*run_products)(const void* a, const void* b, int64_t n, ReduceState* into);
  /// Adds `later` to `states`, `n` of each.
  void (*merge)(ReduceState* states, const ReduceState* later, int64_t n);
  /// Results as `n` elements of `reduce_result_dtype`. `count`: elements that each state took in, for the
  /// mean.
  void (*finish)(const ReduceState* states, int64_t n, int64_t count, void* out);
};

/// Column reductions keep one running result per column in memory, of `accumulator_size` bytes each, and move
/// them into states (double precision) every kColumnFlush rows.
inline constexpr int64_t kColumnFlush = 64;
struct ColumnReducer {
  /// Sets `n` accumulators to "nothing yet".
  void (*start)(void* accumulators, int64_t n);
  /// Takes in `rows` rows of `n` columns, `stride` elements apart; `first` says how many came before them since the
  /// last flush, for argmax and argmin.
  void (*rows)(void* accumulators, const void* in, int64_t stride, int64_t rows, int64_t n, int64_t first);
  /// The same over products; sums and means of floats only.
  void (*product)(void* accumulators, const void* a, const void* b, int64_t n);
  /// Folds `groups` of `columns` accumulators onto the first of them; the others are left as they are. Null where
  /// states alone may be folded.
  void (*fold)(void* accumulators, int64_t groups, int64_t columns);
  /// Merges `n` accumulators into states and starts them anew. `begin` is the index of the first row since the last
  /// flush.
  void (*flush)(void* accumulators, ReduceState* states, int64_t n, int64_t begin);
  int accumulator_size;
};

struct LoopKernels {
  std::array<std::array<CastFn, kDTypeCount>, kDTypeCount> cast{};  ///< [from][to]
  /// [kind][dtype that is reduced], and for sums, means and extrema of halves, [kind][half]: these are read as
  /// they are stored, and reduced as float32.
  std::array<std::array<RowReducer, kDTypeCount>, kReduceKinds> row{};
  std::array<std::array<ColumnReducer, kDTypeCount>, kReduceKinds> column{};
};

/// Those of the chosen instruction set.
const LoopKernels& loop_kernels();

}  // namespace framejit::eager::cpu
