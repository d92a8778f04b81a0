// embedding and its gradient.
#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

void check_indices(const Op& op, const TensorMeta& indices) {
  FRAMEJIT_CHECK(
      indices.dtype == DType::int64 || indices.dtype == DType::int32,
      "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
      "got ",
      dtype_name(indices.dtype), " instead (while checking arguments for ", op.schema.name, ")");
}

void check_range(const int64_t* indices, int64_t count, int64_t rows) {
  for (int64_t i = 0; i < count; ++i)
    FRAMEJIT_CHECK_TYPE(uint64_t(indices[i]) < uint64_t(rows), index, "index out of range in self: index ",
                        indices[i], ", embedding of ", rows, " rows");
}

/// So many rows ahead, the first lines of a row are asked for: where it is cannot be foretold.
constexpr int64_t kAhead = 8, kPrefetched = 512, kLine = 64;

}  // namespace

void meta_embedding(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &weight = args[0].impl()->meta, &indices = args[1].impl()->meta;
  FRAMEJIT_CHECK(weight.sizes.size() == 2, "'weight' must be 2-D, got shape ", sizes_text(weight.sizes));
  check_indices(op, indices);
  Dims sizes = indices.sizes;
  sizes.push_back(weight.sizes[1]);
  results.push_back(contiguous_meta(std::move(sizes), weight.dtype, weight.device));
}

void embedding_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor weight = contiguous(args[0].tensor()), indices = contiguous_as(args[1].tensor(), DType::int64);
  Tensor result = allocate_result(op, args);
  const int64_t count = indices.numel().expect(), *rows = indices.data_as<int64_t>();
  check_range(rows, count, weight.sizes()[0]);
  const int64_t bytes = weight.sizes()[1] * int64_t(item_size(weight.dtype()));
  const char* from = static_cast<const char*>(weight.data());
  char* to = static_cast<char*>(result.data());
  parallel_for(count, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, bytes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const char* next = from + rows[std::min(i + kAhead, end - 1)] * bytes;
                   for (int64_t at = 0; at < std::min(bytes, kPrefetched); at += kLine)
                     __builtin_prefetch(next + at);
                   copy_bytes(to + i * bytes, from + rows[i] * bytes, size_t(bytes));
                 }
               });
  results[0] = std::move(result);
}

void meta_embedding_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& grad = args[0].impl()->meta;
  const Dims sizes{args[2].sym_int().bits(), grad.sizes.back()};
  results.push_back(contiguous_meta(sizes, grad.dtype, grad.device));
}

void embedding_backward_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor grad = contiguous(args[0].tensor()), indices = contiguous_as(args[1].tensor(), DType::int64);
  const int64_t padding = args[3].integer();
  Tensor result = allocate_result(op, args);
  const int64_t zero_number = 0;
  fill_elements(result, &zero_number, DType::int64);
  const int64_t count = indices.numel().expect(), width = result.sizes()[1],
                *rows = indices.data_as<int64_t>();
  check_range(rows, count, result.sizes()[0]);
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      if (rows[i] == padding) continue;
      const T* from = grad.data_as<T>() + i * width;
      T* to = result.data_as<T>() + rows[i] * width;
      for (int64_t k = 0; k < width; ++k) to[k] = wrapping_sum(to[k], from[k]);
    }
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
