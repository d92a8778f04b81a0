// The largest row of each segment, column by column.
#include "eager/cpu/float_type.h"
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

namespace {

/// `from` is rows x width; `best` tells the row of each largest element so far, `largest` the element.
template <class T>
void find_largest(const T* from, const Tensor& segments, int64_t count, int64_t width, int64_t* best,
                  T* largest) {
  for (int64_t row = 0; row < segments.sizes()[0]; ++row, from += width) {
    const int64_t segment = segments.data_as<int64_t>()[row];
    FRAMEJIT_CHECK_TYPE(uint64_t(segment) < uint64_t(count), index, "segment ", segment,
                        " is out of range of ", count);
    int64_t* const rows = best + segment * width;
    T* const values = largest + segment * width;
    for (int64_t k = 0; k < width; ++k) {
      const bool found = (rows[k] < 0) | (from[k] > values[k]);
      rows[k] = found ? row : rows[k];
      values[k] = found ? from[k] : values[k];
    }
  }
}

}  // namespace

void segment_argmax_kernel(const Op& op, const Value* args, Value* results) {
  const DType dtype = args[0].tensor().dtype() == DType::float32 ? DType::float32 : DType::float64;
  const Tensor self = contiguous_as(args[0].tensor(), dtype),
               segments = contiguous_as(args[1].tensor(), DType::int64);
  Tensor result = allocate_result(op, args);
  const int64_t none = -1;
  fill_elements(result, &none, DType::int64);
  const Tensor largest = Tensor::empty(result.sizes(), dtype);
  for_float_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    find_largest(self.data_as<T>(), segments, result.sizes()[0], self.sizes()[1], result.data_as<int64_t>(),
                 largest.data_as<T>());
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
