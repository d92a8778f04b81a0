// Creation ops, and the triangles of matrices.
#include <algorithm>
#include <cmath>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/tile_program.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

void check_sizes(const Dims& sizes) {
  for (int i = 0; i < sizes.size(); ++i)
    FRAMEJIT_CHECK(sizes.sym(i) >= 0, "Trying to create tensor with negative dimension ", sizes.sym(i).str(),
                   ": ", sizes_text(sizes));
}

bool is_integer(const Value& number) {
  return number.tag() == Value::Tag::sym_int || number.tag() == Value::Tag::boolean ||
         (number.tag() == Value::Tag::scalar_node && !is_floating(number.scalar_node().dtype));
}

/// `to[i] = value(i)`, by threads. In parts of which the compiler knows the length, and with numbers of 32 bits, which have
/// vectors everywhere.
template <class T, class ValueAt>
void fill_sequence(T* to, int64_t begin, int64_t end, const ValueAt& value) {
  constexpr int32_t kPart = 256;
  parallel_for((end - begin + kPart - 1) / kPart, 128, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t at = begin + part * kPart;
      if (end <= INT32_MAX && at + kPart <= end) {
        const ValueAt value_at = value;  // nothing that the stores may change
        T* __restrict out = to + at;
        for (int32_t k = 0; k < kPart; ++k) out[k] = T(value_at(int32_t(at) + k));
      } else {
        for (int64_t i = at; i < std::min(end, at + kPart); ++i) to[i] = T(value(i));
      }
    }
  });
}

bool makes_integers(DType dtype) { return category(dtype) <= category(DType::int64); }

/// How many steps of `step` lead from start to end: ceil((end - start) / step), in integers where all are.
int64_t arange_length(const Value& start, const Value& end, const Value& step) {
  if (is_integer(start) && is_integer(end) && is_integer(step)) {
    const int64_t span = end.integer() - start.integer(), by = step.integer();
    return span / by + (span % by != 0);
  }
  return int64_t(std::ceil((end.real() - start.real()) / step.real()));
}

}  // namespace

void meta_full_size(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  check_sizes(args[0].dims());
  const int at = op.schema.find("dtype");
  results.push_back(
      contiguous_meta(args[0].dims(), dtype_or(args[at], default_dtype()), device_or(args[at + 1], {})));
}
void meta_full(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  check_sizes(args[0].dims());
  const DType dtype = dtype_or(args[2], number_dtype(args[1]));
  results.push_back(contiguous_meta(args[0].dims(), dtype, device_or(args[3], {})));
}
void meta_empty_strided(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  check_sizes(args[0].dims());
  TensorMeta meta =
      contiguous_meta(args[0].dims(), dtype_or(args[2], default_dtype()), device_or(args[3], {}));
  meta.strides = args[1].dims();
  FRAMEJIT_CHECK(meta.strides.size() == meta.sizes.size(), "dimensionality of sizes (", meta.sizes.size(),
                 ") must match dimensionality of strides (", meta.strides.size(), ")");
  results.push_back(std::move(meta));
}

void empty_kernel(const Op& op, const Value* args, Value* results) { results[0] = allocate_result(op, args); }
void empty_strided_kernel(const Op& op, const Value* args, Value* results) {
  const TensorMeta meta = infer_single(op, args);
  int64_t last = 0;  // the strides may leave gaps or overlap, so the storage is sized by its last element
  for (int i = 0; i < meta.sizes.size(); ++i)
    last += std::max<int64_t>(0, meta.sizes[i] - 1) * meta.strides[i];
  const size_t bytes = numel(meta.sizes) == 0 ? 0 : size_t(last + 1) * item_size(meta.dtype);
  results[0] = Tensor::from_storage(Storage::allocate(bytes), 0, meta);
}
void full_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Number value = to_number(args[1]);
  fill_elements(result, value.data(), value.dtype);
  results[0] = std::move(result);
}

void meta_arange(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const double start = args[0].real(), end = args[1].real(), step = args[2].real();
  FRAMEJIT_CHECK(step != 0, "step must be nonzero");
  FRAMEJIT_CHECK(std::isfinite(start) && std::isfinite(end), "unsupported range: ", start, " -> ", end);
  FRAMEJIT_CHECK((step > 0) == (end >= start) || end == start,
                 "upper bound and lower bound inconsistent with step sign");
  const bool integral = is_integer(args[0]) && is_integer(args[1]) && is_integer(args[2]);
  const DType dtype = dtype_or(args[3], integral ? DType::int64 : default_dtype());
  const auto whole = [&](const Value& number) {  // int64 counts in integers
    return dtype == DType::int64 && !is_integer(number) ? Value(int64_t(number.real())) : number;
  };
  FRAMEJIT_CHECK_TYPE(whole(args[2]).real() != 0, value, "step must be nonzero");
  const int64_t length = arange_length(whole(args[0]), whole(args[1]), whole(args[2]));
  results.push_back(contiguous_meta({length}, dtype, device_or(args[4], {})));
}

void arange_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const int64_t count = result.numel().expect();
  const bool integral = makes_integers(result.dtype());
  for_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.data_as<T>();
    if (integral) {
      const auto whole = [](const Value& n) { return is_integer(n) ? n.integer() : int64_t(n.real()); };
      const uint64_t start = uint64_t(whole(args[0])), step = uint64_t(whole(args[2]));
      parallel_for(count, 32 * 1024, [=](int64_t begin, int64_t end) {
#pragma GCC unroll 8
        for (int64_t i = begin; i < end; ++i) to[i] = T(int64_t(start + uint64_t(i) * step));
      });
    } else {
      const double start = args[0].real(), step = args[2].real();
      fill_sequence(to, 0, count, [=](auto i) { return start + double(i) * step; });
    }
  });
  results[0] = std::move(result);
}

void meta_linspace(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  FRAMEJIT_CHECK(args[2].sym_int() >= 0, "number of steps must be non-negative");
  const bool complex = args[0].tag() == Value::Tag::complex || args[1].tag() == Value::Tag::complex;
  const DType usual = complex ? complex_type(default_dtype()) : default_dtype();
  const DType dtype = dtype_or(args[3], usual);
  FRAMEJIT_CHECK_TYPE(dtype != DType::bool_, not_implemented,
                      "linspace: no steps between numbers of type bool; give a dtype of numbers");
  results.push_back(contiguous_meta({args[2].sym_int().bits()}, dtype, device_or(args[4], {})));
}

/// The second half counts back from the end, so that both ends are exact.
void linspace_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const int64_t count = result.numel().expect();
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Real = std::conditional_t<is_complex_type<T>, std::complex<double>,
                                    std::conditional_t<std::is_same_v<T, float>, float, double>>;
    const auto exact = [&](const Value& number) {
      if constexpr (is_complex_type<T>) return number.complex();
      return Real(makes_integers(result.dtype()) ? std::trunc(number.real()) : number.real());
    };
    const Real start = exact(args[0]), end = exact(args[1]);
    const Real step = count > 1 ? (end - start) / Real(count - 1) : Real(0);
    T* to = result.data_as<T>();
    const int64_t half = count == 1 ? 1 : count / 2;
    fill_sequence(to, 0, half, [=](auto i) { return start + step * Real(i); });
    fill_sequence(to, half, count,
                  [=, last = count - 1](auto i) { return end - step * Real(decltype(i)(last) - i); });
  });
  results[0] = std::move(result);
}

void meta_eye(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const Dims sizes{args[0].sym_int().bits(), args[1].sym_int().bits()};
  FRAMEJIT_CHECK(sizes.sym(0) >= 0, "n must be greater or equal to 0, got ", sizes.sym(0).str());
  FRAMEJIT_CHECK(sizes.sym(1) >= 0, "m must be greater or equal to 0, got ", sizes.sym(1).str());
  results.push_back(contiguous_meta(sizes, dtype_or(args[2], default_dtype()), device_or(args[3], {})));
}

void eye_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const int64_t rows = result.sizes()[0], columns = result.sizes()[1];
  const int64_t zero_number = 0;
  fill_elements(result, &zero_number, DType::int64);
  for_any_dtype(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < std::min(rows, columns); ++i) result.data_as<T>()[i * columns + i] = T(1);
  });
  results[0] = std::move(result);
}

void meta_triangle(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  FRAMEJIT_CHECK(self.sizes.size() >= 2, op.schema.name,
                 ": input tensor must have at least 2 dimensions, got shape ", sizes_text(self.sizes));
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

namespace {

void triangle(const Op& op, const Value* args, bool lower, Value* results) {
  const Tensor self = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  const int rank = self.dim();
  const int64_t rows = self.sizes()[rank - 2], columns = self.sizes()[rank - 1], diagonal = args[1].integer();
  const int64_t all_rows = columns == 0 ? 0 : self.numel().expect() / columns;
  for_item_size(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = self.data_as<T>();
    T* to = result.data_as<T>();
    parallel_for(all_rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, columns)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r) {
                     // Columns below `cut` are on or below the diagonal (lower), or below it (upper).
                     const int64_t cut = std::clamp<int64_t>(r % rows + diagonal + lower, 0, columns);
                     const int64_t kept = lower ? 0 : cut, count = lower ? cut : columns - cut;
                     const int64_t cleared = lower ? cut : 0, zeros = columns - count;
                     std::copy_n(from + r * columns + kept, count, to + r * columns + kept);
                     std::fill_n(to + r * columns + cleared, zeros, T(0));
                   }
                 });
  });
  results[0] = std::move(result);
}

}  // namespace

void tril_kernel(const Op& op, const Value* args, Value* results) { triangle(op, args, true, results); }
void triu_kernel(const Op& op, const Value* args, Value* results) { triangle(op, args, false, results); }

}  // namespace framejit::eager
