// Cross products of vectors of three elements.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kPieceElements = 16 * 1024;

/// a * b - c * d; integers wrap.
template <class T>
T difference(T a, T b, T c, T d) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b) - uint64_t(c) * uint64_t(d));
  else
    return T(T(a * b) - T(c * d));
}

/// Component i of `n` vectors whose components lie `step` apart.
template <class T>
void component(int i, const T* a, const T* b, int64_t step, int64_t next, int64_t n, T* out) {
  const int64_t one = (i + 1) % 3 * step, two = (i + 2) % 3 * step;
  out += i * step;
  for (int64_t k = 0; k < n; ++k)
    out[k * next] = difference(a[k * next + one], b[k * next + two], a[k * next + two], b[k * next + one]);
}

}  // namespace

/// args: self, other, dim.
void meta_cross_product(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

void cross_product_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor()), b = contiguous(args[1].tensor());
  Tensor result = allocate_result(op, args);
  const RowShape shape = row_shape(a.sizes(), int(args[2].integer()));
  for_any_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    FRAMEJIT_CHECK_TYPE((!std::is_same_v<T, bool>), not_implemented,
                        "\"cross\" not implemented for 'bool' on cpu; it exists for numbers");
    const T *from_a = a.data_as<T>(), *from_b = b.data_as<T>();
    T* to = result.data_as<T>();
    // Vectors that lie one behind the other are one row of them.
    const int64_t rows = shape.inner == 1 ? 1 : shape.outer,
                  length = shape.inner == 1 ? shape.outer : shape.inner, next = shape.inner == 1 ? 3 : 1;
    const int64_t blocks = (length + kPieceElements - 1) / kPieceElements;
    parallel_for(rows * blocks, std::max<int64_t>(1, kPieceElements / std::max<int64_t>(length, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t u = begin; u < end; ++u) {
                     const int64_t first = u % blocks * kPieceElements,
                                   at = u / blocks * 3 * length + first * next;
                     for (int i = 0; i < 3; ++i)
                       component(i, from_a + at, from_b + at, shape.inner, next,
                                 std::min(kPieceElements, length - first), to + at);
                   }
                 });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
