// Kernels and shape rules of the Fourier transforms: one dim after the other.
#include <cmath>

#include "eager/cpu/fft/lines.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// 1, 1 / sqrt(count) or 1 / count.
double scale_of(int64_t normalization, int64_t count) {
  if (normalization == 0) return 1;
  return normalization == 1 ? 1 / std::sqrt(double(count)) : 1 / double(count);
}

/// Calls `f(T())` with the C++ type of the parts of complex, or of real numbers.
template <class F>
void for_parts(DType dtype, F f) {
  if (real_type(dtype) == DType::float64) return f(double());
  FRAMEJIT_CHECK(real_type(dtype) == DType::float32, "fft: got dtype ", dtype_name(dtype),
                 ", expected float32, float64, complex64 or complex128");
  f(float());
}

std::vector<int> wrapped_dims(const Value& dims, int rank) {
  std::vector<int> wrapped;
  for (int64_t dim : dims.dims()) wrapped.push_back(wrap_dim(dim, rank));
  return wrapped;
}

int64_t count_along(const Dims& sizes, const std::vector<int>& dims) {
  int64_t count = 1;
  for (int dim : dims) count *= sizes[dim];
  return count;
}

/// Along all of `dims`, the first time from `from` and then in place; by `factor` once.
template <class T>
void transform_dims(const Tensor& from, const Tensor& to, const std::vector<int>& dims, bool forward,
                    T factor) {
  const auto* source = from.data_as<std::complex<T>>();
  auto* target = to.data_as<std::complex<T>>();
  for (int dim : dims) {
    transform_lines(row_shape(to.sizes(), dim), source, target, forward, factor);
    source = target;
    factor = 1;
  }
}

}  // namespace

/// args: self, dim, normalization, forward.
void meta_fft_c2c(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(self.sizes, complex_type(self.dtype), self.device));
}
void fft_c2c_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor self = contiguous_as(args[0].tensor(), result.dtype());
  const std::vector<int> dims = wrapped_dims(args[1], self.dim());
  if (dims.empty()) {
    copy_elements(self, result);
  } else if (!(result.numel() == 0)) {
    for_parts(result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const double factor = scale_of(args[2].integer(), count_along(self.sizes(), dims));
      transform_dims(self, result, dims, args[3].boolean(), T(factor));
    });
  }
  results[0] = std::move(result);
}

/// args: self, dim (the last one is the one that is halved), normalization.
void meta_fft_r2c(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  Dims sizes = self.sizes;
  const int last = wrap_dim(args[1].dims().back(), sizes.size());
  sizes[last] = (floor_div(sizes.sym(last), 2) + 1).bits();
  results.push_back(contiguous_meta(sizes, complex_type(self.dtype), self.device));
}
void fft_r2c_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  std::vector<int> dims = wrapped_dims(args[1], self.dim());
  const double factor = scale_of(args[2].integer(), count_along(self.sizes(), dims));
  const int last = dims.back();
  dims.pop_back();
  if (!(result.numel() == 0))
    for_parts(result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      transform_real_lines(row_shape(self.sizes(), last), self.data_as<T>(),
                           result.data_as<std::complex<T>>(), T(factor));
      transform_dims(result, result, dims, /*forward=*/true, T(1));
    });
  results[0] = std::move(result);
}

/// args: self, dim (the last one is made real), normalization, size of that dim in the result.
void meta_fft_c2r(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  Dims sizes = self.sizes;
  sizes[wrap_dim(args[1].dims().back(), sizes.size())] = args[3].sym_int().bits();
  results.push_back(contiguous_meta(sizes, real_type(self.dtype), self.device));
}
void fft_c2r_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  std::vector<int> dims = wrapped_dims(args[1], self.dim());
  const double factor = scale_of(args[2].integer(), count_along(result.sizes(), dims));
  const int last = dims.back();
  dims.pop_back();
  if (!(result.numel() == 0))
    for_parts(result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const Tensor source = contiguous(self);
      const Tensor spectrum = dims.empty() ? source : Tensor::empty(source.sizes(), source.dtype());
      transform_dims(source, spectrum, dims, /*forward=*/false, T(1));
      restore_real_lines(row_shape(result.sizes(), last), spectrum.data_as<std::complex<T>>(),
                         result.data_as<T>(), T(factor));
    });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
