#include "eager/cpu/layout/transpose.h"

#include <algorithm>
#include <bit>

#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/isa.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/loop_kernels.h"
#include "eager/cpu/thread_pool.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::Transpositions, transpositions, static const Transpositions& transpositions())

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kShortest = 4;       ///< a side of a matrix below which elements are copied one by one
constexpr int64_t kLeast = 256;        ///< elements below which the set-up would cost more than it saves
constexpr int64_t kPiece = 32 * 1024;  ///< elements worth a thread
constexpr int64_t kRowsPerPiece = 64;  ///< of a matrix that is shared by threads

/// The dims of both sides, merged where they step evenly in both, outermost in `to` first.
struct Shared {
  Dims sizes, from, to;

  Shared(const Operand& source, const Tensor& target) {
    std::vector<int> order;
    for (int d = 0; d < target.dim(); ++d)
      if (target.sizes()[d] != 1) order.push_back(d);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return target.strides()[a] > target.strides()[b]; });
    for (int d : order) {
      const int64_t size = target.sizes()[d], in = (*source.strides)[d], out = target.strides()[d];
      const int last = sizes.size() - 1;
      if (last >= 0 && from[last] == in * size && to[last] == out * size) {
        sizes[last] *= size;
        from[last] = in;
        to[last] = out;
      } else {
        sizes.push_back(size);
        from.push_back(in);
        to.push_back(out);
      }
    }
  }
  /// The dim of stride 1; -1: none.
  int unit_dim(const Dims& strides) const {
    for (int d = sizes.size() - 1; d >= 0; --d)
      if (strides[d] == 1) return d;
    return -1;
  }
};

bool fits(const Operand& from, const Tensor& to) { return *from.sizes == to.sizes() && to.numel() >= kLeast; }

/// Where row `index` of the outer dims, all but the last, begins on both sides, and the way to the next one.
class OuterRows {
 public:
  OuterRows(const Shared& dims, int64_t index) : dims_(dims), place_(dims.sizes.size()) {
    for (int d = dims.sizes.size() - 2; d >= 0; --d) {
      place_[d] = index % dims.sizes[d];
      index /= dims.sizes[d];
      from_ += place_[d] * dims.from[d];
      to_ += place_[d] * dims.to[d];
    }
  }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  /// How many rows, this one included, are left before a dim further out moves.
  int64_t left() const {
    const int last = dims_.sizes.size() - 2;
    return last < 0 ? 1 : dims_.sizes[last] - place_[last];
  }
  /// Steps, in elements, to the next of these.
  int64_t from_step() const { return dims_.sizes.size() < 2 ? 0 : dims_.from[dims_.sizes.size() - 2]; }
  int64_t to_step() const { return dims_.sizes.size() < 2 ? 0 : dims_.to[dims_.sizes.size() - 2]; }
  /// Goes on to what follows those that were left.
  void next_line() {
    const int last = dims_.sizes.size() - 2;
    if (last < 0) return;
    from_ += dims_.from[last] * (left() - 1);
    to_ += dims_.to[last] * (left() - 1);
    place_[last] = dims_.sizes[last] - 1;
    next();
  }

 private:
  void next() {
    for (int d = dims_.sizes.size() - 2; d >= 0; --d) {
      from_ += dims_.from[d];
      to_ += dims_.to[d];
      if (++place_[d] < dims_.sizes[d]) return;
      from_ -= dims_.from[d] * dims_.sizes[d];
      to_ -= dims_.to[d] * dims_.sizes[d];
      place_[d] = 0;
    }
  }

  const Shared& dims_;
  Dims place_;
  int64_t from_ = 0, to_ = 0;
};

/// Calls `copy(in, out)` where each row of the last dim begins.
template <class Copy>
void for_each_run(const Shared& dims, const Operand& from, const Tensor& to, const Copy& copy) {
  const int64_t from_item = int64_t(item_size(from.dtype)), to_item = int64_t(item_size(to.dtype())),
                length = dims.sizes[dims.sizes.size() - 1];
  const char* source = static_cast<const char*>(from.data);
  char* target = static_cast<char*>(to.data());
  const int64_t rows = to.numel().expect() / length;
  parallel_for(rows, std::max<int64_t>(1, 4 * kPiece / (length * to_item)), [&](int64_t begin, int64_t end) {
    OuterRows row(dims, begin);
    const int64_t from_step = row.from_step() * from_item, to_step = row.to_step() * to_item;
    for (int64_t i = begin; i < end; row.next_line()) {
      const int64_t count = std::min(row.left(), end - i);
      const char* in = source + row.from() * from_item;
      char* out = target + row.to() * to_item;
      for (int64_t k = 0; k < count; ++k, in += from_step, out += to_step) copy(in, out);
      i += count;
    }
  });
}

}  // namespace

bool copy_runs(const Operand& from, const Tensor& to) {
  if (from.dtype != to.dtype() || !fits(from, to)) return false;
  const Shared dims(from, to);
  const int last = dims.sizes.size() - 1;
  const int64_t item = int64_t(item_size(to.dtype())), run = dims.sizes[last] * item;
  if (dims.from[last] != 1 || dims.to[last] != 1 || dims.sizes[last] < 2) return false;
  const auto copy =
      [&](auto bytes) {  // of each run: a constant, where it is a common one, copied without a call
        for_each_run(dims, from, to,
                     [bytes](const char* in, char* out) { copy_bytes(out, in, size_t(bytes)); });
      };
  switch (run) {
    case 32:
      copy(std::integral_constant<int64_t, 32>());
      break;
    case 64:
      copy(std::integral_constant<int64_t, 64>());
      break;
    case 128:
      copy(std::integral_constant<int64_t, 128>());
      break;
    default:
      copy(run);
  }
  return true;
}

bool copy_strided(const Operand& from, const Tensor& to) {
  if (!fits(from, to)) return false;
  const Shared dims(from, to);
  const int last = dims.sizes.size() - 1;
  if (dims.to[last] != 1 || dims.sizes[last] < 2) return false;
  const CastFn cast = loop_kernels().cast[size_t(from.dtype)][size_t(to.dtype())];
  for_each_run(dims, from, to,
               [cast, stride = dims.from[last], n = dims.sizes[last]](const char* in, char* out) {
                 cast(in, stride, out, n);
               });
  return true;
}

bool copy_transposed(const Operand& from, const Tensor& to) {
  if (from.dtype != to.dtype() || !fits(from, to)) return false;
  const Shared dims(from, to);
  const int row = dims.unit_dim(dims.to), column = dims.unit_dim(dims.from);
  if (row < 0 || column < 0 || row == column) return false;
  const int64_t rows = dims.sizes[row], columns = dims.sizes[column];
  const bool interleaves = (rows == 2 || rows == 3) && dims.to[column] == rows;
  if ((rows < kShortest && !interleaves) || columns < kShortest || dims.from[row] <= 0 ||
      dims.to[column] <= 0)
    return false;

  Dims sizes, from_strides, to_strides;  // of the other dims: where the matrices begin
  for (int d = 0; d < dims.sizes.size(); ++d) {
    if (d == row || d == column) continue;
    sizes.push_back(dims.sizes[d]);
    from_strides.push_back(dims.from[d]);
    to_strides.push_back(dims.to[d]);
  }
  const std::vector<int64_t> from_starts = enumerate_offsets(sizes.span(), from_strides.span()),
                             to_starts = enumerate_offsets(sizes.span(), to_strides.span());
  const int64_t item = int64_t(item_size(to.dtype()));
  const TransposeFn transpose = transpositions()[size_t(std::countr_zero(uint64_t(item)))];
  const int64_t parts = (rows + kRowsPerPiece - 1) / kRowsPerPiece;
  const char* source = static_cast<const char*>(from.data);
  char* target = static_cast<char*>(to.data());
  const int64_t part_elements = std::min(rows, kRowsPerPiece) * columns;
  parallel_for(int64_t(from_starts.size()) * parts, std::max<int64_t>(1, kPiece / part_elements),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const size_t matrix = size_t(i / parts);
                   const int64_t first = i % parts * kRowsPerPiece;
                   transpose(source + (from_starts[matrix] + first * dims.from[row]) * item, dims.from[row],
                             target + (to_starts[matrix] + first) * item, dims.to[column],
                             std::min(kRowsPerPiece, rows - first), columns);
                 }
               });
  return true;
}

}  // namespace framejit::eager::cpu
