// Inner loops over patches: what windows see of images, read through offsets. As the right matrix of a product
// patches are never stored, or a panel at a time (panels.h). tile/patches.cc has the loops, compiled once per
// instruction set.
#pragma once

#include <cstdint>

namespace framejit::eager::cpu {

/// T: float or double. Panels have the sizes of PanelKernels<T>.
template <class T>
struct PatchKernels {
  /// panel[k][i] = images[taps[k] + pixels[i]] for k < count and i < valid; zero from there on. Where `reads_on`,
  /// which is faster, it may read `columns` elements from each place, and write as many beyond the panel.
  void (*pack)(const T* images, const int64_t* taps, int64_t count, const int64_t* pixels, int64_t valid,
               bool reads_on, T* panel);
  /// c = a times those patches, or c += a times them, without storing them. `a`: panels of `count` x rows. It reads
  /// up to `columns` elements from each place. False, and nothing done, where `pack` and `multiply` are faster:
  /// pixels that lie in many stretches, many rows.
  bool (*multiply_in_place)(int64_t row_panels, int64_t count, const T* a, const T* images,
                            const int64_t* taps, const int64_t* pixels, T* c, int64_t c_stride,
                            bool accumulate);
  /// out[i] = bias + sum over k of weights[k] * image[taps[k] + i], for i < n, a multiple of lanes.
  void (*filter)(const T* image, const int64_t* taps, const T* weights, int64_t count, T bias, int64_t n,
                 T* out);
  /// The same for `rows` rows of `width` pixels each, of taps (y, x) at y * row_distance + x * column_step: rows of a
  /// tall kernel see what their neighbours see. Rows of `out` have room for whole pairs of vectors.
  void (*filter_rows)(const T* image, int64_t row_distance, int64_t rows, int64_t width, int64_t kernel_rows,
                      int64_t kernel_columns, int64_t column_step, const T* weights, T bias, T* out,
                      int64_t out_distance);
  /// sums[k] += sum over i < n of grad[i] * image[taps[k] + i], for k < count; n is a multiple of lanes.
  void (*correlate)(const T* image, const int64_t* taps, int64_t count, const T* grad, int64_t n,
                    double* sums);
  /// Of each of `rows` rows: even[i] = row[2 * i] and odd[i] = row[2 * i + 1], for i < pairs.
  void (*split)(int64_t rows, const T* from, int64_t distance, int64_t pairs, T* even, T* odd,
                int64_t to_distance);
  /// The opposite: row[2 * i] = even[i] and row[2 * i + 1] = odd[i].
  void (*zip)(int64_t rows, const T* even, int64_t even_distance, const T* odd, int64_t odd_distance,
              int64_t pairs, T* to, int64_t to_distance);
  /// Rows of `width` elements, `distance` apart.
  void (*copy_rows)(int64_t rows, int64_t width, const T* from, int64_t distance, T* to, int64_t to_distance);
  /// Stretches of `lengths` elements at `offsets`, one behind the other.
  void (*copy_stretches)(int64_t stretches, const T* from, const int64_t* offsets, const int64_t* lengths,
                         T* to);
};

/// Those of the chosen instruction set.
template <class T>
const PatchKernels<T>& patch_kernels();

}  // namespace framejit::eager::cpu
