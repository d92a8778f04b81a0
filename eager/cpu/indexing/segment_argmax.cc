// The largest row of each segment, column by column.
#include "eager/cpu/kernel_support.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

/// args: self, segments, count.
void meta_segment_argmax(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  Dims sizes;
  sizes.push_back(args[2].sym_int());
  sizes.push_back(self.sizes.sym(1));
  results.push_back(contiguous_meta(std::move(sizes), DType::int64, self.device));
}

void segment_argmax_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous_as(args[0].tensor(), DType::float64),
               segments = contiguous_as(args[1].tensor(), DType::int64);
  Tensor result = allocate_result(op, args);
  const int64_t none = -1, rows = self.sizes()[0], width = self.sizes()[1], count = result.sizes()[0];
  fill_elements(result, &none, DType::int64);
  const double* from = self.data_as<double>();
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t segment = segments.data_as<int64_t>()[row];
    FRAMEJIT_CHECK_TYPE(uint64_t(segment) < uint64_t(count), index, "segment ", segment,
                        " is out of range of ", count);
    int64_t* best = result.data_as<int64_t>() + segment * width;
    for (int64_t k = 0; k < width; ++k)
      if (best[k] < 0 || from[row * width + k] > from[best[k] * width + k]) best[k] = row;
  }
  results[0] = std::move(result);
}

}  // namespace framejit::eager
