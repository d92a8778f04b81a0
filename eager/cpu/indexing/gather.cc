// gather, scatter and scatter_add; index_select and index_add.
#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/indexing/dim_plan.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

void meta_gather(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &index = args[2].impl()->meta;
  const int dim = dim_argument(args, self.sizes.size());
  check_index_dtype(op, index);
  check_index_fits(op, index, self, dim, false, "input");
  results.push_back(contiguous_meta(index.sizes, self.dtype, self.device));
}

void gather_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), index = contiguous_as(args[2].tensor(), DType::int64);
  Tensor result = allocate_result(op, args);
  if (!(index.numel() == 0)) {
    const DimPlan plan(self, index.sizes(), dim_argument(args, self.dim()));
    const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, plan.row_elements()));
    for_item_size(self.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* from = self.data_as<T>();
      T* to = result.data_as<T>();
      parallel_for(int64_t(plan.outer.size()), grain, [&](int64_t begin, int64_t end) {
        plan.for_each(index.data_as<int64_t>(), begin, end,
                      [&](int64_t offset, int64_t position) { to[position] = from[offset]; });
      });
    });
  }
  results[0] = std::move(result);
}

void meta_scatter(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &index = args[2].impl()->meta;
  const int dim = dim_argument(args, self.sizes.size());
  check_index_dtype(op, index);
  check_index_fits(op, index, self, dim, false, "self");
  if (args[3].is_tensor()) {
    const TensorMeta& src = args[3].impl()->meta;
    check_same_dtype(op, self, src);
    check_index_fits(op, index, src, dim, true, "src");
  }
  results.push_back(preserved_meta(self));
}

/// What to write into, once the arguments are found to fit.
static Tensor scatter_target(const Op& op, const Value* args) {
  std::vector<TensorMeta> metas;
  meta_scatter(op, args, metas);
  return written_self(op, args[0].tensor());
}

void scatter_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = scatter_target(op, args);
  const Tensor src = leading_part(args[3].tensor(), args[2].tensor().sizes(), result);
  for_item_size(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.data_as<T>();
    const T* from = src.data_as<T>();
    scatter_into(result, args, [&](int64_t offset, int64_t position) { to[offset] = from[position]; });
  });
  results[0] = std::move(result);
}

void scatter_value_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = scatter_target(op, args);
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T value = element_of<T>(args[3]);
    T* to = result.data_as<T>();
    scatter_into(result, args, [&](int64_t offset, int64_t) { to[offset] = value; });
  });
  results[0] = std::move(result);
}

void scatter_add_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = scatter_target(op, args);
  const Tensor src = leading_part(args[3].tensor(), args[2].tensor().sizes(), result);
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.data_as<T>();
    const T* from = src.data_as<T>();
    scatter_into(result, args, [&](int64_t offset, int64_t position) {
      to[offset] = wrapping_sum(to[offset], from[position]);
    });
  });
  results[0] = std::move(result);
}

void meta_index_select(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &index = args[2].impl()->meta;
  const int dim = dim_argument(args, self.sizes.size());
  FRAMEJIT_CHECK_TYPE(index.sizes.size() <= 1, index, "index_select(): Index is supposed to be a vector");
  check_index_dtype(op, index);
  Dims sizes = self.sizes;
  if (!sizes.empty()) sizes[dim] = numel(index.sizes).bits();
  results.push_back(contiguous_meta(std::move(sizes), self.dtype, self.device));
}

/// Of the last dim: each index is read once for several rows.
static void select_elements(const Tensor& self, const RowShape& shape, const int64_t* indices, int64_t count,
                            const Tensor& result) {
  for_item_size(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = self.data_as<T>();
    T* to = result.data_as<T>();
    parallel_for(shape.outer, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, count)),
                 [&](int64_t begin, int64_t end) {
                   constexpr int64_t kRows = 4;
                   int64_t row = begin;
                   for (; row + kRows <= end; row += kRows) {
                     const T *a = from + row * shape.length, *b = a + shape.length, *c = b + shape.length,
                             *d = c + shape.length;
                     T *p = to + row * count, *q = p + count, *r = q + count, *s = r + count;
                     for (int64_t i = 0; i < count; ++i) {
                       const int64_t k = indices[i];
                       const T x = a[k], y = b[k], z = c[k], w = d[k];
                       p[i] = x, q[i] = y, r[i] = z, s[i] = w;
                     }
                   }
                   for (; row < end; ++row)
                     for (int64_t i = 0; i < count; ++i)
                       to[row * count + i] = from[row * shape.length + indices[i]];
                 });
  });
}

void index_select_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), index = contiguous_as(args[2].tensor(), DType::int64);
  Tensor result = allocate_result(op, args);
  const int dim = dim_argument(args, self.dim());
  const RowShape shape = row_shape(self.sizes(), dim);
  const int64_t count = index.numel().expect(), *indices = index.data_as<int64_t>();
  const int64_t block = shape.inner * int64_t(item_size(self.dtype()));
  const char* from = static_cast<const char*>(self.data());
  char* to = static_cast<char*>(result.data());
  for (int64_t i = 0; i < count; ++i)
    FRAMEJIT_CHECK_TYPE(uint64_t(indices[i]) < uint64_t(shape.length), index,
                        "index out of range in self: index ", indices[i], ", size ", shape.length);
  if (shape.inner == 1) {
    select_elements(self, shape, indices, count, result);
  } else {
    parallel_for(shape.outer * count, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, block)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i)
                     copy_bytes(to + i * block,
                                from + ((i / count) * shape.length + indices[i % count]) * block,
                                size_t(block));
                 });
  }
  results[0] = std::move(result);
}

void meta_index_add(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &index = args[2].impl()->meta,
                   &source = args[3].impl()->meta;
  const int dim = dim_argument(args, self.sizes.size());
  check_index_dtype(op, index);
  check_same_dtype(op, self, source);
  Dims expected = self.sizes;
  if (!expected.empty()) expected[dim] = numel(index.sizes).bits();
  FRAMEJIT_CHECK(index.sizes.size() <= 1 && source.sizes == expected,
                 "index_add_(): expected source of size ", sizes_text(expected), " for self of size ",
                 sizes_text(self.sizes), " and index of size ", sizes_text(index.sizes), ", got ",
                 sizes_text(source.sizes));
  results.push_back(preserved_meta(self));
}

/// to += alpha * from.
template <class T>
static void add_row(const T* from, T alpha, int64_t n, T* to) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (alpha == T(1)) return RowOps<T>::get().add(to, from, n, to);
  }
  for (int64_t k = 0; k < n; ++k) to[k] = wrapping_sum(to[k], alpha == T(1) ? from[k] : T(alpha * from[k]));
}

void index_add_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_index_add(op, args, metas);
  const Tensor self = args[0].tensor();
  const bool in_place = op.kind == OpKind::inplace;
  if (in_place) check_writable(op, self);
  Tensor result = self;
  if (!in_place || !self.is_contiguous()) {
    result = Tensor::empty(self.sizes(), self.dtype());
    copy_elements(self, result);
  }
  const Tensor index = apart(contiguous_as(args[2].tensor(), DType::int64), result),
               source = apart(contiguous(args[3].tensor()), result);
  const RowShape shape = row_shape(result.sizes(), dim_argument(args, result.dim()));
  const int64_t count = index.numel().expect(), *indices = index.data_as<int64_t>();
  for (int64_t i = 0; i < count; ++i)
    FRAMEJIT_CHECK_TYPE(uint64_t(indices[i]) < uint64_t(shape.length), index,
                        "index out of range in self: index ", indices[i], ", size ", shape.length);
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T alpha = element_of<T>(args[4]);
    const T* from = source.data_as<T>();
    T* to = result.data_as<T>();
    // What is added to one element is so in the order of the index: threads share the other dims.
    const auto add = [&](int64_t begin, int64_t end, int64_t first, int64_t last) {
      for (int64_t o = begin; o < end; ++o)
        for (int64_t i = 0; i < count; ++i)
          add_row(from + (o * count + i) * shape.inner + first, alpha, last - first,
                  to + (o * shape.length + indices[i]) * shape.inner + first);
    };
    constexpr int64_t kGrain = 32768, kFewColumns = 64;
    const int64_t each = std::max<int64_t>(1, count * shape.inner);
    if (shape.outer == 1 && shape.inner > kFewColumns)
      parallel_for(shape.inner, column_grain(count, shape.inner),
                   [&](int64_t first, int64_t last) { add(0, 1, first, last); });
    else
      parallel_for(shape.outer, std::max<int64_t>(1, kGrain / each),
                   [&](int64_t begin, int64_t end) { add(begin, end, 0, shape.inner); });
  });
  if (in_place) copy_elements(result, self);
  results[0] = in_place ? self : result;
}

}  // namespace framejit::eager
