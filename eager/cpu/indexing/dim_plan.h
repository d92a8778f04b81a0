// What gather, scatter and their relatives share: checks of index tensors, and where along a dim they point.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "eager/cpu/indexing/index_loops.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"
#include "eager/meta/overlap.h"

namespace framejit::eager::cpu {

inline void check_index_dtype(const Op& op, const TensorMeta& index) {
  FRAMEJIT_CHECK(index.dtype == DType::int64 || index.dtype == DType::int32 || numel(index.sizes) == 0,
                 op.schema.name, "(): Expected dtype int32/int64 for index, got ", dtype_name(index.dtype));
}

inline void check_same_dtype(const Op& op, const TensorMeta& self, const TensorMeta& src) {
  FRAMEJIT_CHECK(self.dtype == src.dtype, op.schema.name,
                 "(): Expected self.dtype to be equal to src.dtype, got ", dtype_name(self.dtype), " and ",
                 dtype_name(src.dtype));
}

/// The index tensor must fit into `other` in every dim but `dim` (in that too where `all_dims`).
inline void check_index_fits(const Op& op, const TensorMeta& index, const TensorMeta& other, int dim,
                             bool all_dims, const char* name) {
  const int rank = std::max(1, other.sizes.size());
  FRAMEJIT_CHECK(std::max(1, index.sizes.size()) == rank,
                 "Index tensor must have the same number of dimensions as ", name, " tensor, got shapes ",
                 sizes_text(index.sizes), " and ", sizes_text(other.sizes));
  for (int d = 0; d < index.sizes.size(); ++d)
    FRAMEJIT_CHECK((d == dim && !all_dims) ||
                       index.sizes.sym(d) <= (other.sizes.empty() ? SymInt(1) : other.sizes.sym(d)),
                   op.schema.name, "(): Expected index ", sizes_text(index.sizes), " to be no larger than ",
                   name, " ", sizes_text(other.sizes), " apart from dimension ", dim);
}

/// Elements of one tensor that an index tensor picks along a dim: element (i, j, k) of the index stands for
/// the element outer[i] + index * stride + inner[k] of the tensor.
struct DimPlan {
  std::vector<int64_t> outer, inner;
  int64_t length, size, stride;
  int dim;

  DimPlan(const Tensor& x, const Dims& index_sizes, int dim) : length(1), size(1), stride(1), dim(dim) {
    Dims sizes[2], strides[2];
    for (int d = 0; d < x.dim(); ++d) {
      if (d == dim) continue;
      sizes[d > dim].push_back(index_sizes[d]);
      strides[d > dim].push_back(x.strides()[d]);
    }
    outer = enumerate_offsets(sizes[0].span(), strides[0].span());
    inner = enumerate_offsets(sizes[1].span(), strides[1].span());
    if (x.dim() > 0) size = x.sizes()[dim], stride = x.strides()[dim];
    if (!index_sizes.empty()) length = index_sizes[dim];
  }

  int64_t row_elements() const { return length * int64_t(inner.size()); }

  /// Calls `f(offset in the tensor, position in the index tensor)`. Indices are checked shortly before they
  /// are used, while they are in the cache.
  template <class F>
  void for_each(const int64_t* index, int64_t begin, int64_t end, F f) const {
    if (row_elements() == 1) return for_each_single(index, begin, end, f);
    int64_t position = begin * row_elements();
    const int64_t steps = inner.size() == 1 ? kIndicesAtOnce : 1;
    for (int64_t o = begin; o < end; ++o)
      for (int64_t j = 0; j < length; j += steps) {
        const int64_t count = std::min(steps, length - j) * int64_t(inner.size());
        check(index + position, count);
        take(index + position, count, outer[size_t(o)],
             [f, position](int64_t offset, int64_t i) { f(offset, position + i); });
        position += count;
      }
  }

  /// The same for columns [first, last) of `inner`, where there is one row of them.
  template <class F>
  void for_each_column(const int64_t* index, int64_t first, int64_t last, F f) const {
    const int64_t columns = int64_t(inner.size());
    for (int64_t j = 0; j < length; ++j) {
      const int64_t* row = index + j * columns;
      check(row + first, last - first);
#pragma GCC unroll 4
      for (int64_t i = first; i < last; ++i)
        f(outer[0] + row[i] * stride + inner[size_t(i)], j * columns + i);
    }
  }

  /// RuntimeError for an index outside of the dim.
  void check(const int64_t* index, int64_t count) const {
    if (index_loops().all_within(index, count, 0, size)) return;
    for (int64_t i = 0; i < count; ++i)
      FRAMEJIT_CHECK(uint64_t(index[i]) < uint64_t(size), "index ", index[i],
                     " is out of bounds for dimension ", dim, " with size ", size);
  }

 private:
  /// One index a row: as many rows at once as indices elsewhere.
  template <class F>
  void for_each_single(const int64_t* index, int64_t begin, int64_t end, F f) const {
    for (int64_t at = begin; at < end; at += kIndicesAtOnce) {
      const int64_t last = std::min(end, at + kIndicesAtOnce);
      check(index + at, last - at);
      for (int64_t o = at; o < last; ++o) f(outer[size_t(o)] + index[o] * stride, o);
    }
  }
  template <class F>
  void take(const int64_t* index, int64_t count, int64_t base, F f) const {
    if (inner.size() != 1) {
#pragma GCC unroll 4
      for (int64_t i = 0; i < count; ++i) f(base + index[i] * stride + inner[size_t(i)], i);
    } else if (stride == 1) {
#pragma GCC unroll 4
      for (int64_t i = 0; i < count; ++i) f(base + index[i], i);
    } else {
#pragma GCC unroll 4
      for (int64_t i = 0; i < count; ++i) f(base + index[i] * stride, i);
    }
  }
};

inline int dim_argument(const Value* args, int rank) {
  return rank == 0 ? (wrap_dim(args[1].integer(), 0), 0) : wrap_dim(args[1].integer(), rank);
}

/// `tensor`, or a copy of it where it lies in the memory of `written`.
inline Tensor apart(const Tensor& tensor, const Tensor& written) {
  return tensor->storage == written->storage ? cloned(tensor) : tensor;
}
/// `src` cut to the sizes of the index, apart from what is written.
inline Tensor leading_part(const Tensor& src, const Dims& sizes, const Tensor& written) {
  return apart(contiguous(reshaped_view(src, sizes, src.strides())), written);
}

/// What a kernel that is also that of the in-place row writes into: self itself there, else a copy of it.
inline Tensor written_self(const Op& op, const Tensor& self) {
  if (op.kind != OpKind::inplace) return cloned(self);
  check_writable(op, self);
  return self;
}

/// Writes into `x`, self or a copy of it: `write(element, position in the index tensor)`. What is written into one
/// element is so in the order of the index: threads share the other dims.
template <class Write>
void scatter_into(const Tensor& x, const Value* args, Write write) {
  Tensor index = contiguous_as(args[2].tensor(), DType::int64);
  if (index.numel() == 0) return;
  index = apart(index, x);
  const DimPlan plan(x, index.sizes(), dim_argument(args, x.dim()));
  const int64_t* indices = index.data_as<int64_t>();
  const bool in_place = x->storage == args[0].tensor()->storage;
  if (in_place) plan.check(indices, index.numel().expect());  // before anything is written
  const int64_t rows = int64_t(plan.outer.size()), columns = int64_t(plan.inner.size());
  constexpr int64_t kGrain = 32768, kFewColumns = 64;
  if (rows == 1 && columns > kFewColumns)
    return parallel_for(columns, column_grain(plan.length, columns), [&](int64_t first, int64_t last) {
      plan.for_each_column(indices, first, last, write);
    });
  parallel_for(rows, std::max<int64_t>(1, kGrain / plan.row_elements()),
               [&](int64_t begin, int64_t end) { plan.for_each(indices, begin, end, write); });
}

}  // namespace framejit::eager::cpu
