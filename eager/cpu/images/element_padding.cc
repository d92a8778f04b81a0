// pad in the modes that repeat elements: along each dim, a table says which element each of the result is.
#include <algorithm>
#include <cstring>
#include <string>

#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/meta/memory_format.h"

namespace framejit::eager {

using namespace cpu;

namespace {

constexpr int64_t kPieceElements = 32 * 1024;

/// Of a dim of `size`, the element that place `i` of the result is; `before` places lie in front.
int64_t element_at(const std::string& mode, int64_t i, int64_t before, int64_t size) {
  const int64_t at = i - before;
  if (mode == "replicate") return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == "circular") return (at % size + size) % size;
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

/// A dim of both tensors, in the order in which they lie in memory.
struct PaddedDim {
  int64_t size, padded;  ///< without and with what is added
  int64_t step;          ///< to the next element without
  /// Per element with: where it is without. Empty where nothing is added or cut.
  std::vector<int64_t> places;
  int64_t first, past;  ///< elements with that are simply those without, one after the other
  int64_t place(int64_t i) const { return places.empty() ? i * step : places[size_t(i)]; }
};

/// Rows of the padded tensor, and the rows of the plain one that they come from. The innermost dims to which nothing is
/// added are one element.
class PaddedRows {
 public:
  /// `plain`: sizes without padding; `channels_last`: C lies innermost.
  PaddedRows(const Dims& plain, const Dims& pad, const std::string& mode, bool channels_last) {
    const int rank = plain.size();
    for (int k = rank - 1; k >= 0; --k) {
      const int d = !channels_last ? k : k == rank - 1 ? 1 : k == 0 ? 0 : k + 1;
      const int from_end = rank - 1 - d;
      const bool is_padded =
          2 * from_end < pad.size() && (pad[2 * from_end] != 0 || pad[2 * from_end + 1] != 0);
      if (dims_.empty() && !is_padded) {
        element *= plain[d];
        continue;
      }
      add(plain[d], is_padded ? pad[2 * from_end] : 0, is_padded ? pad[2 * from_end + 1] : 0, mode);
    }
    if (dims_.empty()) add(1, 0, 0, mode);
    for (size_t d = 1; d < dims_.size(); ++d) rows *= dims_[d].padded;
    independent = rows;
    for (size_t d = 1; d <= independent_from_; ++d) independent /= dims_[d].padded;
  }

  const PaddedDim& inner() const { return dims_[0]; }
  /// Calls `take(row, place)` for rows [begin, end): `place` is where the plain row lies that it comes from.
  template <class Take>
  void for_each(int64_t begin, int64_t end, const Take& take) const {
    const int64_t length = dims_.size() > 1 ? dims_[1].padded : 1;
    for (int64_t row = begin; row < end;) {
      const int64_t block = row / length;
      const int64_t place = place_of_block(block);
      for (int64_t i = row - block * length; i < length && row < end; ++i, ++row)
        take(row, place + (dims_.size() > 1 ? dims_[1].place(i) : 0));
    }
  }

  int64_t element = 1;      ///< how many lie together
  int64_t rows = 1;         ///< of the padded tensor
  int64_t independent = 1;  ///< parts of both tensors, outermost, that have nothing to do with each other

 private:
  int64_t place_of_block(int64_t number) const {
    int64_t at = 0;
    for (size_t d = 2; d < dims_.size(); number /= dims_[d++].padded)
      at += dims_[d].place(number % dims_[d].padded);
    return at;
  }
  void add(int64_t size, int64_t before, int64_t after, const std::string& mode) {
    PaddedDim dim;
    dim.size = size;
    dim.padded = size + before + after;
    dim.step = dims_.empty() ? element : dims_.back().step * dims_.back().size;
    dim.first = std::clamp<int64_t>(before, 0, dim.padded);
    dim.past = std::clamp(before + size, dim.first, dim.padded);
    if (before != 0 || after != 0) {
      dim.places.resize(size_t(dim.padded));
      for (int64_t i = 0; i < dim.padded; ++i)
        dim.places[size_t(i)] = element_at(mode, i, before, size) * dim.step;
      independent_from_ = dims_.size();
    }
    dims_.push_back(std::move(dim));
  }
  std::vector<PaddedDim> dims_;  ///< from the innermost
  size_t independent_from_ = 0;  ///< the outermost dim with padding
};

/// Calls `repeated(i, place)` for the elements of the inner dim that are added, and `same(first, place, count)` for those
/// that follow each other in both tensors.
template <class Repeated, class Same>
void along_row(const PaddedDim& dim, const Repeated& repeated, const Same& same) {
  if (dim.places.empty()) return same(0, 0, dim.size);
  for (int64_t i = 0; i < dim.first; ++i) repeated(i, dim.places[size_t(i)]);
  if (dim.past > dim.first) same(dim.first, dim.places[size_t(dim.first)], dim.past - dim.first);
  for (int64_t i = dim.past; i < dim.padded; ++i) repeated(i, dim.places[size_t(i)]);
}

template <class Word>
void copy_row(const PaddedRows& rows, const Word* from, Word* to) {
  const int64_t element = rows.element;
  along_row(
      rows.inner(), [=](int64_t i, int64_t place) { std::copy_n(from + place, element, to + i * element); },
      [=](int64_t first, int64_t place, int64_t count) {
        copy_bytes(to + first * element, from + place, size_t(count * element) * sizeof(Word));
      });
}

template <class T>
void add_elements(const T* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = wrapping_sum(to[i], from[i]);
}

template <class T>
void add_row(const PaddedRows& rows, const T* from, T* to) {
  const int64_t element = rows.element;
  along_row(
      rows.inner(), [=](int64_t i, int64_t place) { add_elements(from + i * element, element, to + place); },
      [=](int64_t first, int64_t place, int64_t count) {
        add_elements(from + first * element, count * element, to + place);
      });
}

}  // namespace

/// args: self, pad, mode.
void meta_pad_by_elements(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  const Dims pad = args[1].dims();
  const bool circular = args[2].string() == "circular";
  Dims sizes = self.sizes;
  for (int i = 0; i < pad.size() / 2; ++i) {
    const int dim = sizes.size() - 1 - i;
    const SymInt size = self.sizes.sym(dim) + pad.sym(2 * i) + pad.sym(2 * i + 1);
    FRAMEJIT_CHECK(size >= 0, "pad: a padding of ", pad.sym(2 * i).str(), " and ", pad.sym(2 * i + 1).str(),
                   " leaves less than nothing of dimension ", dim, " of input ", sizes_text(self.sizes));
    FRAMEJIT_CHECK(!circular || size == 0 || self.sizes.sym(dim) > 0,
                   "Padding value causes wrapping around more than once.");
    sizes[dim] = size.bits();
  }
  results.push_back(circular ? contiguous_meta(std::move(sizes), self.dtype, self.device)
                             : meta_in_format_of(self, std::move(sizes)));
}

void pad_by_elements_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const bool channels_last = has_channels_last(args[0].tensor().meta()) && has_channels_last(result.meta());
  const Tensor self = channels_last ? args[0].tensor() : contiguous(args[0].tensor());
  results[0] = result;
  if (result.numel().expect() == 0) return;
  const PaddedRows rows(self.sizes(), args[1].dims(), args[2].string(), channels_last);
  const int64_t row = rows.inner().padded * rows.element;
  for_item_size(self.dtype(), [&](auto zero) {
    using Word = decltype(zero);
    const Word* from = static_cast<const Word*>(self.data());
    Word* to = static_cast<Word*>(result.data());
    parallel_for(rows.rows, std::max<int64_t>(1, kPieceElements / row), [&](int64_t begin, int64_t end) {
      rows.for_each(begin, end,
                    [&](int64_t r, int64_t place) { copy_row(rows, from + place, to + r * row); });
    });
  });
}

/// args: grad, sizes, pad, mode.
void meta_pad_by_elements_backward(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  results.push_back(meta_in_format_of(args[0].impl()->meta, args[1].dims()));
}

void pad_by_elements_backward_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const bool channels_last = has_channels_last(args[0].tensor().meta()) && has_channels_last(result.meta());
  const Tensor grad = channels_last ? args[0].tensor() : contiguous(args[0].tensor());
  results[0] = result;
  const int64_t elements = result.numel().expect();
  if (elements == 0) return;
  const PaddedRows rows(result.sizes(), args[2].dims(), args[3].string(), channels_last);
  const int64_t row = rows.inner().padded * rows.element, part = elements / rows.independent,
                part_rows = rows.rows / rows.independent;
  for_any_dtype(grad.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = grad.data_as<T>();
    T* to = result.data_as<T>();
    parallel_for(
        rows.independent, std::max<int64_t>(1, kPieceElements / part), [&](int64_t begin, int64_t end) {
          std::fill(to + begin * part, to + end * part, T(0));
          rows.for_each(begin * part_rows, end * part_rows,
                        [&](int64_t r, int64_t place) { add_row(rows, from + r * row, to + place); });
        });
  });
}

}  // namespace framejit::eager
