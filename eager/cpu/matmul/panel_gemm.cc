#include "eager/cpu/matmul/panel_gemm.h"

#include <algorithm>
#include <utility>

#include "eager/cpu/matmul/bfloat_panels.h"
#include "eager/cpu/matmul/packed_matrix.h"
#include "eager/cpu/matmul/panels.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kShortest = 48;  ///< of the sides of a product that is worth packing
constexpr int64_t kShortestOfBFloats = 16;
constexpr int64_t kSmall = 64;  ///< the longest side of one that is too small for Eigen's blocking

template <class T>
void multiply_panels(const GemmCall& call, bool parallel) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  ScratchScope scope;
  const Packed<T> a(static_cast<const T*>(call.a.data), call.a.stride, call.a.transposed, call.m, call.k,
                    kernels.rows);
  const Packed<T> b(static_cast<const T*>(call.b.data), call.b.stride, !call.b.transposed, call.n, call.k,
                    kernels.columns);
  multiply_packed(a, b, parallel, [&](int64_t i, int64_t j) { multiply_block(call, a, b, i, j); });
}

/// Without packing but for what is needed to have whole vectors of columns.
template <class T>
void multiply_small(const GemmCall& call) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  ScratchScope scope;
  Scratch& scratch = Scratch::of_thread();
  const int64_t columns = (call.n + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  const T* b = static_cast<const T*>(call.b.data);
  int64_t b_stride = call.b.stride;
  if (call.b.transposed || columns != call.n) {
    T* packed = scratch.take_array<T>(call.k * columns);
    kernels.pack_matrix(b, b_stride, !call.b.transposed, call.n, call.k, columns, packed);
    b = packed, b_stride = columns;
  }
  T* result = static_cast<T*>(call.c);
  T* to = columns == call.n ? result : scratch.take_array<T>(call.m * columns);
  const int64_t c_stride = columns == call.n ? call.c_stride : columns;
  const auto [a_row, a_term] = call.a.transposed ? std::pair<int64_t, int64_t>(1, call.a.stride)
                                                 : std::pair<int64_t, int64_t>(call.a.stride, 1);
  kernels.multiply_small(call.m, columns, call.k, static_cast<const T*>(call.a.data), a_row, a_term, b,
                         b_stride, to, c_stride);
  for (int64_t r = 0; to != result && r < call.m; ++r)
    std::copy_n(to + r * c_stride, call.n, result + r * call.c_stride);
}

/// Of two contiguous vectors. Blocks of it are added in double precision.
template <class T>
void multiply_vectors(const GemmCall& call) {
  constexpr int64_t kBlock = 4096;
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const T *a = static_cast<const T*>(call.a.data), *b = static_cast<const T*>(call.b.data);
  double total = 0;
  for (int64_t begin = 0; begin < call.k; begin += kBlock) {
    const int64_t count = std::min(kBlock, call.k - begin), whole = count / kernels.lanes * kernels.lanes;
    T sum = 0;
    kernels.dot(1, 1, whole, a + begin, b + begin, 0, &sum, 1);
    for (int64_t i = begin + whole; i < begin + count; ++i) sum += a[i] * b[i];
    total += double(sum);
  }
  *static_cast<T*>(call.c) = T(total);
}

template <class T>
void multiply(GemmWay way, const GemmCall& call, bool parallel) {
  if (way == GemmWay::panels) return multiply_panels<T>(call, parallel);
  way == GemmWay::small ? multiply_small<T>(call) : multiply_vectors<T>(call);
}

}  // namespace

bool multiplies_bfloats(int64_t m, int64_t n, int64_t k) {
  return std::min({m, n, k}) >= kShortestOfBFloats && bfloat_panels();
}

GemmWay gemm_way(const GemmCall& call, DType dtype) {
  if (dtype == DType::bfloat16) return GemmWay::bfloats;
  if (dtype != DType::float32 && dtype != DType::float64) return GemmWay::eigen;
  if (std::min({call.m, call.n, call.k}) >= kShortest) return GemmWay::panels;
  if (call.m == 1 && call.n == 1 && !call.a.transposed && (call.b.transposed || call.b.stride == 1))
    return GemmWay::dot;
  return std::max({call.m, call.n, call.k}) <= kSmall ? GemmWay::small : GemmWay::eigen;
}

void multiply_floats(GemmWay way, const GemmCall& call, DType dtype, bool parallel) {
  if (way == GemmWay::bfloats) return multiply_bfloats(call, parallel);
  dtype == DType::float64 ? multiply<double>(way, call, parallel) : multiply<float>(way, call, parallel);
}

}  // namespace framejit::eager::cpu
