// Kernels of the op table and of reductions, called for rows in memory: what kernels of whole ops are made of
// that must give the bits of the loops they stand in for.
#pragma once

#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/loop_kernels.h"

namespace framejit::eager::cpu {

/// Pointwise ops over `n` elements of type T; `out` may be an operand.
template <class T>
class RowOps {
 public:
  static const RowOps& get() {
    static const RowOps ops;
    return ops;
  }
  void subtract(const T* a, const T* b, int64_t n, T* out) const { apply(subtract_, kVectors, a, b, n, out); }
  void subtract(const T* a, T b, int64_t n, T* out) const { apply(subtract_, kNumber, a, &b, n, out); }
  void multiply(const T* a, const T* b, int64_t n, T* out) const { apply(multiply_, kVectors, a, b, n, out); }
  void multiply(const T* a, T b, int64_t n, T* out) const { apply(multiply_, kNumber, a, &b, n, out); }
  void divide(const T* a, const T* b, int64_t n, T* out) const { apply(divide_, kVectors, a, b, n, out); }
  void divide(const T* a, T b, int64_t n, T* out) const { apply(divide_, kNumber, a, &b, n, out); }
  void add(const T* a, const T* b, int64_t n, T* out) const { apply(add_, kVectors, a, b, n, out); }
  void add(const T* a, T b, int64_t n, T* out) const { apply(add_, kNumber, a, &b, n, out); }
  void exp(const T* a, int64_t n, T* out) const { apply(exp_, kVectors, a, a, n, out); }
  void log(const T* a, int64_t n, T* out) const { apply(log_, kVectors, a, a, n, out); }
  void tanh(const T* a, int64_t n, T* out) const { apply(tanh_, kVectors, a, a, n, out); }
  void sigmoid(const T* a, int64_t n, T* out) const { apply(sigmoid_, kVectors, a, a, n, out); }
  void inverse_root(const T* a, int64_t n, T* out) const { apply(inverse_root_, kVectors, a, a, n, out); }

 private:
  static constexpr size_t kVectors = 0, kNumber = 2;  ///< masks: which operand is one number

  static const TileKernel& kernel(const char* op) { return *get_op(op).tiles[size_t(dtype_of<T>())].kernel; }
  static void apply(const TileKernel& kernel, size_t mask, const T* a, const T* b, int64_t n, T* out) {
    static constexpr double one = 1;  // alpha of add and sub
    const void* operands[] = {a, b};
    kernel.by_scalar_mask[mask](operands, out, n, &one);
  }

  const TileKernel &subtract_ = kernel("sub"), &multiply_ = kernel("mul"), &divide_ = kernel("div"),
                   &add_ = kernel("add"), &exp_ = kernel("exp"), &log_ = kernel("log"),
                   &inverse_root_ = kernel("rsqrt"), &tanh_ = kernel("tanh"), &sigmoid_ = kernel("sigmoid");
};

/// Reductions of a row, in the order of the loops of reductions.
template <class T>
class RowFold {
 public:
  explicit RowFold(ReduceKind kind) : reducer_(loop_kernels().row[size_t(kind)][size_t(dtype_of<T>())]) {}

  T of(const T* x, int64_t n) const {
    return fold(n, [&](int64_t at, int64_t count) { return reducer_.chunk(x + at, count, at); });
  }
  /// Of each of `rows` rows of `n` elements that lie side by side.
  void of_rows(const T* x, int64_t rows, int64_t n, T* out) const {
    if (n > kReduceChunk) {
      for (int64_t r = 0; r < rows; ++r) out[r] = of(x + r * n, n);
      return;
    }
    ReduceState totals[kRowsAtOnce], chunks[kRowsAtOnce];
    for (int64_t r = 0; r < rows; r += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, rows - r);
      std::fill_n(totals, count, reducer_.start());
      reducer_.chunks(x + r * n, n, count, n, 0, chunks);
      reducer_.merge(totals, chunks, count);
      reducer_.finish(totals, count, n, out + r);
    }
  }
  T of_products(const T* a, const T* b, int64_t n) const {
    return fold(n, [&](int64_t at, int64_t count) { return reducer_.product(a + at, b + at, count); });
  }

 private:
  static constexpr int64_t kRowsAtOnce = 32;

  template <class Chunk>
  T fold(int64_t n, Chunk chunk) const {
    ReduceState total = reducer_.start();
    if (n <= kReduceChunk) {  // a block of one chunk adds nothing
      const ReduceState state = chunk(0, n);
      reducer_.merge(&total, &state, 1);
    }
    for (int64_t begin = 0; n > kReduceChunk && begin < n; begin += kReduceBlock) {
      ReduceState block = reducer_.start();
      for (int64_t at = begin; at < std::min(n, begin + kReduceBlock); at += kReduceChunk) {
        const ReduceState state = chunk(at, std::min(kReduceChunk, n - at));
        reducer_.merge(&block, &state, 1);
      }
      reducer_.merge(&total, &block, 1);
    }
    T result;
    reducer_.finish(&total, 1, n, &result);
    return result;
  }
  const RowReducer& reducer_;
};

}  // namespace framejit::eager::cpu
