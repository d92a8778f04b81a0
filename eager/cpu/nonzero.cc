// nonzero: indices in row-major order.
#include "eager/cpu/kernel_support.h"

namespace framejit::eager {

using namespace cpu;

void nonzero_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  const int rank = self.dim();
  std::vector<int64_t> found;
  for_any_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* data = self.data_as<T>();
    const int64_t count = self.numel().expect();
    for (int64_t i = 0; i < count; ++i)
      if (data[i] != T(0)) found.push_back(i);
  });
  Tensor result = Tensor::empty(Dims{int64_t(found.size()), rank}, DType::int64);
  int64_t* to = result.data_as<int64_t>();
  for (int64_t flat : found) {
    for (int d = rank - 1; d >= 0; --d) {
      to[d] = flat % self.sizes()[d];
      flat /= self.sizes()[d];
    }
    to += rank;
  }
  results[0] = std::move(result);
}

}  // namespace framejit::eager
