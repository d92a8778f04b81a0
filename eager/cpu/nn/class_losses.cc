#include "eager/cpu/nn/class_losses.h"

#include "eager/cpu/float_type.h"
#include "eager/cpu/loops/row_ops.h"
#include "eager/cpu/nn/softmax_columns.h"
#include "eager/cpu/nn/softmax_rows.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

/// args: input, target, ignore_index. Results: losses, how many count, and of each row its largest score and the
/// logarithm of the sum of powers relative to that.
void meta_class_losses(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &input = args[0].impl()->meta, &target = args[1].impl()->meta;
  FRAMEJIT_CHECK(is_float_type(input.dtype) && input.sizes.size() >= 2 && target.dtype == DType::int64 &&
                     target.sizes == reduced_sizes(input.sizes, 1 << 1, false),
                 op.schema.name,
                 ": got other arguments than scores of float32 or float64 with a class for each row of them");
  for (const Dims& sizes : {target.sizes, Dims{}, target.sizes, target.sizes})
    results.push_back(contiguous_meta(sizes, input.dtype, input.device));
}

namespace {

constexpr int64_t kPiece = 8 * 1024;  ///< elements worth a thread
constexpr int64_t kBlock = 2048;      ///< elements of short rows whose powers are computed by one call

void check_classes(const int64_t* targets, int64_t rows, int64_t classes, int64_t ignored) {
  for (int64_t r = 0; r < rows; ++r)
    FRAMEJIT_CHECK_TYPE((targets[r] >= 0 && targets[r] < classes) || targets[r] == ignored, index, "Target ",
                        targets[r], " is out of bounds. Expected classes from 0 to ", classes - 1,
                        ", or ignore_index.");
}

/// Calls `f(first row, rows, scratch memory for these rows)` for blocks of short rows.
template <class T, class F>
void for_each_block(int64_t rows, int64_t n, F f) {
  const int64_t at_once = std::clamp<int64_t>(kBlock / n, 1, rows);
  parallel_for(rows, std::max<int64_t>(1, kPiece / n), [&](int64_t begin, int64_t end) {
    ScratchScope scope;
    T* spare = Scratch::of_thread().take_array<T>(at_once * n);
    for (int64_t r = begin; r < end; r += at_once) f(r, std::min(at_once, end - r), spare);
  });
}

/// By the steps of log_softmax and nll_loss.
template <class T>
struct ClassLosses {
  const T* scores;
  const int64_t* targets;
  int64_t n, ignored;
  T *losses, *largest, *logs;

  void run(int64_t first, int64_t rows, T* spare) const {
    const RowOps<T>& ops = RowOps<T>::get();
    const RowFold<T> maximum(ReduceKind::amax), sum(ReduceKind::sum);
    const T* x = scores + first * n;
    maximum.of_rows(x, rows, n, largest + first);
    for (int64_t r = 0; r < rows; ++r) ops.subtract(x + r * n, largest[first + r], n, spare + r * n);
    ops.exp(spare, rows * n, spare);
    sum.of_rows(spare, rows, n, logs + first);
    ops.log(logs + first, rows, logs + first);
    for (int64_t r = first; r < first + rows; ++r)
      losses[r] = targets[r] == ignored ? T(0) : -(scores[r * n + targets[r]] - largest[r] - logs[r]);
  }
};

/// The same of images: classes lie apart, pixels side by side.
template <class T>
void losses_of_columns(const RowShape& shape, const T* scores, const int64_t* targets, int64_t ignored,
                       const T* largest, const T* logs, T* losses) {
  parallel_for(shape.outer, std::max<int64_t>(1, kPiece / shape.inner), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      for (int64_t k = 0, i = o * shape.inner; k < shape.inner; ++k, ++i) {
        losses[i] = 0;
        if (targets[i] != ignored)
          losses[i] = -(scores[(o * shape.length + targets[i]) * shape.inner + k] - largest[i] - logs[i]);
      }
  });
}

template <class T>
void columns_backward(const RowShape& shape, int64_t outer, int64_t column, int64_t n, const T* scores,
                      const int64_t* targets, int64_t ignored, const T* largest, const T* logs, const T* g,
                      T* out) {
  const RowOps<T>& ops = RowOps<T>::get();
  ScratchScope scope;
  T* weight = Scratch::of_thread().take_array<T>(n);
  const int64_t at = outer * shape.inner + column, first = outer * shape.length * shape.inner + column;
  for (int64_t k = 0; k < n; ++k) weight[k] = targets[at + k] == ignored ? T(0) : g[at + k];
  for (int64_t r = 0; r < shape.length; ++r) {
    T* row = out + first + r * shape.inner;
    ops.subtract(scores + first + r * shape.inner, largest + at, n, row);
    ops.subtract(row, logs + at, n, row);
    ops.exp(row, n, row);
    ops.multiply(row, weight, n, row);
  }
  for (int64_t k = 0; k < n; ++k)
    if (targets[at + k] != ignored) out[first + targets[at + k] * shape.inner + k] -= weight[k];
}

}  // namespace

void class_losses_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_class_losses(op, args, metas);
  for (size_t i = 0; i < metas.size(); ++i) results[i] = Tensor::empty(metas[i]);
  const Tensor input = contiguous_as(args[0].tensor(), metas[0].dtype),
               target = contiguous_as(args[1].tensor(), DType::int64);
  const RowShape shape = row_shape(input.sizes(), 1);
  const int64_t rows = shape.outer * shape.inner, n = shape.length, ignored = args[2].integer();
  const int64_t* targets = target.data_as<int64_t>();
  check_classes(targets, rows, n, ignored);
  if (input.dim() > 2) softmax_column_sums(input, 1, results[2].tensor(), results[3].tensor());
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto data = [&](int i) { return results[i].tensor().data_as<T>(); };
    *data(1) = T(rows - std::count(targets, targets + rows, ignored));
    if (input.dim() > 2)
      return losses_of_columns(shape, input.data_as<T>(), targets, ignored, data(2), data(3), data(0));
    const ClassLosses<T> losses{input.data_as<T>(), targets, n, ignored, data(0), data(2), data(3)};
    if (rows > 0)
      for_each_block<T>(rows, n,
                        [&](int64_t first, int64_t count, T* spare) { losses.run(first, count, spare); });
  });
}

namespace cpu {

bool are_class_rows(const Tensor& input, const Tensor& target) {
  const bool rows = input.dim() == 2
                        ? are_softmax_rows(input, 1)
                        : input.dim() > 2 && !(input.numel() == 0) && has_softmax_columns(input, 1);
  return rows && target.dtype() == DType::int64 && target.dim() == input.dim() - 1 && target.is_contiguous();
}

Tensor class_losses_backward(const Tensor& grad, const Tensor& input, const Tensor& target, int64_t ignored,
                             const Tensor& largest, const Tensor& logs) {
  Tensor result = Tensor::empty(input.sizes(), input.dtype());
  const RowShape shape = row_shape(input.sizes(), 1);
  const int64_t rows = shape.outer, n = shape.length;
  const int64_t* targets = target.data_as<int64_t>();
  if (input.dim() > 2) {
    for_each_column_tile(input.dtype(), shape, [&](auto zero, int64_t outer, int64_t column, int64_t count) {
      using T = decltype(zero);
      columns_backward(shape, outer, column, count, input.data_as<T>(), targets, ignored,
                       largest.data_as<T>(), logs.data_as<T>(), grad.data_as<T>(), result.data_as<T>());
    });
    return result;
  }
  for_float_type(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const RowOps<T>& ops = RowOps<T>::get();
    const T *g = grad.data_as<T>(), *maxima = largest.data_as<T>(), *sums = logs.data_as<T>();
    for_each_block<T>(rows, n, [&](int64_t first, int64_t count, T* spare) {
      T* out = result.data_as<T>() + first * n;
      for (int64_t r = 0; r < count; ++r) {
        ops.subtract(input.data_as<T>() + (first + r) * n, maxima[first + r], n, spare + r * n);
        ops.subtract(spare + r * n, sums[first + r], n, spare + r * n);
      }
      ops.exp(spare, count * n, spare);
      for (int64_t r = 0; r < count; ++r) {
        const int64_t target_class = targets[first + r];
        const bool counts = target_class != ignored;
        ops.multiply(spare + r * n, counts ? g[first + r] : T(0), n, out + r * n);
        if (counts) out[r * n + target_class] -= g[first + r];
      }
    });
  });
  return result;
}

}  // namespace cpu

}  // namespace framejit::eager
