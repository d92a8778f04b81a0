// Reductions of rows into one running result per column.
#include <algorithm>

#include "eager/cpu/tile/loop_table.h"
#include "eager/cpu/tile/reductions.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// A running result: the lane, and for argmax and argmin the row it came from.
template <ReduceKind kKind, class T, bool kIndexed = is_arg(kKind)>
struct Accumulator {
  using R = Reduction<kKind, T>;
  typename R::Lane value;
  static void row(Accumulator* into, const typename R::Lane* in, int64_t n, int64_t) {
    for (int64_t i = 0; i < n; ++i) into[i].value = R::combine(into[i].value, in[i]);
  }
  static Accumulator nothing() { return {R::neutral()}; }
  ReduceState state() const { return R::state_of(value, 0); }
};
template <ReduceKind kKind, class T>
struct Accumulator<kKind, T, true> {
  using R = Reduction<kKind, T>;
  typename R::Lane value;
  int64_t index;
  static void row(Accumulator* into, const typename R::Lane* in, int64_t n, int64_t row) {
    for (int64_t i = 0; i < n; ++i)
      if (into[i].index < 0 || R::beats(in[i], into[i].value)) into[i] = {in[i], row};
  }
  static Accumulator nothing() { return {R::neutral(), -1}; }
  ReduceState state() const { return R::state_of(value, index); }
};

template <ReduceKind kKind, class T>
struct Column {
  using A = Accumulator<kKind, T>;
  static void start(void* memory, int64_t n) { std::fill_n(static_cast<A*>(memory), n, A::nothing()); }
  static void row(void* memory, const void* in, int64_t n, int64_t row) {
    A::row(static_cast<A*>(memory), static_cast<const typename A::R::Lane*>(in), n, row);
  }
  static void product(void* memory, const void* left, const void* right, int64_t n) {
    A* into = static_cast<A*>(memory);
    const T *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
    for (int64_t i = 0; i < n; ++i) into[i].value = A::R::combine(into[i].value, a[i] * b[i]);
  }
  static void flush(void* memory, ReduceState* states, int64_t n) {
    A* accumulators = static_cast<A*>(memory);
    for (int64_t i = 0; i < n; ++i) A::R::merge_one(states[i], accumulators[i].state());
    start(memory, n);
  }
};

}  // namespace

void add_column_reductions(cpu::LoopKernels& table) {
  for_each_reduction([&]<ReduceKind kKind, class T>() {
    using C = Column<kKind, T>;
    cpu::ColumnReducer& entry = table.column[size_t(kKind)][size_t(dtype_of<T>())];
    entry = {&C::start, &C::row, nullptr, &C::flush, int(sizeof(typename C::A))};
    if constexpr (is_sum(kKind) && std::is_floating_point_v<T>) entry.product = &C::product;
  });
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
