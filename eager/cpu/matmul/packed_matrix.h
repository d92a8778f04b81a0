// Matrices of floats in the panels of panels.h, for products by the plan of packed_gemm.h.
#pragma once

#include <algorithm>

#include "eager/cpu/matmul/gemm.h"
#include "eager/cpu/matmul/packed_gemm.h"
#include "eager/cpu/matmul/panels.h"
#include "eager/cpu/scratch.h"

namespace framejit::eager::cpu {

/// Scratch memory; what is too large to be kept there comes from the pool of tensors, whose pages are there.
template <class T>
T* take_large(int64_t count, Tensor* owner) {
  constexpr int64_t kLarge = 4 * 1024 * 1024;
  if (count * int64_t(sizeof(T)) <= kLarge) return Scratch::of_thread().take_array<T>(count);
  *owner = Tensor::empty(Dims{count}, dtype_of<T>());
  return owner->data_as<T>();
}

/// One side of a product in panels: for each block of terms, all panels of it.
template <class T>
class Packed {
 public:
  /// `across`: lines lie side by side, else as rows.
  Packed(const T* from, int64_t stride, bool across, int64_t lines, int64_t terms, int64_t width)
      : from_(from), stride_(stride), across_(across), lines_(lines), terms_(terms), width_(width) {
    panels_ = (lines + width - 1) / width;
    data_ = take_large<T>(panels_ * width * terms, &owner_);
  }
  int64_t panels() const { return panels_; }
  const T* at(int64_t first_term, int64_t terms, int64_t panel) const {
    return data_ + first_term * panels_ * width_ + panel * terms * width_;
  }
  void pack(int64_t panel) const {
    const int64_t line = panel * width_, lines = std::min(width_, lines_ - line);
    for (int64_t begin = 0; begin < terms_; begin += kSumBlock) {
      const int64_t count = std::min(kSumBlock, terms_ - begin);
      const T* from = from_ + (across_ ? line + begin * stride_ : line * stride_ + begin);
      panel_kernels<T>().pack_matrix(from, stride_, across_, lines, count, width_,
                                     const_cast<T*>(at(begin, count, panel)));
    }
  }

 private:
  const T* from_;
  int64_t stride_;
  bool across_;
  int64_t lines_, terms_, width_, panels_;
  Tensor owner_;
  T* data_;
};

/// Block (i, j) of the product: into `to` itself where all of its panels are whole, else by way of scratch.
template <class T>
void multiply_block(const GemmCall& call, const Packed<T>& a, const Packed<T>& b, int64_t i, int64_t j) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const int64_t row_panels = std::min(kRowPanels, a.panels() - i * kRowPanels);
  const int64_t column_panels = std::min(kColumnPanels, b.panels() - j * kColumnPanels);
  const int64_t row = i * kRowPanels * kernels.rows, column = j * kColumnPanels * kernels.columns;
  const int64_t rows = std::min(row_panels * kernels.rows, call.m - row),
                columns = std::min(column_panels * kernels.columns, call.n - column);
  const bool whole = rows == row_panels * kernels.rows && columns == column_panels * kernels.columns;
  T* result = static_cast<T*>(call.c) + row * call.c_stride + column;
  ScratchScope scope;
  const int64_t stride = whole ? call.c_stride : column_panels * kernels.columns;
  T* to = whole ? result : Scratch::of_thread().take_array<T>(row_panels * kernels.rows * stride);
  for (int64_t begin = 0; begin < call.k; begin += kSumBlock) {
    const int64_t count = std::min(kSumBlock, call.k - begin);
    kernels.multiply(row_panels, column_panels, count, a.at(begin, count, i * kRowPanels),
                     b.at(begin, count, j * kColumnPanels), to, stride, begin > 0);
  }
  for (int64_t r = 0; !whole && r < rows; ++r)
    std::copy_n(to + r * stride, columns, result + r * call.c_stride);
}

/// A right matrix (k x n) that is packed once, in this thread's scratch memory, and multiplied with many left
/// ones.
template <class T>
class PackedRight {
 public:
  PackedRight(const GemmOperand& from, int64_t k, int64_t n)
      : k_(k),
        n_(n),
        right_(static_cast<const T*>(from.data), from.stride, !from.transposed, n, k,
               panel_kernels<T>().columns) {
    pack_all(right_);
  }

  /// product (m x n, contiguous) = left (m x k, rows `k` apart) times this.
  void multiply(int64_t m, const T* left, T* product) const {
    ScratchScope scope;
    if (m <= kFewRows) return multiply_few(m, left, product);
    const Packed<T> rows(left, k_, false, m, k_, panel_kernels<T>().rows);
    pack_all(rows);
    const GemmCall call{m, n_, k_, {left, k_, false}, {}, product, n_};
    multiply_blocks(rows, right_, [&](int64_t i, int64_t j) { multiply_block(call, rows, right_, i, j); });
  }

 private:
  static constexpr int64_t kFewRows = 4;  ///< of which most of a tile's would be none

  /// The same sums, in tiles of as many rows as there are.
  void multiply_few(int64_t m, const T* left, T* product) const {
    const PanelKernels<T>& kernels = panel_kernels<T>();
    const int64_t columns = kernels.columns;
    T *sums = Scratch::of_thread().take_array<T>(m * columns),
      *more = Scratch::of_thread().take_array<T>(m * columns);
    for (int64_t panel = 0; panel < right_.panels(); ++panel) {
      for (int64_t begin = 0; begin < k_; begin += kSumBlock) {
        const int64_t count = std::min(kSumBlock, k_ - begin);
        kernels.multiply_small(m, columns, count, left + begin, k_, 1, right_.at(begin, count, panel),
                               columns, begin == 0 ? sums : more, columns);
        for (int64_t i = 0; begin > 0 && i < m * columns; ++i) sums[i] += more[i];
      }
      const int64_t first = panel * columns;
      for (int64_t r = 0; r < m; ++r)
        std::copy_n(sums + r * columns, std::min(columns, n_ - first), product + r * n_ + first);
    }
  }

  int64_t k_, n_;
  Packed<T> right_;
};

}  // namespace framejit::eager::cpu
