#include "eager/cpu/panel_gemm.h"

#include <algorithm>

#include "eager/cpu/panels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kShortest = 48;  ///< of the sides of a product
constexpr int64_t kSumBlock =
    256;  ///< terms of the sum that are added at a time: a panel stays in the L1 cache
constexpr int64_t kRowPanels = 16;  ///< of a block of the product: what it needs of `a` stays in the L2 cache
constexpr int64_t kColumnPanels = 8;  ///< likewise of `b`

/// One side of a product in panels: for each block of terms, all panels of it.
template <class T>
class Packed {
 public:
  /// `across`: lines lie side by side, else as rows.
  Packed(const T* from, int64_t stride, bool across, int64_t lines, int64_t terms, int64_t width)
      : from_(from), stride_(stride), across_(across), lines_(lines), terms_(terms), width_(width) {
    panels_ = (lines + width - 1) / width;
    data_ = Scratch::of_thread().take_array<T>(panels_ * width * terms);
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

template <class T>
void multiply(const GemmCall& call, bool parallel) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  ScratchScope scope;
  const Packed<T> a(static_cast<const T*>(call.a.data), call.a.stride, call.a.transposed, call.m, call.k,
                    kernels.rows);
  const Packed<T> b(static_cast<const T*>(call.b.data), call.b.stride, !call.b.transposed, call.n, call.k,
                    kernels.columns);
  const int64_t row_blocks = (a.panels() + kRowPanels - 1) / kRowPanels,
                blocks = row_blocks * ((b.panels() + kColumnPanels - 1) / kColumnPanels);
  const auto pack = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) p < a.panels() ? a.pack(p) : b.pack(p - a.panels());
  };
  const auto multiply_blocks = [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      multiply_block(call, a, b, block % row_blocks, block / row_blocks);
  };
  if (!parallel) {
    pack(0, a.panels() + b.panels());
    multiply_blocks(0, blocks);
  } else {
    parallel_for(a.panels() + b.panels(), 8, pack);
    parallel_for(blocks, 1, multiply_blocks);
  }
}

}  // namespace

bool worth_panels(const GemmCall& call, DType dtype) {
  return (dtype == DType::float32 || dtype == DType::float64) &&
         std::min({call.m, call.n, call.k}) >= kShortest;
}

void multiply_panels(const GemmCall& call, DType dtype, bool parallel) {
  dtype == DType::float64 ? multiply<double>(call, parallel) : multiply<float>(call, parallel);
}

}  // namespace framejit::eager::cpu
