#include <algorithm>

#include "eager/cpu/matmul/bfloat_panels.h"
#include "eager/cpu/isa.h"
#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/matmul/packed_gemm.h"
#include "eager/cpu/scratch.h"

#define FRAMEJIT_DECLARE_BFLOATS(isa)       \
  namespace framejit::eager::isa {          \
  const cpu::BFloatPanels* bfloat_panels(); \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_BFLOATS)
#undef FRAMEJIT_DECLARE_BFLOATS

namespace framejit::eager::cpu {
namespace {

const BFloatPanels* choose() {
  switch (chosen_isa()) {
#define FRAMEJIT_BFLOATS(isa) \
  case Isa::isa:              \
    return isa::bfloat_panels();
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_BFLOATS)
#undef FRAMEJIT_BFLOATS
  }
  return nullptr;
}

/// One side of a product in panels: for each block of terms, all panels of it.
class PackedPairs {
 public:
  /// `across`: lines lie side by side, else as rows.
  PackedPairs(const GemmOperand& from, bool across, int64_t lines, int64_t terms, int64_t width)
      : from_(static_cast<const uint16_t*>(from.data)),
        stride_(from.stride),
        across_(across),
        lines_(lines),
        terms_(terms),
        width_(width),
        panels_((lines + width - 1) / width),
        data_(Scratch::of_thread().take_array<BFloatPair>(panels_ * width * ((terms + 1) / 2))) {}

  int64_t panels() const { return panels_; }
  const BFloatPair* at(int64_t first_term, int64_t panel) const { return place(first_term, panel); }
  void pack(int64_t panel) const {
    const int64_t line = panel * width_;
    for (int64_t begin = 0; begin < terms_; begin += kSumBlock)
      bfloat_panels()->pack(from_ + (across_ ? line + begin * stride_ : line * stride_ + begin), stride_,
                            across_, std::min(width_, lines_ - line), std::min(kSumBlock, terms_ - begin),
                            width_, place(begin, panel));
  }

 private:
  BFloatPair* place(int64_t first_term, int64_t panel) const {
    const int64_t pairs = (std::min(kSumBlock, terms_ - first_term) + 1) / 2;
    return data_ + first_term / 2 * panels_ * width_ + panel * pairs * width_;
  }

  const uint16_t* from_;
  int64_t stride_;
  bool across_;
  int64_t lines_, terms_, width_, panels_;
  BFloatPair* data_;
};

/// Block (i, j) of the product, which may be rounded on its way out of scratch memory.
void multiply_block(const GemmCall& call, const PackedPairs& a, const PackedPairs& b, int64_t i, int64_t j,
                    bool rounds) {
  const BFloatPanels& kernels = *bfloat_panels();
  const int64_t row_panels = std::min(kRowPanels, a.panels() - i * kRowPanels);
  const int64_t column_panels = std::min(kColumnPanels, b.panels() - j * kColumnPanels);
  const int64_t row = i * kRowPanels * kernels.rows, column = j * kColumnPanels * kernels.columns;
  const int64_t rows = std::min(row_panels * kernels.rows, call.m - row),
                columns = std::min(column_panels * kernels.columns, call.n - column);
  const int64_t stride = column_panels * kernels.columns;
  ScratchScope scope;
  float* sums = Scratch::of_thread().take_array<float>(row_panels * kernels.rows * stride);
  for (int64_t begin = 0; begin < call.k; begin += kSumBlock)
    kernels.multiply(row_panels, column_panels, (std::min(kSumBlock, call.k - begin) + 1) / 2,
                     a.at(begin, i * kRowPanels), b.at(begin, j * kColumnPanels), sums, stride, begin > 0);
  const CastFn round = loop_kernels().cast[size_t(DType::float32)][size_t(DType::bfloat16)];
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = (row + r) * call.c_stride + column;
    if (rounds)
      round(sums + r * stride, 1, static_cast<uint16_t*>(call.c) + at, columns);
    else
      std::copy_n(sums + r * stride, columns, static_cast<float*>(call.c) + at);
  }
}

}  // namespace

const BFloatPanels* bfloat_panels() {
  static const BFloatPanels* chosen = choose();
  return chosen;
}

void multiply_bfloats(const GemmCall& call, bool parallel, bool rounds) {
  ScratchScope scope;
  const PackedPairs a(call.a, call.a.transposed, call.m, call.k, bfloat_panels()->rows),
      b(call.b, !call.b.transposed, call.n, call.k, bfloat_panels()->columns);
  multiply_packed(a, b, parallel, [&](int64_t i, int64_t j) { multiply_block(call, a, b, i, j, rounds); });
}

}  // namespace framejit::eager::cpu
