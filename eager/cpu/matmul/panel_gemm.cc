#include "eager/cpu/matmul/panel_gemm.h"

#include <algorithm>
#include <utility>

#include "eager/cpu/matmul/bfloat_panels.h"
#include "eager/cpu/matmul/packed_gemm.h"
#include "eager/cpu/matmul/panels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kShortest = 48;  ///< of the sides of a product that is worth packing
constexpr int64_t kShortestOfBFloats = 16;
constexpr int64_t kSmall = 64;  ///< the longest side of one that is too small for Eigen's blocking

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
void multiply_panels(const GemmCall& call, bool parallel) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  ScratchScope scope;
  const Packed<T> a(static_cast<const T*>(call.a.data), call.a.stride, call.a.transposed, call.m, call.k,
                    kernels.rows);
  const Packed<T> b(static_cast<const T*>(call.b.data), call.b.stride, !call.b.transposed, call.n, call.k,
                    kernels.columns);
  multiply_packed(a, b, parallel, [&](int64_t i, int64_t j) { multiply_block(call, a, b, i, j); });
}

/// Without packing but for what is needed to have whole vectors of columns.
template <class T>
void multiply_small(const GemmCall& call) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  ScratchScope scope;
  Scratch& scratch = Scratch::of_thread();
  const int64_t columns = (call.n + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  const T* b = static_cast<const T*>(call.b.data);
  int64_t b_stride = call.b.stride;
  if (call.b.transposed || columns != call.n) {
    T* packed = scratch.take_array<T>(call.k * columns);
    kernels.pack_matrix(b, b_stride, !call.b.transposed, call.n, call.k, columns, packed);
    b = packed, b_stride = columns;
  }
  T* result = static_cast<T*>(call.c);
  T* to = columns == call.n ? result : scratch.take_array<T>(call.m * columns);
  const int64_t c_stride = columns == call.n ? call.c_stride : columns;
  const auto [a_row, a_term] = call.a.transposed ? std::pair<int64_t, int64_t>(1, call.a.stride)
                                                 : std::pair<int64_t, int64_t>(call.a.stride, 1);
  kernels.multiply_small(call.m, columns, call.k, static_cast<const T*>(call.a.data), a_row, a_term, b,
                         b_stride, to, c_stride);
  for (int64_t r = 0; to != result && r < call.m; ++r)
    std::copy_n(to + r * c_stride, call.n, result + r * call.c_stride);
}

/// Of two contiguous vectors. Blocks of it are added in double precision.
template <class T>
void multiply_vectors(const GemmCall& call) {
  constexpr int64_t kBlock = 4096;
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const T *a = static_cast<const T*>(call.a.data), *b = static_cast<const T*>(call.b.data);
  double total = 0;
  for (int64_t begin = 0; begin < call.k; begin += kBlock) {
    const int64_t count = std::min(kBlock, call.k - begin), whole = count / kernels.lanes * kernels.lanes;
    T sum = 0;
    kernels.dot(1, 1, whole, a + begin, b + begin, 0, &sum, 1);
    for (int64_t i = begin + whole; i < begin + count; ++i) sum += a[i] * b[i];
    total += double(sum);
  }
  *static_cast<T*>(call.c) = T(total);
}

template <class T>
void multiply(GemmWay way, const GemmCall& call, bool parallel) {
  if (way == GemmWay::panels) return multiply_panels<T>(call, parallel);
  way == GemmWay::small ? multiply_small<T>(call) : multiply_vectors<T>(call);
}

}  // namespace

bool multiplies_bfloats(int64_t m, int64_t n, int64_t k) {
  return std::min({m, n, k}) >= kShortestOfBFloats && bfloat_panels();
}

GemmWay gemm_way(const GemmCall& call, DType dtype) {
  if (dtype == DType::bfloat16) return GemmWay::bfloats;
  if (dtype != DType::float32 && dtype != DType::float64) return GemmWay::eigen;
  if (std::min({call.m, call.n, call.k}) >= kShortest) return GemmWay::panels;
  if (call.m == 1 && call.n == 1 && !call.a.transposed && (call.b.transposed || call.b.stride == 1))
    return GemmWay::dot;
  return std::max({call.m, call.n, call.k}) <= kSmall ? GemmWay::small : GemmWay::eigen;
}

void multiply_floats(GemmWay way, const GemmCall& call, DType dtype, bool parallel) {
  if (way == GemmWay::bfloats) return multiply_bfloats(call, parallel);
  dtype == DType::float64 ? multiply<double>(way, call, parallel) : multiply<float>(way, call, parallel);
}

}  // namespace framejit::eager::cpu
