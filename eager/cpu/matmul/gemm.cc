#include "eager/cpu/matmul/gemm.h"

#include <algorithm>

#include "eager/cpu/isa.h"
#include "eager/cpu/matmul/bfloat_panels.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/matmul/panel_gemm.h"
#include "eager/cpu/thread_pool.h"

#define FRAMEJIT_DECLARE_GEMM(isa)        \
  namespace framejit::eager::isa {        \
  cpu::GemmFn gemm_function(DType dtype); \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_GEMM)
#undef FRAMEJIT_DECLARE_GEMM

namespace framejit::eager::cpu {

namespace {

/// Multiplications below which one thread does it all.
constexpr int64_t kParallelWork = 1 << 18;
/// Multiplications of a batch that are worth a thread.
constexpr int64_t kPieceWork = 1 << 16;

/// Whether rows (or else columns) of the matrix are contiguous; a copy that is, where neither.
Tensor with_a_unit_stride(const Tensor& matrix) {
  const Dims &sizes = matrix.sizes(), &strides = matrix.strides();
  const bool rows = strides[1] == 1 && strides[0] >= sizes[1],
             columns = strides[0] == 1 && strides[1] >= sizes[0];
  return rows || columns ? matrix : contiguous_as(matrix, matrix.dtype());
}

GemmOperand operand_of(const Tensor& matrix) {
  const Dims &sizes = matrix.sizes(), &strides = matrix.strides();
  if (strides[1] == 1 && strides[0] >= sizes[1]) return {matrix.data(), strides[0], false};
  if (strides[0] == 1 && strides[1] >= sizes[0]) return {matrix.data(), strides[1], true};
  return {matrix.data(), sizes[1], false};  // contiguous, with strides of size-1 dims that mean nothing
}

const void* advance(const void* data, int64_t elements, DType dtype) {
  return static_cast<const char*>(data) + elements * int64_t(item_size(dtype));
}

/// Rows [begin, end) of the result, or columns where `by_columns`.
GemmCall part_of(GemmCall call, DType dtype, bool by_columns, int64_t begin, int64_t end) {
  GemmOperand& cut = by_columns ? call.b : call.a;
  const bool along_stride = by_columns ? cut.transposed : !cut.transposed;
  cut.data = advance(cut.data, begin * (along_stride ? cut.stride : 1), dtype);
  call.c = const_cast<void*>(advance(call.c, begin * (by_columns ? 1 : call.c_stride), dtype));
  (by_columns ? call.n : call.m) = end - begin;
  return call;
}

/// Makes the call and hands it to `run`; an empty sum is zero.
template <class Run>
void with_call(const Tensor& a, const Tensor& b, const Tensor& result, Run run) {
  const Tensor left = with_a_unit_stride(a), right = with_a_unit_stride(b);
  const int64_t m = a.sizes()[0], k = a.sizes()[1], n = b.sizes()[1];
  if (m == 0 || n == 0) return;
  if (k == 0) {
    const int64_t zero = 0;
    return fill_elements(result, &zero, DType::int64);
  }
  const int64_t c_stride = m == 1 ? n : result.strides()[0];
  run(GemmCall{m, n, k, operand_of(left), operand_of(right), result.data(), c_stride});
}

}  // namespace

GemmFn gemm_function(DType dtype) {
  switch (chosen_isa()) {
#define FRAMEJIT_GEMM(isa) \
  case Isa::isa:           \
    return isa::gemm_function(dtype);
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_GEMM)
#undef FRAMEJIT_GEMM
  }
  return nullptr;
}

DType gemm_dtype(DType dtype) {
  if (dtype == DType::uint8) return DType::int32;
  return is_complex(dtype) ? dtype : wider_type(dtype);
}

void run_gemm_call(const GemmCall& call, DType dtype) {
  const GemmWay way = gemm_way(call, dtype);
  way == GemmWay::eigen ? gemm_function(dtype)(call) : multiply_without_eigen(way, call, dtype, false);
}

namespace {

Tensor first_matrix(const Tensor& batch) {
  return reshaped_view(batch, Dims(batch.sizes().span().last(2)), Dims(batch.strides().span().last(2)));
}

/// A batch whose matrices have a unit stride.
Tensor batch_with_a_unit_stride(const Tensor& batch) {
  const Tensor first = first_matrix(batch);
  return with_a_unit_stride(first) == first ? batch : contiguous_as(batch, batch.dtype());
}

}  // namespace

void run_gemm_batch(const Tensor& a, const Tensor& b, const Tensor& result) {
  const Tensor left = batch_with_a_unit_stride(a), right = batch_with_a_unit_stride(b);
  const DType dtype = result.dtype();
  const int64_t count = result.sizes()[0];
  if (count == 0) return;
  if (a.sizes()[2] == 0) {
    const int64_t zero = 0;
    return fill_elements(result, &zero, DType::int64);
  }
  with_call(first_matrix(left), first_matrix(right), first_matrix(result), [&](const GemmCall& first) {
    const int64_t work = std::max<int64_t>(1, first.m * first.n * first.k);
    parallel_for(count, std::max<int64_t>(1, kPieceWork / work), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        GemmCall call = first;
        call.a.data = advance(first.a.data, i * left.strides()[0], dtype);
        call.b.data = advance(first.b.data, i * right.strides()[0], dtype);
        call.c = const_cast<void*>(advance(first.c, i * result.strides()[0], dtype));
        run_gemm_call(call, dtype);
      }
    });
  });
}

void run_bfloat_gemm(const Tensor& a, const Tensor& b, const Tensor& result) {
  with_call(a, b, result,
            [&](const GemmCall& call) { multiply_bfloats(call, /*parallel=*/true, /*rounds=*/false); });
}

void run_gemm(const Tensor& a, const Tensor& b, const Tensor& result) {
  with_call(a, b, result, [&](const GemmCall& call) {
    const GemmWay way = gemm_way(call, result.dtype());
    if (way != GemmWay::eigen) return multiply_without_eigen(way, call, result.dtype(), true);
    const GemmFn gemm = gemm_function(result.dtype());
    const bool by_columns = call.n > call.m;
    const int64_t length = by_columns ? call.n : call.m;
    const int64_t pieces = call.m * call.n * call.k < kParallelWork ? 1 : num_threads();
    const int64_t piece = (length + pieces - 1) / pieces;
    parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t from = i * piece, to = std::min(length, from + piece);
        if (from < to) gemm(part_of(call, result.dtype(), by_columns, from, to));
      }
    });
  });
}

}  // namespace framejit::eager::cpu
