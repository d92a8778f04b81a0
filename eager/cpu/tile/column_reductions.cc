// Reductions of rows into one running result per column.
// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include <algorithm>
#include <cstring>

#include "eager/cpu/tile/loop_table.h"
#include "eager/cpu/tile/reductions.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

/// What elements of S are read as.
template <class S>
using Stored = std::conditional_t<std::is_same_v<S, bool>, uint8_t, S>;

/// A running result: the lane, and for argmax and argmin the row it came from.
template <ReduceKind kKind, class T, class S, bool kIndexed = is_arg(kKind)>
struct Accumulator {
  using R = Reduction<kKind, T>;
  typename R::Lane value;
  static constexpr int kRows = 8;  ///< taken in at once: results are read and written that much less often
  template <int kCount>
  static void take(Accumulator* __restrict into, const Stored<S>* __restrict in, int64_t stride, int64_t n) {
    using Lane = typename R::Lane;
    int64_t i = 0;
    if constexpr (!is_complex_type<T>) {
      typedef Lane Vector __attribute__((vector_size(64)));
      constexpr int64_t lanes = 64 / int64_t(sizeof(Lane));
      for (; i + lanes <= n; i += lanes) {
        Vector value;
        std::memcpy(&value, into + i, sizeof value);
#pragma GCC unroll 8
        for (int r = 0; r < kCount; ++r)
          value = R::combine_vectors(value, R::entering(load_vector<Vector>(in + r * stride + i)));
        std::memcpy(static_cast<void*>(into + i), &value, sizeof value);
      }
    }
    for (; i < n; ++i)
      for (int r = 0; r < kCount; ++r)
        into[i].value = R::combine(into[i].value, R::entering(Lane(in[r * stride + i])));
  }
  static void rows(Accumulator* into, const Stored<S>* in, int64_t stride, int64_t rows, int64_t n, int64_t) {
    for (; rows >= kRows; rows -= kRows, in += kRows * stride) take<kRows>(into, in, stride, n);
    for (; rows > 0; --rows, in += stride) take<1>(into, in, stride, n);
  }
  /// Halves the number of groups until one is left.
  static void fold(Accumulator* places, int64_t groups, int64_t columns) {
    for (int64_t half; groups > 1; groups = half) {
      half = (groups + 1) / 2;
      Accumulator* __restrict lower = places;
      const Accumulator* __restrict upper = places + half * columns;
      for (int64_t i = 0; i < (groups - half) * columns; ++i)
        lower[i].value = R::combine(lower[i].value, upper[i].value);
    }
  }
  static Accumulator nothing() { return {R::neutral()}; }
  ReduceState state() const { return R::state_of(value, 0); }
};
template <ReduceKind kKind, class T, class S>
struct Accumulator<kKind, T, S, true> {
  using R = Reduction<kKind, T>;
  typename R::Lane value;
  int64_t index;
  static void rows(Accumulator* into, const typename R::Lane* in, int64_t stride, int64_t rows, int64_t n,
                   int64_t first) {
    for (int64_t row = first; row < first + rows; ++row, in += stride)
      for (int64_t i = 0; i < n; ++i)
        if (into[i].index < 0 || R::beats(in[i], into[i].value)) into[i] = {in[i], row};
  }
  static Accumulator nothing() { return {R::neutral(), -1}; }
  ReduceState state() const { return R::state_of(value, index); }
};

template <ReduceKind kKind, class T, class S>
struct Column {
  using A = Accumulator<kKind, T, S>;
  static void start(void* memory, int64_t n) { std::fill_n(static_cast<A*>(memory), n, A::nothing()); }
  static void rows(void* memory, const void* in, int64_t stride, int64_t rows, int64_t n, int64_t first) {
    A::rows(static_cast<A*>(memory), static_cast<const Stored<S>*>(in), stride, rows, n, first);
  }
  static void product(void* memory, const void* left, const void* right, int64_t n) {
    A* into = static_cast<A*>(memory);
    const T *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
    for (int64_t i = 0; i < n; ++i) into[i].value = A::R::combine(into[i].value, a[i] * b[i]);
  }
  /// Counts would not fit into their lanes, and products are safer as doubles.
  static constexpr bool kFolds =
      !is_arg(kKind) && kKind != ReduceKind::prod && !(kKind == ReduceKind::sum && std::is_same_v<T, bool>);
  static void fold(void* memory, int64_t groups, int64_t columns) {
    if constexpr (kFolds) A::fold(static_cast<A*>(memory), groups, columns);
  }
  static void flush(void* memory, ReduceState* states, int64_t n) {
    A* accumulators = static_cast<A*>(memory);
    for (int64_t i = 0; i < n; ++i) A::R::merge_one(states[i], accumulators[i].state());
    start(memory, n);
  }
};

}  // namespace

void add_column_reductions(cpu::LoopKernels& table) {
  for_each_reduction([&]<ReduceKind kKind, class T, class S>() {
    using C = Column<kKind, T, S>;
    cpu::ColumnReducer& entry = table.column[size_t(kKind)][size_t(dtype_of<S>())];
    entry = {
        &C::start, &C::rows, nullptr, C::kFolds ? &C::fold : nullptr, &C::flush, int(sizeof(typename C::A))};
    if constexpr (is_sum(kKind) && std::is_floating_point_v<S>) entry.product = &C::product;
  });
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
