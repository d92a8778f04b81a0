// Kernels and shape rules of mm and bmm.
#include "eager/cpu/matmul/gemm.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/matmul/panels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

void check_dtypes(const Op& op, const TensorMeta& a, const TensorMeta& b) {
  FRAMEJIT_CHECK(a.dtype == b.dtype, op.schema.name,
                 "(): expected m1 and m2 to have the same dtype, but got: ", dtype_name(a.dtype),
                 " != ", dtype_name(b.dtype));
  FRAMEJIT_CHECK_TYPE(a.dtype != DType::bool_, not_implemented, "\"", op.schema.name,
                      "\" not implemented for 'bool' on cpu; try .to(float32) first");
}

Tensor matrix_of(const Tensor& batch, int64_t index) {
  const Dims &sizes = batch.sizes(), &strides = batch.strides();
  return reshaped_view(batch, {sizes[1], sizes[2]}, {strides[1], strides[2]}, index * strides[0]);
}

/// Whether there are instructions for these, of bfloat16 and large enough.
bool are_bfloats(const Tensor& a, const Tensor& b) {
  const int rank = a.dim();
  return a.dtype() == DType::bfloat16 &&
         multiplies_bfloats(a.sizes()[rank - 2], b.sizes()[rank - 1], a.sizes()[rank - 1]);
}

constexpr int64_t kFewElements = 2048;

/// The product of small contiguous matrices of halves, by way of scratch memory: tensors would cost more than the
/// product. False, and nothing done, for others.
bool multiply_few_halves(const Tensor& a, const Tensor& b, const Tensor& result) {
  const DType half = result.dtype();
  const int64_t m = a.sizes()[0], k = a.sizes()[1], n = b.sizes()[1];
  if ((half != DType::float16 && half != DType::bfloat16) || m * k + k * n + m * n > kFewElements ||
      m * k * n == 0)
    return false;
  if (!a.is_contiguous() || !b.is_contiguous()) return false;
  const auto &from_half = loop_kernels().cast[size_t(half)][size_t(DType::float32)],
             &to_half = loop_kernels().cast[size_t(DType::float32)][size_t(half)];
  ScratchScope scope;
  const auto take = [](int64_t count) { return Scratch::of_thread().take_array<float>(count); };
  float *left = take(m * k), *right = take(k * n), *product = take(m * n);
  from_half(a.data(), 1, left, m * k);
  from_half(b.data(), 1, right, k * n);
  run_gemm_call({m, n, k, {left, k, false}, {right, n, false}, product, n}, DType::float32);
  to_half(product, 1, result.data(), m * n);
  return true;
}

/// With the last two dims exchanged.
Tensor turned(const Tensor& matrices) {
  Dims sizes = matrices.sizes(), strides = matrices.strides();
  const int last = matrices.dim() - 1;
  std::swap(sizes[last - 1], sizes[last]), std::swap(strides[last - 1], strides[last]);
  return reshaped_view(matrices, sizes, strides);
}

/// Matrices in a wider dtype; those that lie column by column stay so, which is how a layer's weights lie.
Tensor widened(const Tensor& matrices, DType dtype) {
  const Tensor columns = turned(matrices);
  return columns.is_contiguous() ? turned(contiguous_as(columns, dtype)) : contiguous_as(matrices, dtype);
}

constexpr int64_t kFewRows = 48;

/// The product, in float32, of a few rows and columns that lie as rows, both of halves: the columns are read once, and a
/// few at a time are converted. False, and nothing done, for others.
bool multiply_few_rows(const Tensor& a, const Tensor& b, const Tensor& sum) {
  const int64_t m = a.sizes()[0], k = a.sizes()[1], n = b.sizes()[1], b_stride = b.strides()[1];
  if (a.dim() != 2 || m * k * n == 0 || m >= kFewRows || b.strides()[0] != 1 || b_stride < k) return false;
  if (a.dtype() != DType::float16 && a.dtype() != DType::bfloat16) return false;
  constexpr int64_t kTerms = 4096, kConverted = 1 << 13, kPieceWork = 1 << 17;
  const CastFn from_half = loop_kernels().cast[size_t(a.dtype())][size_t(DType::float32)];
  const PanelKernels<float>& kernels = panel_kernels<float>();
  const int64_t stride = (k + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  const Tensor rows = contiguous(a);
  ScratchScope scope;
  const auto take = [&](int64_t count) {
    float* taken = Scratch::of_thread().take_array<float>(count * stride);
    for (int64_t r = 0; r < count; ++r) std::fill(taken + r * stride + k, taken + (r + 1) * stride, 0.0F);
    return taken;
  };
  float* left = take(m);
  for (int64_t r = 0; r < m; ++r) from_half(rows.data_as<uint16_t>() + r * k, 1, left + r * stride, k);
  const int64_t most = std::max<int64_t>(4, kConverted / stride);
  parallel_for(n, std::max<int64_t>(most, kPieceWork / (m * k)), [&](int64_t begin, int64_t end) {
    ScratchScope piece_scope;
    float* right = take(most);
    for (int64_t first = begin; first < end; first += most) {
      const int64_t count = std::min(most, end - first);
      for (int64_t c = 0; c < count; ++c)
        from_half(b.data_as<uint16_t>() + (first + c) * b_stride, 1, right + c * stride, k);
      float* to = sum.data_as<float>() + first;
      for (int64_t r = 0; r < m; ++r) std::fill_n(to + r * n, count, 0.0F);
      for (int64_t l = 0; l < stride; l += kTerms)
        kernels.dot(m, count, std::min(kTerms, stride - l), left + l, right + l, stride, to, n);
    }
  });
  return true;
}

/// The product of matrices of halves in float32.
void multiply_halves(const Tensor& a, const Tensor& b, const Tensor& sum) {
  if (are_bfloats(a, b)) return run_bfloat_gemm(a, b, sum);
  if (!multiply_few_rows(a, b, sum)) run_gemm(widened(a, DType::float32), widened(b, DType::float32), sum);
}

/// `multiply(a, b, result)` in the dtype that products are computed in; a narrower result is rounded once.
template <class Multiply>
void multiply_widened(const Tensor& a, const Tensor& b, const Tensor& result, Multiply multiply) {
  const DType dtype = are_bfloats(a, b) ? DType::bfloat16 : gemm_dtype(result.dtype());
  if (dtype == result.dtype()) return multiply(a, b, result);
  const Tensor wide = Tensor::empty(result.sizes(), dtype);
  multiply(widened(a, dtype), widened(b, dtype), wide);
  copy_elements(wide, result);
}

/// A batch smaller than the number of threads leaves these to its products.
void run_bmm(const Tensor& a, const Tensor& b, const Tensor& result) {
  if (result.sizes()[0] >= num_threads()) return run_gemm_batch(a, b, result);
  for (int64_t i = 0; i < result.sizes()[0]; ++i)
    run_gemm(matrix_of(a, i), matrix_of(b, i), matrix_of(result, i));
}

}  // namespace

void meta_mm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &a = args[0].impl()->meta, &b = args[1].impl()->meta;
  FRAMEJIT_CHECK(a.sizes.size() == 2, "self must be a matrix");
  FRAMEJIT_CHECK(b.sizes.size() == 2, "mat2 must be a matrix");
  FRAMEJIT_CHECK(a.sizes.sym(1) == b.sizes.sym(0), "mat1 and mat2 shapes cannot be multiplied (",
                 a.sizes.sym(0).str(), "x", a.sizes.sym(1).str(), " and ", b.sizes.sym(0).str(), "x",
                 b.sizes.sym(1).str(), ")");
  check_dtypes(op, a, b);
  results.push_back(contiguous_meta({a.sizes[0], b.sizes[1]}, a.dtype, a.device));
}

void mm_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor a = args[0].tensor(), b = args[1].tensor();
  const bool of_halves = a.dtype() == DType::float16 || a.dtype() == DType::bfloat16;
  if (of_halves && !are_bfloats(a, b)) {
    if (!multiply_few_halves(a, b, result)) {
      const Tensor sum = Tensor::empty(result.sizes(), DType::float32);
      multiply_halves(a, b, sum);
      copy_elements(sum, result);
    }
  } else {
    multiply_widened(a, b, result, run_gemm);
  }
  results[0] = std::move(result);
}

/// args: self, mat1, mat2, beta, alpha.
void meta_addmm_of_halves(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  meta_mm(op, args + 1, results);
}

namespace {

/// sum = alpha * sum + beta * added, where `added` may have one row or one column for all.
void add_scaled(const Tensor& sum, float alpha, const Tensor& added, float beta) {
  const RowOps<float>& ops = RowOps<float>::get();
  const int64_t rows = sum.sizes()[0], columns = sum.sizes()[1], rank = added.dim();
  const bool wide = rank > 0 && added.sizes()[int(rank) - 1] == columns,
             high = rank == 2 && added.sizes()[0] == rows;
  const int64_t width = wide ? columns : 1;
  parallel_for(rows, std::max<int64_t>(1, 16384 / columns), [&](int64_t begin, int64_t end) {
    ScratchScope scope;
    float* scaled = Scratch::of_thread().take_array<float>(width);
    for (int64_t r = begin; r < end; ++r) {
      float* row = sum.data_as<float>() + r * columns;
      if (alpha != 1) ops.multiply(row, alpha, columns, row);
      ops.multiply(added.data_as<float>() + (high ? r * width : 0), beta, width, scaled);
      wide ? ops.add(row, scaled, columns, row) : ops.add(row, *scaled, columns, row);
    }
  });
}

}  // namespace

void addmm_of_halves_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor a = args[1].tensor(), b = args[2].tensor(),
               sum = Tensor::empty(result.sizes(), DType::float32);
  multiply_halves(a, b, sum);
  if (!(sum.numel() == 0))
    add_scaled(sum, float(args[4].real()), contiguous_as(args[0].tensor(), DType::float32),
               float(args[3].real()));
  copy_elements(sum, result);
  results[0] = std::move(result);
}

void meta_bmm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &a = args[0].impl()->meta, &b = args[1].impl()->meta;
  FRAMEJIT_CHECK(a.sizes.size() == 3, "batch1 must be a 3D tensor");
  FRAMEJIT_CHECK(b.sizes.size() == 3, "batch2 must be a 3D tensor");
  FRAMEJIT_CHECK(a.sizes.sym(0) == b.sizes.sym(0) && a.sizes.sym(2) == b.sizes.sym(1),
                 "Expected size for first two dimensions of batch2 tensor to be: [", a.sizes.sym(0).str(),
                 ", ", a.sizes.sym(2).str(), "] but got: [", b.sizes.sym(0).str(), ", ", b.sizes.sym(1).str(),
                 "].");
  check_dtypes(op, a, b);
  results.push_back(contiguous_meta({a.sizes[0], a.sizes[1], b.sizes[2]}, a.dtype, a.device));
}

void bmm_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  multiply_widened(args[0].tensor(), args[1].tensor(), result, run_bmm);
  results[0] = std::move(result);
}

/// args: self, batch1, batch2, beta, alpha; self has the sizes of the result.
void meta_baddbmm_of_halves(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  meta_bmm(op, args + 1, results);
  FRAMEJIT_CHECK(args[0].impl()->meta.sizes == results[0].sizes, op.schema.name,
                 ": self must have the sizes of the products");
}

void baddbmm_of_halves_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor a = args[1].tensor(), b = args[2].tensor(),
               sum = Tensor::empty(result.sizes(), DType::float32);
  if (are_bfloats(a, b))
    for (int64_t i = 0; i < a.sizes()[0]; ++i)
      run_bfloat_gemm(matrix_of(a, i), matrix_of(b, i), matrix_of(sum, i));
  else
    run_bmm(widened(a, DType::float32), widened(b, DType::float32), sum);
  if (!(sum.numel() == 0)) {
    const Dims sizes{sum.sizes()[0] * sum.sizes()[1], sum.sizes()[2]};
    const auto rows = [&](const Tensor& batch) { return reshaped_view(batch, sizes, {sizes[1], 1}); };
    add_scaled(rows(sum), float(args[4].real()), rows(contiguous_as(args[0].tensor(), DType::float32)),
               float(args[3].real()));
  }
  copy_elements(sum, result);
  results[0] = std::move(result);
}

}  // namespace framejit::eager
