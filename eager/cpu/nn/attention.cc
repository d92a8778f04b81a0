#include "eager/cpu/nn/attention.h"

#include <limits>
#include <optional>

#include "eager/cpu/matmul/gemm.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

// Queries of a block: with 512 keys, its scores fill a quarter of the L2 cache. Where later keys are hidden, smaller
// blocks have fewer scores for nothing.
constexpr int64_t kQueries = 128, kCausalQueries = 64;
constexpr int64_t kWork = 1 << 17;  ///< multiplications worth a thread

Dims batch_of(const Dims& dims) { return Dims(dims.span().first(size_t(dims.size() - 2))); }
int64_t rows_of(const Tensor& t) { return t.sizes()[t.dim() - 2]; }
int64_t width_of(const Tensor& t) { return t.sizes()[t.dim() - 1]; }

/// The matrices of a batch.
template <class T>
struct Matrices {
  const T* data;
  std::vector<int64_t> offsets;
  int64_t stride;

  explicit Matrices(const Tensor& t)
      : data(t.data_as<T>()),
        offsets(enumerate_offsets(batch_of(t.sizes()).span(), batch_of(t.strides()).span())),
        stride(t.strides()[t.dim() - 2]) {}
  const T* row(int64_t index, int64_t row) const { return data + offsets[size_t(index)] + row * stride; }
  GemmOperand from_row(int64_t index, int64_t first, bool transposed) const {
    return {row(index, first), stride, transposed};
  }
};

/// Whether the mask's sizes are those of the scores, or 1.
bool covers_scores(const Tensor& mask, const Tensor& query, const Tensor& key) {
  const int more = query.dim() - mask.dim();
  for (int d = 0; d < mask.dim(); ++d) {
    const int64_t scores = d + more == query.dim() - 1 ? rows_of(key) : query.sizes()[std::max(0, d + more)];
    if (mask.sizes()[d] != 1 && mask.sizes()[d] != scores) return false;
  }
  return more >= 0;
}

/// The mask as if it had all sizes of the scores. Its rows are contiguous.
Tensor expanded_mask(const Tensor& mask, const Tensor& query, int64_t keys) {
  Dims sizes = query.sizes(), strides = sizes;
  sizes[sizes.size() - 1] = keys;
  const int more = query.dim() - mask.dim();
  for (int d = 0; d < query.dim(); ++d)
    strides[d] = d < more || mask.sizes()[d - more] == 1 ? 0 : mask.strides()[d - more];
  const Tensor expanded = reshaped_view(mask, sizes, strides);
  return strides[strides.size() - 1] == 1 ? expanded : contiguous(expanded);
}

/// Turns a row of scores into powers, not yet divided by their sum, which is returned. `mask` may be null.
template <class T>
T exponentials(T* scores, int64_t n, double scale, const T* mask) {
  const RowOps<T>& ops = RowOps<T>::get();
  ops.multiply(scores, T(scale), n, scores);
  if (mask) ops.add(scores, mask, n, scores);
  const T largest = RowFold<T>(ReduceKind::amax).of(scores, n);
  if (mask && largest == -std::numeric_limits<T>::infinity()) {
    std::fill_n(scores, n, T(0));
    return T(1);
  }
  ops.subtract(scores, largest, n, scores);
  ops.exp(scores, n, scores);
  return RowFold<T>(ReduceKind::sum).of(scores, n);
}

template <class T>
void attend(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double scale,
            bool causal, const Tensor& result) {
  const Matrices<T> queries(query), keys(key), values(value);
  const int64_t rows = rows_of(query), all_keys = rows_of(key), width = width_of(query),
                wide = width_of(value);
  const std::optional<Matrices<T>> masks =
      mask.defined() ? std::optional<Matrices<T>>(expanded_mask(mask, query, all_keys)) : std::nullopt;
  const int64_t at_once = causal ? kCausalQueries : kQueries, blocks = (rows + at_once - 1) / at_once;
  const int64_t work = std::min(rows, at_once) * all_keys * (width + wide);
  const auto run_block = [&](int64_t index, int64_t first) {
    const int64_t count = std::min(at_once, rows - first);
    const int64_t seen = causal ? std::min(all_keys, first + count) : all_keys;
    ScratchScope scope;
    T *scores = Scratch::of_thread().take_array<T>(count * seen),
      *sums = Scratch::of_thread().take_array<T>(count);
    run_gemm_call({count, seen, width, queries.from_row(index, first, false), keys.from_row(index, 0, true),
                   scores, seen},
                  dtype_of<T>());
    for (int64_t r = 0; r < count; ++r) {
      const int64_t visible = causal ? std::min(seen, first + r + 1) : seen;
      const T* added = masks ? masks->row(index, first + r) : nullptr;
      sums[r] = exponentials(scores + r * seen, visible, scale, added);
      std::fill(scores + r * seen + visible, scores + (r + 1) * seen, T(0));
    }
    T* to = result.data_as<T>() + (index * rows + first) * wide;
    run_gemm_call({count, wide, seen, {scores, seen, false}, values.from_row(index, 0, false), to, wide},
                  dtype_of<T>());
    for (int64_t r = 0; r < count; ++r) RowOps<T>::get().divide(to + r * wide, sums[r], wide, to + r * wide);
  };
  parallel_for(int64_t(queries.offsets.size()) * blocks,
               std::max<int64_t>(1, kWork / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) run_block(i / blocks, i % blocks * at_once);
               });
}

}  // namespace

bool attends_by_blocks(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const DType dtype = query.dtype();
  if (dtype != DType::float32 && dtype != DType::float64) return false;
  const auto fits = [&](const Tensor& t) {
    return t.dtype() == dtype && batch_of(t.sizes()) == batch_of(query.sizes()) && !(t.numel() == 0) &&
           t.strides()[t.dim() - 1] == 1 && t.strides()[t.dim() - 2] >= width_of(t);
  };
  return fits(query) && fits(key) && fits(value) && width_of(query) == width_of(key) &&
         rows_of(key) == rows_of(value) && (!mask.defined() || covers_scores(mask, query, key));
}

Tensor attend_by_blocks(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                        double scale, bool causal) {
  Dims sizes = query.sizes();
  sizes[sizes.size() - 1] = width_of(value);
  Tensor result = Tensor::empty(sizes, query.dtype());
  query.dtype() == DType::float64 ? attend<double>(query, key, value, mask, scale, causal, result)
                                  : attend<float>(query, key, value, mask, scale, causal, result);
  return result;
}

}  // namespace framejit::eager::cpu
