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

constexpr int64_t kShortest = 48, kFewestTerms = 16;  ///< of the sides of a product that is worth packing
constexpr int64_t kShortestOfBFloats = 16, kFewestRowsOfBFloats = 8, kWorkOfBFloats = 1 << 14;
constexpr int64_t kFewestColumns = 8;  ///< of integers that are worth vectors
constexpr int64_t kSmall = 64;         ///< the longest side of one that is too small for Eigen's blocking

// A right matrix of complex numbers is expanded where that is little work beside the product.
constexpr int64_t kWorthExpanding = 64, kFewRows = 4;

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

/// Of a few rows and columns that lie as rows, like those of a layer's weight: where each is read once or twice,
/// packing would cost more than the product. Blocks of terms are added up one after the other.
template <class T>
void multiply_rows(const GemmCall& call, bool parallel) {
  constexpr int64_t kBlock = 4096, kPieceWork = 1 << 17;
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const T *a = static_cast<const T*>(call.a.data), *b = static_cast<const T*>(call.b.data);
  const auto run = [&](int64_t begin, int64_t end) {
    T* c = static_cast<T*>(call.c) + begin;
    for (int64_t r = 0; r < call.m; ++r) std::fill_n(c + r * call.c_stride, end - begin, T(0));
    for (int64_t k = 0; k < call.k; k += kBlock)
      kernels.dot(call.m, end - begin, std::min(kBlock, call.k - k), a + k, b + begin * call.b.stride + k,
                  call.b.stride, c, call.c_stride);
  };
  if (!parallel) return run(0, call.n);
  parallel_for(call.n, std::max<int64_t>(1, kPieceWork / (call.m * call.k)), run);
}

/// Whether the product is one of those.
template <class T>
bool are_rows(const GemmCall& call) {
  return !call.a.transposed && call.b.transposed && (call.m == 1 || call.a.stride == call.b.stride) &&
         call.m < kShortest && call.k % panel_kernels<T>().lanes == 0;
}

/// Of two contiguous vectors of floats. Blocks of it are added in double precision.
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
  if (way == GemmWay::rows) return multiply_rows<T>(call, parallel);
  if (way == GemmWay::small) return multiply_small<T>(call);
  if constexpr (std::is_floating_point_v<T>) multiply_vectors<T>(call);
}

/// Of complex numbers as the product of twice as wide matrices of their parts: a row (re, im, ...) times rows
/// (re, im, ...) and (-im, re, ...) for each of the right matrix.
template <class T>
void multiply_complexes(const GemmCall& call, bool parallel) {
  ScratchScope scope;
  Tensor right_owner, left_owner;
  const int64_t width = 2 * call.n;
  const T* from = static_cast<const T*>(call.b.data);
  T* right = take_large<T>(4 * call.k * call.n, &right_owner);
  const auto expand = [&](int64_t k, int64_t j, const T* element) {
    T *to = right + 2 * k * width + 2 * j, *turned = to + width;
    to[0] = turned[1] = element[0];
    to[1] = element[1], turned[0] = -element[1];
  };
  if (call.b.transposed) {
    for (int64_t j = 0; j < call.n; ++j)
      for (int64_t k = 0; k < call.k; ++k) expand(k, j, from + 2 * (j * call.b.stride + k));
  } else {
    for (int64_t k = 0; k < call.k; ++k)
      for (int64_t j = 0; j < call.n; ++j) expand(k, j, from + 2 * (k * call.b.stride + j));
  }
  GemmOperand left{call.a.data, 2 * call.a.stride, false};
  if (call.a.transposed) {
    T* copy = take_large<T>(2 * call.m * call.k, &left_owner);
    const T* columns = static_cast<const T*>(call.a.data);
    for (int64_t i = 0; i < call.m; ++i)
      for (int64_t k = 0; k < call.k; ++k)
        std::copy_n(columns + 2 * (k * call.a.stride + i), 2, copy + 2 * (i * call.k + k));
    left = {copy, 2 * call.k, false};
  }
  const GemmCall parts{call.m, width, 2 * call.k, left, {right, width, false}, call.c, 2 * call.c_stride};
  const GemmWay way = gemm_way(parts, dtype_of<T>());
  way == GemmWay::eigen ? gemm_function(dtype_of<T>())(parts) : multiply<T>(way, parts, parallel);
}

}  // namespace

bool multiplies_bfloats(int64_t m, int64_t n, int64_t k) {
  return m >= kFewestRowsOfBFloats && std::min(n, k) >= kShortestOfBFloats && m * n * k >= kWorkOfBFloats &&
         bfloat_panels();
}

GemmWay gemm_way(const GemmCall& call, DType dtype) {
  if (dtype == DType::bfloat16) return GemmWay::bfloats;
  if (is_complex(dtype))
    return call.m * call.n * call.k >= kWorthExpanding && call.m >= kFewRows ? GemmWay::complexes
                                                                             : GemmWay::eigen;
  if (std::min(call.m, call.n) >= kShortest && call.k >= kFewestTerms) return GemmWay::panels;
  if (is_floating(dtype)) {
    if (call.m == 1 && call.n == 1 && !call.a.transposed && (call.b.transposed || call.b.stride == 1))
      return GemmWay::dot;
    if (dtype == DType::float64 ? are_rows<double>(call) : are_rows<float>(call)) return GemmWay::rows;
  } else if (call.n >= kFewestColumns) {
    return GemmWay::small;  // Eigen has no vectors of integers
  }
  return std::max({call.m, call.n, call.k}) <= kSmall ? GemmWay::small : GemmWay::eigen;
}

void multiply_without_eigen(GemmWay way, const GemmCall& call, DType dtype, bool parallel) {
  if (way == GemmWay::bfloats) return multiply_bfloats(call, parallel);
  if (dtype == DType::complex64) return multiply_complexes<float>(call, parallel);
  if (dtype == DType::complex128) return multiply_complexes<double>(call, parallel);
  if (dtype == DType::int32) return multiply<int32_t>(way, call, parallel);
  if (dtype == DType::int64) return multiply<int64_t>(way, call, parallel);
  dtype == DType::float64 ? multiply<double>(way, call, parallel) : multiply<float>(way, call, parallel);
}

}  // namespace framejit::eager::cpu
