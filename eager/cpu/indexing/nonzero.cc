// nonzero: indices in row-major order.
#include "eager/cpu/kernel_support.h"

namespace framejit::eager {

using namespace cpu;

/// The indices of elements at `places`, which ascend: the row of the last one is kept.
static void write_indices(const Dims& sizes, const int64_t* places, int64_t count, int64_t* to) {
  const int rank = sizes.size();
  if (rank == 0) return;
  const int64_t columns = sizes[rank - 1];
  int64_t row = 0;
  for (int64_t i = 0; i < count; ++i, to += rank) {
    if (places[i] - row * columns >= columns) row = places[i] / columns;
    to[rank - 1] = places[i] - row * columns;
    int64_t left = row;
    for (int d = rank - 2; d > 0; --d) {
      to[d] = left % sizes[d];
      left /= sizes[d];
    }
    if (rank > 1) to[0] = left;
  }
}

void nonzero_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  const int rank = self.dim();
  // Every place is written, and kept where there is something: no branch to mispredict.
  const int64_t count = self.numel().expect();
  std::vector<int64_t> places(size_t(count + 1));
  int64_t found = 0;
  for_any_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* data = self.data_as<T>();
    for (int64_t i = 0; i < count; ++i) {
      places[size_t(found)] = i;
      found += data[i] != T(0);
    }
  });
  Tensor result = Tensor::empty(Dims{found, rank}, DType::int64);
  write_indices(self.sizes(), places.data(), found, result.data_as<int64_t>());
  results[0] = std::move(result);
}

}  // namespace framejit::eager
