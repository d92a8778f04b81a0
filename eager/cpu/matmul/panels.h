// Products of matrices in panels: of the left one `rows` rows, of the right one `columns` columns, term by term.
// tile/panels.cc has the loops, compiled once per instruction set.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// T: float, double, int32_t or int64_t; integers wrap.
template <class T>
struct PanelKernels {
  int64_t rows, columns;  ///< of a tile of the product
  int64_t lanes;          ///< elements of a vector register

  /// panel[k][i] is element k of line i for i < width (`rows` or `columns`), zero
  /// from `lines` on. Lines are `stride` apart and lie as rows; or, where `across`, side by side, elements
  /// `stride` apart.
  void (*pack_matrix)(const T* from, int64_t stride, bool across, int64_t lines, int64_t count, int64_t width,
                      T* panel);
  /// c = a times b, or c += a times b. `a`: panels of `count` x rows, `b`: panels of `count` x columns.
  void (*multiply)(int64_t row_panels, int64_t column_panels, int64_t count, const T* a, const T* b, T* c,
                   int64_t c_stride, bool accumulate);
  /// The same by one panel of columns, of `row_panels` x rows rows of `a` that are `a_stride` apart.
  void (*multiply_rows)(int64_t row_panels, int64_t count, const T* a, int64_t a_stride, const T* b, T* c,
                        int64_t c_stride, bool accumulate);
  /// c = a times b of `count` terms, without packing. Element (row, term) of `a` is a[row * a_row + term *
  /// a_term]; rows of `b` and `c` are contiguous, `columns` a multiple of lanes.
  void (*multiply_small)(int64_t rows, int64_t columns, int64_t count, const T* a, int64_t a_row,
                         int64_t a_term, const T* b, int64_t b_stride, T* c, int64_t c_stride);
  /// c[i][j] += sum over l of a[i][l] * b[j][l], both with rows `stride` apart; count is a multiple of lanes.
  void (*dot)(int64_t a_rows, int64_t b_rows, int64_t count, const T* a, const T* b, int64_t stride, T* c,
              int64_t c_stride);
};

/// Those of the chosen instruction set.
template <class T>
const PanelKernels<T>& panel_kernels();

}  // namespace framejit::eager::cpu
