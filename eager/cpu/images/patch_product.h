// The GEMM of convolutions: (rows x taps) times (taps x pixels), where the right matrix is read out of images
// through offsets: in place, or by way of a panel at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "eager/cpu/images/patch_kernels.h"
#include "eager/cpu/matmul/panels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// A matrix of weights whose element (row, channel, tap) is base[row * row_stride + ...].
template <class T>
struct WeightView {
  const T* base;
  int64_t row_stride, channel_stride, tap_stride;
};

/// Weights as the kernels read them: in panels, or their own rows.
template <class T>
struct ReadyWeights {
  Tensor owner;
  const T* data;
  int64_t row_stride;  ///< 0: they are in panels
};

template <class T>
class PatchProduct {
 public:
  /// `pixels`: offset of each column; `taps`: offset of each term of the sum, over all channels.
  PatchProduct(int64_t rows, std::vector<int64_t> taps, std::vector<int64_t> pixels)
      : kernels_(panel_kernels<T>()),
        rows_(rows),
        pixel_count_(int64_t(pixels.size())),
        taps_(std::move(taps)),
        pixels_(std::move(pixels)) {
    row_panels_ = (rows + kernels_.rows - 1) / kernels_.rows;
    last_tap_ = taps_.empty() ? 0 : *std::max_element(taps_.begin(), taps_.end());
    const int64_t panels = (pixel_count_ + kernels_.columns - 1) / kernels_.columns;
    while (int64_t(pixels_.size()) < panels * kernels_.columns) pixels_.push_back(pixels_.back() + 1);
    // Blocks of columns whose product stays in the L2 cache, but one for each thread at least.
    const int64_t fit =
        std::max<int64_t>(1, kBlockElements / (row_panels_ * kernels_.rows) / kernels_.columns);
    const int64_t share = (panels + num_threads() - 1) / num_threads();
    block_panels_ = std::max<int64_t>(1, std::min({fit, share, kMostPanels}));
    blocks_ = (panels + block_panels_ - 1) / block_panels_;
  }

  int64_t blocks() const { return blocks_; }
  /// Blocks that a thread should take at once: all of a small product.
  int64_t grain() const {
    const int64_t work = row_panels_ * kernels_.rows * tap_count() * block_panels_ * kernels_.columns;
    return std::max<int64_t>(1, kParallelWork / std::max<int64_t>(1, work));
  }

  /// `taps_per_channel` weights for each channel. Where they would be read a few times only they are left as they lie.
  ReadyWeights<T> ready_weights(const WeightView<T>& weights, int64_t taps_per_channel) const {
    const bool are_rows = weights.tap_stride == 1 && weights.channel_stride == taps_per_channel;
    if (are_rows && rows_ % kernels_.rows == 0 && row_panels_ > kMostRowPanelsInPlace &&
        pixel_count_ <= kFewPanels * kernels_.columns)
      return {Tensor(), weights.base, weights.row_stride};
    Tensor packed = Tensor::empty(Dims{row_panels_ * kernels_.rows * tap_count()}, dtype_of<T>());
    T* to = packed.data_as<T>();
    for (int64_t begin = 0; begin < tap_count(); begin += kTapBlock) {
      const int64_t end = std::min(tap_count(), begin + kTapBlock);
      for (int64_t p = 0; p < row_panels_; ++p, to += (end - begin) * kernels_.rows)
        pack_weight_panel(weights, taps_per_channel, p * kernels_.rows, begin, end, to);
    }
    return {packed, packed.data_as<T>(), 0};
  }

  /// Computes a block of columns and calls `use(first column, columns, product, its row stride)`. `readable`:
  /// how many elements of `images` there are.
  template <class Use>
  void run_block(int64_t block, const ReadyWeights<T>& weights, const T* images, int64_t readable,
                 Use use) const {
    const int64_t first = block * block_panels_ * kernels_.columns;
    const int64_t columns = std::min(block_panels_ * kernels_.columns, pixel_count_ - first);
    const int64_t panels = (columns + kernels_.columns - 1) / kernels_.columns;
    const int64_t stride = panels * kernels_.columns, padded_rows = row_panels_ * kernels_.rows;
    ScratchScope scope;
    T* product = Scratch::of_thread().take_array<T>(padded_rows * stride);
    T* panel = Scratch::of_thread().take_array<T>(kernels_.columns * (std::min(kTapBlock, tap_count()) + 1));
    if (tap_count() == 0) std::fill_n(product, padded_rows * stride, T(0));
    for (int64_t begin = 0; begin < tap_count(); begin += kTapBlock) {
      const int64_t count = std::min(kTapBlock, tap_count() - begin);
      const int64_t* taps = taps_.data() + begin;
      const T* packed = weights.data + begin * padded_rows;
      for (int64_t column = 0; column < columns; column += kernels_.columns) {
        const int64_t* pixels = pixels_.data() + first + column;
        const bool reads_on = pixels[kernels_.columns - 1] + last_tap_ + kernels_.columns <= readable;
        if (reads_on && weights.row_stride == 0 &&
            patches_.multiply_in_place(row_panels_, count, packed, images, taps, pixels, product + column,
                                       stride, begin > 0))
          continue;
        patches_.pack(images, taps, count, pixels, std::min(columns - column, kernels_.columns), reads_on,
                      panel);
        if (weights.row_stride != 0)
          kernels_.multiply_rows(row_panels_, count, weights.data + begin, weights.row_stride, panel,
                                 product + column, stride, begin > 0);
        else
          kernels_.multiply(row_panels_, 1, count, packed, panel, product + column, stride, begin > 0);
      }
    }
    use(first, columns, product, stride);
  }

 private:
  static constexpr int64_t kTapBlock = 256;
  static constexpr int64_t kBlockElements = 65536;
  static constexpr int64_t kMostPanels = 16;
  static constexpr int64_t kFewPanels = 14;  ///< of columns, for which packing weights costs too much
  static constexpr int64_t kMostRowPanelsInPlace = 16;  ///< with which images may be read in place
  static constexpr int64_t kParallelWork = 1 << 17;

  int64_t tap_count() const { return int64_t(taps_.size()); }

  /// Terms [begin, end) of the rows from `first` on.
  void pack_weight_panel(const WeightView<T>& weights, int64_t taps_per_channel, int64_t first, int64_t begin,
                         int64_t end, T* to) const {
    const int64_t rows = std::min(kernels_.rows, rows_ - first);
    const T* from = weights.base + first * weights.row_stride;
    if (weights.tap_stride == 1 && weights.channel_stride == taps_per_channel)
      return kernels_.pack_matrix(from + begin, weights.row_stride, false, rows, end - begin, kernels_.rows,
                                  to);
    if (weights.row_stride == 1 && taps_per_channel == 1)
      return kernels_.pack_matrix(from + begin * weights.channel_stride, weights.channel_stride, true, rows,
                                  end - begin, kernels_.rows, to);
    for (int64_t k = begin; k < end; ++k, to += kernels_.rows) {
      const T* column =
          from + k / taps_per_channel * weights.channel_stride + k % taps_per_channel * weights.tap_stride;
      for (int64_t r = 0; r < rows; ++r) to[r] = column[r * weights.row_stride];
      std::fill(to + rows, to + kernels_.rows, T(0));
    }
  }

  const PanelKernels<T>& kernels_;
  const PatchKernels<T>& patches_ = patch_kernels<T>();
  int64_t rows_, pixel_count_;
  std::vector<int64_t> taps_, pixels_;
  int64_t row_panels_, block_panels_, blocks_;
  int64_t last_tap_;  ///< the largest offset of one
};

}  // namespace framejit::eager::cpu
