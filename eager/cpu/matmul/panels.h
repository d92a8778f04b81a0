// Products of matrices one of which is never stored: a convolution's patches, read through offsets into the
// images. The left matrix is packed once into panels of `rows` rows, the right one panel by panel of
// `columns` columns; tile/panels.cc has the loops, compiled once per instruction set.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// T: float or double.
template <class T>
struct PanelKernels {
  int64_t rows, columns;  ///< of a tile of the product
  int64_t lanes;          ///< elements of a vector register

  /// panel[k][i] = images[taps[k] + pixels[i]] for k < count and i < columns. Where `reads_on`, which is faster,
  /// it may read `columns` elements from each place, and write as many beyond the panel.
  void (*pack)(const T* images, const int64_t* taps, int64_t count, const int64_t* pixels, bool reads_on,
               T* panel);
  /// The same from a matrix: panel[k][i] is element k of line i for i < width (`rows` or `columns`), zero
  /// from `lines` on. Lines are `stride` apart and lie as rows; or, where `across`, side by side, elements
  /// `stride` apart.
  void (*pack_matrix)(const T* from, int64_t stride, bool across, int64_t lines, int64_t count, int64_t width,
                      T* panel);
  /// c = a times b, or c += a times b. `a`: panels of `count` x rows, `b`: panels of `count` x columns.
  void (*multiply)(int64_t row_panels, int64_t column_panels, int64_t count, const T* a, const T* b, T* c,
                   int64_t c_stride, bool accumulate);
  /// c = a times b of `count` terms, without packing. Element (row, term) of `a` is a[row * a_row + term *
  /// a_term]; rows of `b` and `c` are contiguous, `columns` a multiple of lanes.
  void (*multiply_small)(int64_t rows, int64_t columns, int64_t count, const T* a, int64_t a_row,
                         int64_t a_term, const T* b, int64_t b_stride, T* c, int64_t c_stride);
  /// c[i][j] += sum over l of a[i][l] * b[j][l], both with rows `stride` apart; count is a multiple of lanes.
  void (*dot)(int64_t a_rows, int64_t b_rows, int64_t count, const T* a, const T* b, int64_t stride, T* c,
              int64_t c_stride);
  /// out[i] = bias + sum over k of weights[k] * image[taps[k] + i], for i < n, a multiple of lanes.
  void (*filter)(const T* image, const int64_t* taps, const T* weights, int64_t count, T bias, int64_t n,
                 T* out);
  /// even[i] = row[2 * i] and odd[i] = row[2 * i + 1], for i < pairs.
  void (*split)(const T* row, int64_t pairs, T* even, T* odd);
  /// sums[k] += sum over i < n of grad[i] * image[taps[k] + i], for k < count; n is a multiple of lanes.
  void (*correlate)(const T* image, const int64_t* taps, int64_t count, const T* grad, int64_t n,
                    double* sums);
};

/// Those of the chosen instruction set.
template <class T>
const PanelKernels<T>& panel_kernels();

}  // namespace framejit::eager::cpu
