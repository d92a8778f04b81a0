// The GEMM of convolutions: (rows x taps) times (taps x pixels), where the right matrix is read out of images
// through offsets and only ever exists a few panels at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "eager/cpu/matmul/panels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

/// A matrix of weights whose element (row, channel, tap) is base[row * row_stride + ...].
template <class T>
struct WeightView {
  const T* base;
  int64_t row_stride, channel_stride, tap_stride;
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
    pixels_.resize(size_t(panels * kernels_.columns), pixels_.empty() ? 0 : pixels_.back());
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

  /// The weights in the order in which the kernel reads them; `taps_per_channel` of them for each channel.
  std::vector<T> pack_weights(const WeightView<T>& weights, int64_t taps_per_channel) const {
    std::vector<T> packed(size_t(row_panels_ * kernels_.rows * tap_count()), T(0));
    T* to = packed.data();
    for (int64_t begin = 0; begin < tap_count(); begin += kTapBlock) {
      const int64_t end = std::min(tap_count(), begin + kTapBlock);
      for (int64_t p = 0; p < row_panels_; ++p)
        for (int64_t k = begin; k < end; ++k, to += kernels_.rows) {
          const T* from = weights.base + k / taps_per_channel * weights.channel_stride +
                          k % taps_per_channel * weights.tap_stride;
          const int64_t first = p * kernels_.rows, rows = std::min(kernels_.rows, rows_ - first);
          for (int64_t r = 0; r < rows; ++r) to[r] = from[(first + r) * weights.row_stride];
        }
    }
    return packed;
  }

  /// Computes a block of columns and calls `use(first column, columns, product, its row stride)`. `readable`:
  /// how many elements of `images` there are.
  template <class Use>
  void run_block(int64_t block, const T* packed_weights, const T* images, int64_t readable, Use use) const {
    const int64_t first = block * block_panels_ * kernels_.columns;
    const int64_t columns = std::min(block_panels_ * kernels_.columns, pixel_count_ - first);
    const int64_t panels = (columns + kernels_.columns - 1) / kernels_.columns;
    const int64_t stride = panels * kernels_.columns, padded_rows = row_panels_ * kernels_.rows;
    ScratchScope scope;
    T* product = Scratch::of_thread().take_array<T>(padded_rows * stride);
    T* patches =
        Scratch::of_thread().take_array<T>(stride * std::min(kTapBlock, tap_count()) + kernels_.columns);
    if (tap_count() == 0) std::fill_n(product, padded_rows * stride, T(0));
    for (int64_t begin = 0; begin < tap_count(); begin += kTapBlock) {
      const int64_t count = std::min(kTapBlock, tap_count() - begin);
      for (int64_t p = 0; p < panels; ++p) {
        const int64_t* pixels = pixels_.data() + first + p * kernels_.columns;
        const bool reads_on = pixels[kernels_.columns - 1] + last_tap_ + kernels_.columns <= readable;
        kernels_.pack(images, taps_.data() + begin, count, pixels, reads_on,
                      patches + p * count * kernels_.columns);
      }
      kernels_.multiply(row_panels_, panels, count, packed_weights + begin * padded_rows, patches, product,
                        stride, begin > 0);
    }
    use(first, columns, product, stride);
  }

 private:
  static constexpr int64_t kTapBlock = 256;
  static constexpr int64_t kBlockElements = 65536;
  static constexpr int64_t kMostPanels = 16;
  static constexpr int64_t kParallelWork = 1 << 17;

  int64_t tap_count() const { return int64_t(taps_.size()); }

  const PanelKernels<T>& kernels_;
  int64_t rows_, pixel_count_;
  std::vector<int64_t> taps_, pixels_;
  int64_t row_panels_, block_panels_, blocks_;
  int64_t last_tap_;  ///< the largest offset of one
};

}  // namespace framejit::eager::cpu
