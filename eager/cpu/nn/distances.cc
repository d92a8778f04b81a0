#include "eager/cpu/nn/distances.h"

#include <algorithm>
#include <cmath>

#include "eager/cpu/float_type.h"
#include "eager/cpu/isa.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::DistanceRows<float>, distance_rows_float,
                       template <> const DistanceRows<float>& distance_rows<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::DistanceRows<double>, distance_rows_double,
                       template <> const DistanceRows<double>& distance_rows<double>())

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kPiece = 16 * 1024;  ///< differences worth a thread

DistanceKind kind_of(double p) {
  return p == 0   ? DistanceKind::count
         : p == 1 ? DistanceKind::sum
         : p == 2 ? DistanceKind::euclidean
                  : DistanceKind::largest;
}

/// The last two dims of a contiguous copy change places.
Tensor columns_first(const Tensor& self) {
  const int rank = self.dim();
  Dims sizes = self.sizes(), strides = self.strides();
  std::swap(sizes[rank - 2], sizes[rank - 1]);
  std::swap(strides[rank - 2], strides[rank - 1]);
  return contiguous(reshaped_view(self, sizes, strides));
}

/// Calls `f(batch, row)` for all rows of self (B, P, M), which have something to do with `others` rows each.
template <class F>
void for_each_row(int64_t batch, int64_t rows, int64_t others, int64_t n, const F& f) {
  parallel_for(batch * rows, std::max<int64_t>(1, kPiece / std::max<int64_t>(1, others * n)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) f(r / rows, r % rows);
               });
}

void check_rows(const Op& op, const TensorMeta& self, const TensorMeta& other, int rank) {
  FRAMEJIT_CHECK(is_float_type(self.dtype) && other.dtype == self.dtype && self.sizes.size() == rank &&
                     other.sizes.size() == rank,
                 op.schema.name, ": got other arguments than rows of float32 or float64");
}

/// (R, R), symmetric and zero on the diagonal, of the pairs (0, 1), (0, 2), ..., (1, 2), ...
template <class T>
Tensor square(const Tensor& pairs, int64_t rows) {
  const Tensor result = Tensor::empty(Dims{rows, rows}, pairs.dtype());
  T* to = result.data_as<T>();
  const T* from = pairs.data_as<T>();
  for (int64_t i = 0; i < rows; ++i) {
    to[i * rows + i] = T(0);
    for (int64_t j = i + 1; j < rows; ++j) to[i * rows + j] = to[j * rows + i] = *from++;
  }
  return result;
}

}  // namespace

namespace cpu {

bool has_distance_kernel(double p) { return p == 0 || p == 1 || p == 2 || std::isinf(p); }

Tensor pairwise_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                               const Tensor& distances, double p) {
  const Tensor rows = contiguous(self), columns = columns_first(other), of = contiguous(distances),
               weights = contiguous(grad), result = Tensor::empty(self.sizes(), self.dtype());
  const int64_t batch = self.sizes()[0], count = self.sizes()[1], n = self.sizes()[2],
                others = other.sizes()[1];
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row(batch, count, others, n, [&](int64_t b, int64_t i) {
      const int64_t row = b * count + i;
      distance_rows<T>().gradients(
          kind_of(p), rows.data_as<T>() + row * n, n, columns.data_as<T>() + b * n * others, others, others,
          of.data_as<T>() + row * others, weights.data_as<T>() + row * others, result.data_as<T>() + row * n);
    });
  });
  return result;
}

Tensor condensed_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& distances, double p) {
  const int64_t rows = self.sizes()[0];
  const Dims sizes{1, rows, self.sizes()[1]};
  const auto as_batch = [](const Tensor& of, const Dims& shape) {
    return reshaped_view(of, shape, contiguous_strides(shape));
  };
  Tensor result;
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Tensor one = as_batch(contiguous(self), sizes);
    const Dims pairs{1, rows, rows};
    result = pairwise_norms_backward(as_batch(square<T>(contiguous(grad), rows), pairs), one, one,
                                     as_batch(square<T>(contiguous(distances), rows), pairs), p);
  });
  return as_batch(result, self.sizes());
}

}  // namespace cpu

/// args: self, other, p.
void meta_pairwise_norms(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &other = args[1].impl()->meta;
  check_rows(op, self, other, 3);
  results.push_back(
      contiguous_meta(Dims{self.sizes[0], self.sizes[1], other.sizes[1]}, self.dtype, self.device));
}

void pairwise_norms_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor result = allocate_result(op, args);
  const Tensor self = contiguous(args[0].tensor()), columns = columns_first(args[1].tensor());
  const DistanceKind kind = kind_of(args[2].real());
  const int64_t batch = self.sizes()[0], rows = self.sizes()[1], n = self.sizes()[2],
                others = result.sizes()[2];
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row(batch, rows, others, n, [&](int64_t b, int64_t i) {
      const int64_t row = b * rows + i;
      distance_rows<T>().distances(kind, self.data_as<T>() + row * n, n,
                                   columns.data_as<T>() + b * n * others, others, others,
                                   result.data_as<T>() + row * others);
    });
  });
  results[0] = result;
}

/// args: self, p.
void meta_condensed_norms(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  check_rows(op, self, self, 2);
  const SymInt rows = self.sizes.sym(0);
  results.push_back(
      contiguous_meta(Dims{floor_div(rows * (rows - 1), SymInt(2)).bits()}, self.dtype, self.device));
}

void condensed_norms_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor result = allocate_result(op, args);
  const Tensor self = contiguous(args[0].tensor()), columns = columns_first(self);
  const DistanceKind kind = kind_of(args[1].real());
  const int64_t rows = self.sizes()[0], n = self.sizes()[1];
  for_float_type(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row(1, rows, rows / 2, n, [&](int64_t, int64_t i) {
      distance_rows<T>().distances(kind, self.data_as<T>() + i * n, n, columns.data_as<T>() + i + 1, rows,
                                   rows - i - 1, result.data_as<T>() + i * rows - i * (i + 1) / 2);
    });
  });
  results[0] = result;
}

}  // namespace framejit::eager
