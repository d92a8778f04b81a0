// cumsum and cumprod.
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// What a scan accumulates in: double for floats, and for integers an unsigned type, in which overflow wraps.
template <class T>
struct ScanType {
  using type =
      std::conditional_t<is_floating_type<T>, double, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
};
template <class T>
struct ScanType<std::complex<T>> {
  using type = std::complex<double>;
};

/// One row whose elements lie side by side: the running value stays in a register.
template <class T, class Value, class Combine>
void scan_row(const T* in, T* out, int64_t n, Value value, Combine combine) {
  for (int64_t i = 0; i < n; ++i) {
    value = combine(value, in[i]);
    out[i] = T(value);
  }
}

template <class T, class Combine>
void scan_rows(const T* in, T* out, const RowShape& shape, typename ScanType<T>::type start,
               Combine combine) {
  const int64_t row_elements = shape.length * shape.inner;
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, row_elements));
  parallel_for(shape.outer, grain, [&](int64_t begin, int64_t end) {
    std::vector<typename ScanType<T>::type> running(size_t(shape.inner));
    for (int64_t o = begin; o < end; ++o) {
      if (shape.inner == 1) {
        scan_row(in + o * row_elements, out + o * row_elements, shape.length, start, combine);
        continue;
      }
      std::fill(running.begin(), running.end(), start);
      for (int64_t i = 0; i < row_elements; i += shape.inner)
        for (int64_t k = 0; k < shape.inner; ++k) {
          auto& value = running[size_t(k)];
          value = combine(value, in[o * row_elements + i + k]);
          out[o * row_elements + i + k] = T(value);
        }
    }
  });
}

template <class Combine>
void scan(const Op& op, const Value* args, Value* results, int start, Combine combine) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  const Tensor in = contiguous_as(self, result.dtype());
  Tensor out = result.is_contiguous() ? result : Tensor::empty(result.sizes(), result.dtype());
  const RowShape shape =
      row_shape(self.sizes(), self.dim() == 0 ? 0 : wrap_dim(args[1].integer(), self.dim()));
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    scan_rows(in.data_as<T>(), out.data_as<T>(), shape, typename ScanType<T>::type(start), combine);
  });
  if (!(out == result)) copy_elements(out, result);
  results[0] = std::move(result);
}

}  // namespace

void cumsum_kernel(const Op& op, const Value* args, Value* results) {
  scan(op, args, results, 0, [](auto sum, auto x) { return sum + static_cast<decltype(sum)>(x); });
}
void cumprod_kernel(const Op& op, const Value* args, Value* results) {
  scan(op, args, results, 1,
       [](auto product, auto x) { return product * static_cast<decltype(product)>(x); });
}

}  // namespace framejit::eager
