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

/// Running results are read and written so much less often. More rows than these, or less than kVectorsAtOnce of
/// each, and memory is slower: too many places of it are read by turns.
constexpr int kRowsAtOnce = 4;
constexpr int kVectorsAtOnce = 4;
/// Elements of rows whose running results are kept in registers.
constexpr int64_t kShortRow = 256;

/// Calls `take(std::integral_constant<int, count>, row)`, `count` rows from `row` on each time.
template <class Take>
void by_rows(int64_t rows, const Take& take) {
  int64_t row = 0;
  for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce) take(std::integral_constant<int, kRowsAtOnce>(), row);
  for (; row < rows; ++row) take(std::integral_constant<int, 1>(), row);
}

/// Columns of values: a running result is a lane.
template <ReduceKind kKind, class T, class S>
struct Values {
  using R = Reduction<kKind, T>;
  using Lane = typename R::Lane;
  static constexpr int kBytes = sizeof(Lane);
  /// Counts would not fit into their lanes, and products are safer as doubles.
  static constexpr bool kFolds =
      kKind != ReduceKind::prod && !(kKind == ReduceKind::sum && std::is_same_v<T, bool>);

  static void start(void* memory, int64_t n) { std::fill_n(static_cast<Lane*>(memory), n, R::neutral()); }
  /// From column `i` on, as far as whole vectors go; says how far.
  template <int kCount, int kVectors>
  [[gnu::always_inline]] static int64_t take_vectors(Lane* __restrict into, const Stored<S>* __restrict in,
                                                     int64_t stride, int64_t i, int64_t n) {
    typedef Lane Vector __attribute__((vector_size(64)));
    constexpr int64_t lanes = 64 / int64_t(sizeof(Lane));
    for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
      Vector values[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) values[v] = load_vector<Vector>(into + i + v * lanes);
#pragma GCC unroll 4
      for (int r = 0; r < kCount; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v)
          values[v] = R::combine_vectors(values[v],
                                         R::entering(load_vector<Vector>(in + r * stride + i + v * lanes)));
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) std::memcpy(into + i + v * lanes, &values[v], sizeof(Vector));
    }
    return i;
  }
  template <int kCount>
  static void take(Lane* __restrict into, const Stored<S>* __restrict in, int64_t stride, int64_t n) {
    int64_t i = 0;
    if constexpr (!is_complex_type<T>) {
      i = take_vectors<kCount, kVectorsAtOnce>(into, in, stride, i, n);
      i = take_vectors<kCount, 1>(into, in, stride, i, n);
    }
    for (; i < n; ++i)
      for (int r = 0; r < kCount; ++r) into[i] = R::combine(into[i], R::entering(Lane(in[r * stride + i])));
  }
  /// All rows of kVectors vectors at a time: running results stay in registers. From column `i` on, says how far.
  template <int kVectors>
  static int64_t take_down(Lane* __restrict into, const Stored<S>* __restrict in, int64_t stride,
                           int64_t rows, int64_t i, int64_t n) {
    typedef Lane Vector __attribute__((vector_size(64)));
    constexpr int64_t lanes = 64 / int64_t(sizeof(Lane));
    for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
      Vector values[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) values[v] = load_vector<Vector>(into + i + v * lanes);
      for (int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v)
          values[v] = R::combine_vectors(values[v],
                                         R::entering(load_vector<Vector>(in + r * stride + i + v * lanes)));
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) std::memcpy(into + i + v * lanes, &values[v], sizeof(Vector));
    }
    return i;
  }
  static void take_short(Lane* __restrict into, const Stored<S>* __restrict in, int64_t stride, int64_t rows,
                         int64_t n) {
    int64_t i = take_down<16>(into, in, stride, rows, 0, n);
    i = take_down<8>(into, in, stride, rows, i, n);
    i = take_down<4>(into, in, stride, rows, i, n);
    i = take_down<2>(into, in, stride, rows, i, n);
    i = take_down<1>(into, in, stride, rows, i, n);
    for (; i < n; ++i)
      for (int64_t r = 0; r < rows; ++r) into[i] = R::combine(into[i], R::entering(Lane(in[r * stride + i])));
  }
  static void rows(void* memory, const void* in, int64_t stride, int64_t rows, int64_t n, int64_t) {
    Lane* into = static_cast<Lane*>(memory);
    const auto* from = static_cast<const Stored<S>*>(in);
    if constexpr (!is_complex_type<T>)
      if (n <= kShortRow) return take_short(into, from, stride, rows, n);
    if (stride == n) {  // memory is read in its order
      for (int64_t r = 0; r < rows; ++r) take<1>(into, from + r * stride, stride, n);
    } else {
      by_rows(rows, [=](auto count, int64_t row) { take<count>(into, from + row * stride, stride, n); });
    }
  }
  static void product(void* memory, const void* left, const void* right, int64_t n) {
    Lane* into = static_cast<Lane*>(memory);
    const T *a = static_cast<const T*>(left), *b = static_cast<const T*>(right);
    for (int64_t i = 0; i < n; ++i) into[i] = R::combine(into[i], a[i] * b[i]);
  }
  /// Halves the number of groups until one is left.
  static void fold(void* memory, int64_t groups, int64_t columns) {
    for (int64_t half; groups > 1; groups = half) {
      half = (groups + 1) / 2;
      Lane* __restrict lower = static_cast<Lane*>(memory);
      const Lane* __restrict upper = lower + half * columns;
      for (int64_t i = 0; i < (groups - half) * columns; ++i) lower[i] = R::combine(lower[i], upper[i]);
    }
  }
  static void flush(void* memory, ReduceState* states, int64_t n, int64_t) {
    const Lane* values = static_cast<const Lane*>(memory);
    for (int64_t i = 0; i < n; ++i) R::merge_one(states[i], R::state_of(values[i], 0));
    start(memory, n);
  }
};

/// Columns of places, of argmax and argmin: blocks of as many extrema as a vector has, each followed by the
/// rows they came from, counted from the last flush. No row: nothing yet.
template <ReduceKind kKind, class T>
struct Places {
  using R = Reduction<kKind, T>;
  using Lane = typename R::Lane;
  using Row =
      std::conditional_t<sizeof(Lane) == 1, int8_t, std::conditional_t<sizeof(Lane) == 4, int32_t, int64_t>>;
  static_assert(cpu::kColumnFlush <= 127);
  static constexpr int kBytes = 2 * sizeof(Lane);
  static constexpr int64_t kLanes = 64 / int64_t(sizeof(Lane));
  typedef Lane Extrema __attribute__((vector_size(64)));
  typedef Row Rows __attribute__((vector_size(64)));
  struct Block {
    Lane value[size_t(kLanes)];
    Row row[size_t(kLanes)];
  };

  static void start(void* memory, int64_t n) {
    Block* blocks = static_cast<Block*>(memory);
    for (int64_t b = 0; b * kLanes < n; ++b) {
      std::fill_n(blocks[b].value, kLanes, R::neutral());
      std::fill_n(blocks[b].row, kLanes, Row(-1));
    }
  }
  template <int kCount>
  static void take(Block* blocks, const Lane* in, int64_t stride, int64_t n, int64_t first) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      Block& block = blocks[i / kLanes];
      Extrema value = load_vector<Extrema>(block.value);
      Rows row = load_vector<Rows>(block.row);
#pragma GCC unroll 4
      for (int r = 0; r < kCount; ++r) {
        const Extrema next = load_vector<Extrema>(in + r * stride + i);
        const Rows wins = R::beats_vectors(next, value) | (row < 0);
        value = wins ? next : value;
        row = wins ? Rows{} + Row(first + r) : row;
      }
      std::memcpy(block.value, &value, sizeof value);
      std::memcpy(block.row, &row, sizeof row);
    }
    for (; i < n; ++i)
      for (int r = 0; r < kCount; ++r) {
        Lane& value = blocks[i / kLanes].value[i % kLanes];
        Row& row = blocks[i / kLanes].row[i % kLanes];
        const Lane next = in[r * stride + i];
        if (row < 0 || R::beats(next, value)) value = next, row = Row(first + r);
      }
  }
  static void rows(void* memory, const void* in, int64_t stride, int64_t rows, int64_t n, int64_t first) {
    by_rows(rows, [=](auto count, int64_t row) {
      take<count>(static_cast<Block*>(memory), static_cast<const Lane*>(in) + row * stride, stride, n,
                  first + row);
    });
  }
  static void flush(void* memory, ReduceState* states, int64_t n, int64_t begin) {
    const Block* blocks = static_cast<const Block*>(memory);
    for (int64_t i = 0; i < n; ++i) {
      const Row row = blocks[i / kLanes].row[i % kLanes];
      if (row >= 0) R::merge_one(states[i], R::state_of(blocks[i / kLanes].value[i % kLanes], begin + row));
    }
    start(memory, n);
  }
};

}  // namespace

void add_column_reductions(cpu::LoopKernels& table) {
  for_each_reduction([&]<ReduceKind kKind, class T, class S>() {
    cpu::ColumnReducer& entry = table.column[size_t(kKind)][size_t(dtype_of<S>())];
    if constexpr (is_arg(kKind)) {
      using C = Places<kKind, T>;
      entry = {&C::start, &C::rows, nullptr, nullptr, &C::flush, C::kBytes};
    } else {
      using C = Values<kKind, T, S>;
      entry = {&C::start, &C::rows, nullptr, C::kFolds ? &C::fold : nullptr, &C::flush, C::kBytes};
      if constexpr (is_sum(kKind) && std::is_floating_point_v<S>) entry.product = &C::product;
    }
  });
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
