// Index tensors that depend on numbers only: triangles of matrices, combinations.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// A row x col matrix and a diagonal of it; the columns of row r from `begin(r)` to `end(r)` are in the
/// triangle.
struct Triangle {
  int64_t rows, columns, offset;
  bool lower;

  /// args: row, col, offset.
  Triangle(const Op& op, const Value* args)
      : rows(args[0].integer()),
        columns(args[1].integer()),
        offset(args[2].integer()),
        lower(op.schema.name == "tril_indices") {
    FRAMEJIT_CHECK(rows >= 0, "row must be non-negative, got", rows);
    FRAMEJIT_CHECK(columns >= 0, "col must be non-negative, got", columns);
  }
  int64_t begin(int64_t r) const { return lower ? 0 : left_of(r); }
  int64_t end(int64_t r) const { return lower ? left_of(r) : columns; }
  /// The rows that are not empty.
  int64_t first_row() const { return lower ? partial_rows().first : 0; }
  int64_t last_row() const { return lower ? rows : partial_rows().second; }

  int64_t count() const {
    const auto [first, last] = partial_rows();
    const Wide partial = Wide(last - first) * (Wide(left_of(first)) + left_of(std::max(first, last - 1))) / 2;
    const Wide left = partial + Wide(rows - last) * columns;
    const Wide total = lower ? left : Wide(rows) * columns - left;
    FRAMEJIT_CHECK(total <= INT64_MAX, "the triangle of a ", rows, " x ", columns,
                   " matrix has more elements than an int64 counts");
    return int64_t(total);
  }

 private:
  using Wide = __int128;
  /// Columns of row r that are left of the border between the triangles.
  int64_t left_of(int64_t r) const { return int64_t(std::clamp<Wide>(Wide(r) + offset + lower, 0, columns)); }
  /// The rows that the border crosses: before them `left_of` is 0, from the second on it is all columns.
  std::pair<int64_t, int64_t> partial_rows() const {
    const Wide start = -Wide(offset) - lower;
    const auto first = int64_t(std::clamp<Wide>(start, 0, rows));
    return {first, int64_t(std::clamp<Wide>(start + columns, first, rows))};
  }
};

/// Binomial coefficient.
int64_t choose(int64_t n, int64_t r) {
  int64_t ways = r <= n;
  for (int64_t i = 1; i <= r && ways > 0; ++i) {
    int64_t scaled;
    FRAMEJIT_CHECK(!__builtin_mul_overflow(ways, n - r + i, &scaled), "there are too many combinations of ",
                   r, " out of ", n, " elements");
    ways = scaled / i;
  }
  return ways;
}

}  // namespace

void meta_triangle_indices(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const DType dtype = dtype_or(args[3], DType::int64);
  FRAMEJIT_CHECK(dtype == DType::int64 || dtype == DType::int32, "\"", op.schema.name,
                 "\" not implemented for '", dtype_name(dtype), "'");
  results.push_back(contiguous_meta({2, Triangle(op, args).count()}, dtype, device_or(args[4], {})));
}

void triangle_indices_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Triangle triangle(op, args);
  for_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T *row = result.data_as<T>(), *column = row + result.sizes()[1];
    for (int64_t r = triangle.first_row(); r < triangle.last_row() && triangle.columns > 0; ++r)
      for (int64_t c = triangle.begin(r); c < triangle.end(r); ++c) *row++ = T(r), *column++ = T(c);
  });
  results[0] = std::move(result);
}

/// args: n, r, with_replacement.
void meta_combination_indices(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const int64_t n = args[0].integer(), r = args[1].integer();
  const int64_t count = !args[2].boolean() ? choose(n, r) : n == 0 ? 0 : choose(n + r - 1, r);
  results.push_back(contiguous_meta({count, r}, DType::int64));
}

/// Each row is the one before with the last number that can grow made larger by one, and those after it the
/// smallest.
void combination_indices_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const int64_t n = args[0].integer(), r = args[1].integer(), rows = result.sizes()[0];
  const int64_t gap = args[2].boolean() ? 0 : 1;
  int64_t* to = result.data_as<int64_t>();
  for (int64_t i = 0; i < r && rows > 0; ++i) to[i] = i * gap;
  for (int64_t row = 1; row < rows; ++row) {
    const int64_t* last = to;
    to = std::copy_n(last, r, to + r) - r;
    int64_t grows = r - 1;
    while (to[grows] == n - 1 - gap * (r - 1 - grows)) --grows;
    ++to[grows];
    for (int64_t i = grows + 1; i < r; ++i) to[i] = to[i - 1] + gap;
  }
  results[0] = std::move(result);
}

}  // namespace framejit::eager
