// Kernels of the Fourier transforms: every line of a contiguous tensor along one dim after the other, in
// parallel.
#include <cmath>

#include "eager/cpu/fft/plan.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kElementsPerPiece = 1 << 13;

/// 1, 1 / sqrt(count) or 1 / count.
double scale_of(int64_t normalization, int64_t count) {
  if (normalization == 0) return 1;
  return normalization == 1 ? 1 / std::sqrt(double(count)) : 1 / double(count);
}

/// Calls `transform(line)` for the lines along `dim`, numbered by their outer and inner index.
template <class F>
void for_each_line(const RowShape& shape, F make_transform) {
  const int64_t grain = std::max<int64_t>(1, kElementsPerPiece / std::max<int64_t>(1, shape.length));
  parallel_for(shape.outer * shape.inner, grain, [&](int64_t begin, int64_t end) {
    auto transform = make_transform();
    for (int64_t r = begin; r < end; ++r) transform(r / shape.inner, r % shape.inner);
  });
}

/// In place, unscaled.
template <class T>
void transform_lines(const Tensor& tensor, int dim, bool forward) {
  const RowShape shape = row_shape(tensor.sizes(), dim);
  const auto plan = plan_for<T>(shape.length);
  auto* data = tensor.data_as<std::complex<T>>();
  for_each_line(shape, [&] {
    return [&, line = std::vector<std::complex<T>>(size_t(shape.length)),
            scratch = std::vector<std::complex<T>>(size_t(plan->scratch_size()))](int64_t outer,
                                                                                  int64_t inner) mutable {
      std::complex<T>* start = data + outer * shape.length * shape.inner + inner;
      for (int64_t i = 0; i < shape.length; ++i) line[size_t(i)] = start[i * shape.inner];
      forward ? plan->forward(line.data(), scratch.data()) : plan->backward(line.data(), scratch.data());
      for (int64_t i = 0; i < shape.length; ++i) start[i * shape.inner] = line[size_t(i)];
    };
  });
}

template <class T>
void scale(const Tensor& tensor, double factor) {
  if (factor == 1) return;
  T* data = tensor.data_as<T>();
  const int64_t count = tensor.numel().expect() * (is_complex(tensor.dtype()) ? 2 : 1);
  for (int64_t i = 0; i < count; ++i) data[i] *= T(factor);
}

/// Transforms of real lines. Those of even length n are taken for complex ones of length n / 2, with
/// even elements as real parts, and what belongs to even and odd elements is separated afterwards.
template <class T>
class RealTransform {
 public:
  using Complex = std::complex<T>;
  explicit RealTransform(int64_t n)
      : n_(n), half_(n % 2 == 0 ? n / 2 : 0), plan_(plan_for<T>(half_ > 0 ? half_ : n)) {
    if (half_ > 0) roots_ = plan_for<T>(n);
    line_.resize(size_t(plan_->size() + 1));
    scratch_.resize(size_t(plan_->scratch_size()));
  }

  /// The first n / 2 + 1 elements of the transform; the others are their conjugates.
  void forward(const T* from, int64_t from_stride, Complex* to, int64_t to_stride) {
    if (half_ == 0) {
      for (int64_t i = 0; i < n_; ++i) line_[size_t(i)] = from[i * from_stride];
      plan_->forward(line_.data(), scratch_.data());
      for (int64_t k = 0; k <= n_ / 2; ++k) to[k * to_stride] = line_[size_t(k)];
      return;
    }
    for (int64_t i = 0; i < half_; ++i)
      line_[size_t(i)] = {from[2 * i * from_stride], from[(2 * i + 1) * from_stride]};
    plan_->forward(line_.data(), scratch_.data());
    line_[size_t(half_)] = line_[0];
    for (int64_t k = 0; k <= half_; ++k) {
      const Complex a = line_[size_t(k)], b = std::conj(line_[size_t(half_ - k)]);
      const Complex even = (a + b) * T(0.5), odd = turn(k, (a - b) * T(0.5));
      to[k * to_stride] = {even.real() + odd.imag(), even.imag() - odd.real()};  // even - i odd
    }
  }

  /// n times the inverse. Imaginary parts that a real line cannot have are not read.
  void backward(const Complex* from, int64_t from_stride, T* to, int64_t to_stride) {
    auto at = [&](int64_t k) {
      const Complex x = from[k * from_stride];
      return k == 0 || 2 * k == n_ ? Complex(x.real()) : x;
    };
    if (half_ == 0) {
      for (int64_t k = 0; k < n_; ++k) line_[size_t(k)] = k <= n_ / 2 ? at(k) : std::conj(at(n_ - k));
      plan_->backward(line_.data(), scratch_.data());
      for (int64_t i = 0; i < n_; ++i) to[i * to_stride] = line_[size_t(i)].real();
      return;
    }
    for (int64_t k = 0; k < half_; ++k) {
      const Complex a = at(k), b = std::conj(at(half_ - k));
      const Complex odd = turn_back(k, a - b);
      line_[size_t(k)] = {a.real() + b.real() - odd.imag(), a.imag() + b.imag() + odd.real()};
    }
    plan_->backward(line_.data(), scratch_.data());
    for (int64_t i = 0; i < half_; ++i) {
      to[2 * i * to_stride] = line_[size_t(i)].real();
      to[(2 * i + 1) * to_stride] = line_[size_t(i)].imag();
    }
  }

 private:
  Complex turn(int64_t k, Complex x) const {
    const Complex w = k == half_ ? Complex(-1) : roots_->roots()[size_t(k)];
    return {w.real() * x.real() - w.imag() * x.imag(), w.real() * x.imag() + w.imag() * x.real()};
  }
  Complex turn_back(int64_t k, Complex x) const { return std::conj(turn(k, std::conj(x))); }

  int64_t n_, half_;
  std::shared_ptr<const Plan<T>> plan_, roots_;
  std::vector<Complex> line_, scratch_;
};

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

/// A copy that may be written.
Tensor cloned_contiguous(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.sizes(), tensor.dtype(), tensor.device());
  copy_elements(tensor, copy);
  return copy;
}

int64_t count_along(const Dims& sizes, const std::vector<int>& dims) {
  int64_t count = 1;
  for (int dim : dims) count *= sizes[dim];
  return count;
}

}  // namespace

/// args: self, dim, normalization, forward.
void meta_fft_c2c(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(self.sizes, complex_type(self.dtype), self.device));
}
void fft_c2c_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  copy_elements(self, result);
  const std::vector<int> dims = wrapped_dims(args[1], self.dim());
  if (!(result.numel() == 0))
    for_parts(result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (int dim : dims) transform_lines<T>(result, dim, args[3].boolean());
      scale<T>(result, scale_of(args[2].integer(), count_along(self.sizes(), dims)));
    });
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
  const RowShape shape = row_shape(self.sizes(), last);
  const int64_t out_length = result.sizes()[last];
  if (!(result.numel() == 0))
    for_parts(result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* from = self.data_as<T>();
      auto* to = result.data_as<std::complex<T>>();
      for_each_line(shape, [&] {
        return [&, transform = RealTransform<T>(shape.length)](int64_t outer, int64_t inner) mutable {
          transform.forward(from + outer * shape.length * shape.inner + inner, shape.inner,
                            to + outer * out_length * shape.inner + inner, shape.inner);
        };
      });
      for (int dim : dims) transform_lines<T>(result, dim, /*forward=*/true);
      scale<T>(result, factor);
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
  Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  std::vector<int> dims = wrapped_dims(args[1], self.dim());
  const double factor = scale_of(args[2].integer(), count_along(result.sizes(), dims));
  const int last = dims.back();
  dims.pop_back();
  self = dims.empty() ? contiguous(self) : cloned_contiguous(self);
  const RowShape shape = row_shape(result.sizes(), last);
  const int64_t in_length = self.sizes()[last];
  if (!(result.numel() == 0))
    for_parts(result.dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (int dim : dims) transform_lines<T>(self, dim, /*forward=*/false);
      const auto* from = self.data_as<std::complex<T>>();
      T* to = result.data_as<T>();
      for_each_line(shape, [&] {
        return [&, transform = RealTransform<T>(shape.length)](int64_t outer, int64_t inner) mutable {
          transform.backward(from + outer * in_length * shape.inner + inner, shape.inner,
                             to + outer * shape.length * shape.inner + inner, shape.inner);
        };
      });
      scale<T>(result, factor);
    });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
