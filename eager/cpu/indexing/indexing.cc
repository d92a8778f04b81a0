// Advanced indexing: reading, writing, adding.
#include <algorithm>

#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/indexing/index_loops.h"
#include "eager/cpu/indexing/index_plan.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// So many elements ahead of a random access, its cache line is asked for.
constexpr int64_t kAhead = 16;

/// Calls `f(offset in x, position in the contiguous result)` for every run of elements that lie side by side
/// in both, in the order of the result, and `prepare(offset)` some time before. `begin` and `end` count pairs of
/// `before` and chosen places.
template <class Prepare, class F>
void for_each_run(const IndexPlan& plan, int64_t begin, int64_t end, const Prepare& prepare, const F& f) {
  const int64_t width = int64_t(plan.after.size()) * plan.run;
  int64_t buffer[kIndicesAtOnce];
  for (int64_t i = begin; i < end;) {
    const int64_t at = i % plan.count, n = std::min({kIndicesAtOnce, plan.count - at, end - i});
    const int64_t* chosen = plan.offsets(at, n, buffer);
    const int64_t base = plan.before[size_t(i / plan.count)];
    if (width == 1) {
      for (int64_t k = 0; k < n; ++k) {
        prepare(base + chosen[std::min(k + kAhead, n - 1)]);
        f(base + chosen[k], i + k);
      }
    } else {
      int64_t position = i * width;
      for (int64_t k = 0; k < n; ++k)
        for (int64_t offset : plan.after) {
          f(base + chosen[k] + offset, position);
          position += plan.run;
        }
    }
    i += n;
  }
}

/// Runs of one element are frequent, and not worth a call of memmove.
template <class T>
void copy_run(const T* from, int64_t run, T* to) {
  if (run == 1)
    *to = *from;
  else
    copy_bytes(to, from, size_t(run) * sizeof(T));
}

int64_t outer_count(const IndexPlan& plan) { return int64_t(plan.before.size()) * plan.count; }

/// Reads that miss the cache overlap by themselves.
void read_elements(const Tensor& x, const IndexPlan& plan, const Tensor& result) {
  const int64_t inner = std::max<int64_t>(1, int64_t(plan.after.size()) * plan.run);
  const int64_t grain = std::max<int64_t>(1, 32768 / inner), run = plan.run;
  for_item_size(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data_as<T>();
    T* to = result.data_as<T>();
    parallel_for(outer_count(plan), grain, [&plan, from, to, run](int64_t begin, int64_t end) {
      for_each_run(
          plan, begin, end, [](int64_t) {},
          [=](int64_t offset, int64_t position) { copy_run(from + offset, run, to + position); });
    });
  });
}

/// Calls `f(offset in x, position in the values, elements)` for runs, or parts of them, in the order of the
/// values for each element: of equal indices, the last value stays. Threads share what is not indexed.
template <class T, class F>
void for_each_written(T* to, const IndexPlan& plan, const F& f) {
  constexpr int64_t kGrain = 32768, kShortRun = 64;
  const auto prepare = [to](int64_t offset) { __builtin_prefetch(to + offset, 1); };
  const int64_t runs = std::max<int64_t>(1, plan.count * int64_t(plan.after.size()));
  if (plan.before.size() == 1 && plan.run > kShortRun)
    return parallel_for(plan.run, column_grain(runs, plan.run),
                        [&plan, prepare, f](int64_t first, int64_t last) {
                          for_each_run(plan, 0, plan.count, prepare, [=](int64_t offset, int64_t position) {
                            f(offset + first, position + first, last - first);
                          });
                        });
  parallel_for(int64_t(plan.before.size()), std::max<int64_t>(1, kGrain / (runs * plan.run)),
               [&plan, prepare, f](int64_t begin, int64_t end) {
                 for_each_run(
                     plan, begin * plan.count, end * plan.count, prepare,
                     [=, run = plan.run](int64_t offset, int64_t position) { f(offset, position, run); });
               });
}

void write_elements(const Tensor& x, const IndexPlan& plan, const Tensor& values) {
  for_item_size(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data_as<T>();
    T* to = x.data_as<T>();
    for_each_written(to, plan, [=](int64_t offset, int64_t position, int64_t run) {
      copy_run(from + position, run, to + offset);
    });
  });
}

void add_elements(const Tensor& x, const IndexPlan& plan, const Tensor& values) {
  for_any_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data_as<T>();
    T* to = x.data_as<T>();
    for_each_written(to, plan, [=](int64_t offset, int64_t position, int64_t run) {
      for (int64_t i = 0; i < run; ++i) to[offset + i] = wrapping_sum(to[offset + i], from[position + i]);
    });
  });
}

/// args: x, indices, values, accumulate.
void put(const Tensor& x, const Value* args) {
  const std::vector<Tensor>& indices = args[1].tensor_list();
  const IndexShape shape = index_shape(x.sizes(), indices);
  const IndexPlan plan = make_index_plan(x, indices, shape);  // raises before anything is written
  Tensor values = args[2].tensor();
  if (!(values.sizes() == shape.result_sizes) || !values.is_contiguous() || values->storage == x->storage) {
    values = Tensor::empty(shape.result_sizes, x.dtype());
    copy_elements(args[2].tensor(), values);
  }
  args[3].boolean() ? add_elements(x, plan, values) : write_elements(x, plan, values);
}

}  // namespace

void meta_index(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  IndexShape shape = index_shape(self.sizes, args[1].tensor_list());
  results.push_back(contiguous_meta(std::move(shape.result_sizes), self.dtype, self.device));
}

void index_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const std::vector<Tensor>& indices = args[1].tensor_list();
  const IndexShape shape = index_shape(self.sizes(), indices);
  Tensor result = Tensor::empty(shape.result_sizes, self.dtype());
  read_elements(self, make_index_plan(self, indices, shape), result);
  results[0] = std::move(result);
}

void meta_index_put(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta &self = args[0].impl()->meta, &values = args[2].impl()->meta;
  FRAMEJIT_CHECK(self.dtype == values.dtype,
                 "Index put requires the source and destination dtypes match, got ", dtype_name(self.dtype),
                 " for the destination and ", dtype_name(values.dtype), " for the source.");
  const IndexShape shape = index_shape(self.sizes, args[1].tensor_list());
  bool fits = values.sizes.size() <= shape.result_sizes.size();
  if (fits) fits = broadcast_sizes(shape.result_sizes, values.sizes) == shape.result_sizes;
  FRAMEJIT_CHECK(fits, "shape mismatch: value tensor of shape ", sizes_text(values.sizes),
                 " cannot be broadcast to indexing result of shape ", sizes_text(shape.result_sizes));
  results.push_back(preserved_meta(self));
}

void index_put_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_index_put(op, args, metas);
  Tensor result = cloned(args[0].tensor());
  put(result, args);
  results[0] = std::move(result);
}

void index_put_into_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_index_put(op, args, metas);
  put(args[0].tensor(), args);
  results[0] = args[0];
}

}  // namespace framejit::eager
