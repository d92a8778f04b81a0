// Creation ops in terms of `empty`, `full` and `arange`.
#include <cmath>

#include "eager/allocate.h"
#include "eager/composite/memory_format.h"
#include "eager/composite/no_graph.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/indexing.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// Filled with a number, in the default dtype unless args[1] names one. args: sizes, dtype, device.
Tensor filled(const Value* args, int number) {
  return full(args[0].dims(), number, dtype_or(args[1], default_dtype()), optional_device(args[2]));
}

/// Like args[0]; args[at] is the dtype, args[at + 1] the device.
Tensor filled_like(const Value* args, const Dims& sizes, const Value& number, int at) {
  const Tensor self = args[0].tensor();
  return full(sizes, number, dtype_or(args[at], self.dtype()), device_or(args[at + 1], self.device()));
}

/// Strides of a tensor like self: by default those of self where they are dense.
Dims strides_like(const Tensor& self, const Value& format) {
  if (format.is_none() || format.string() == "preserve_format") return preserved_meta(self.meta()).strides;
  return format_strides(self.sizes(), format.string());
}

Tensor empty_like_self(const Value* args) {
  const Tensor self = args[0].tensor();
  return empty_strided(self.sizes(), strides_like(self, args[3]), dtype_or(args[1], self.dtype()),
                       device_or(args[2], self.device()));
}

/// A contiguous tensor seen with its dims in another order where the strides are to be others.
Tensor filled_like_self(const Value* args, const Value& number, int at) {
  const Tensor self = args[0].tensor();
  const Tensor result = filled_like(args, self.sizes(), number, at);
  const Dims strides = strides_like(self, args[at + 2]);
  return strides == result.strides() ? result : as_strided(result, self.sizes(), strides);
}

}  // namespace

void zeros_composite(const Value* args, Value* results) { results[0] = filled(args, 0); }
void ones_composite(const Value* args, Value* results) { results[0] = filled(args, 1); }
void scalar_tensor_composite(const Value* args, Value* results) {
  results[0] = full(Dims(), args[0], dtype_or(args[1], default_dtype()), optional_device(args[2]));
}

void empty_like_composite(const Value* args, Value* results) { results[0] = empty_like_self(args); }
void zeros_like_composite(const Value* args, Value* results) { results[0] = filled_like_self(args, 0, 1); }
void ones_like_composite(const Value* args, Value* results) { results[0] = filled_like_self(args, 1, 1); }
void full_like_composite(const Value* args, Value* results) {
  results[0] = filled_like_self(args, args[1], 2);
}

void new_empty_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = empty(args[1].dims(), dtype_or(args[2], self.dtype()), device_or(args[3], self.device()));
}
void new_zeros_composite(const Value* args, Value* results) {
  results[0] = filled_like(args, args[1].dims(), 0, 2);
}
void new_ones_composite(const Value* args, Value* results) {
  results[0] = filled_like(args, args[1].dims(), 1, 2);
}
void new_full_composite(const Value* args, Value* results) {
  results[0] = filled_like(args, args[1].dims(), args[2], 3);
}

void arange_end_composite(const Value* args, Value* results) {
  results[0] = arange(Value(0), args[0], Value(1), optional_dtype(args[1]), optional_device(args[2]));
}
void logspace_composite(const Value* args, Value* results) {
  const DType dtype = dtype_or(args[4], default_dtype());
  FRAMEJIT_CHECK_TYPE(dtype != DType::bool_, not_implemented,
                      "logspace: no powers of type bool; give a dtype of numbers");
  const auto exponent = [&](const Value& number) {  // PyTorch converts the ends to the dtype first
    const bool cut = category(dtype) <= category(DType::int64) && number.tag() == Value::Tag::real;
    return cut ? Value(std::trunc(number.real())) : number;
  };
  const Tensor exponents = linspace(exponent(args[0]), exponent(args[1]), args[2].sym_int(), DType::float64,
                                    optional_device(args[5]));
  const Tensor result = pow(args[3], exponents);
  results[0] = cast(result, dtype);
}
void eye_square_composite(const Value* args, Value* results) {
  results[0] = eye(args[0].sym_int(), args[0].sym_int(), optional_dtype(args[1]), optional_device(args[2]));
}

/// args: self, offset, dim1, dim2.
void diag_embed_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int64_t offset = args[1].integer();
  const int rank = self.dim() + 1;
  const int first = wrap_dim(args[2].integer(), rank), second = wrap_dim(args[3].integer(), rank);
  FRAMEJIT_CHECK(first != second, "diagonal dimensions cannot be identical ", args[2].integer(), ", ",
                 args[3].integer());
  const SymInt side = self.size(self.dim() - 1) + std::abs(offset);
  Dims sizes;
  int next = 0;
  for (int i = 0; i < rank; ++i)
    sizes.push_back(i == first || i == second ? side.bits() : self.sizes()[next++]);
  const Tensor nothing = zeros(sizes, self.dtype(), self.device());
  if (!needs_no_graph({self}))
    return void(results[0] = diagonal_scatter(nothing, self, offset, first, second));
  copy_(diagonal(nothing, offset, first, second), self);
  results[0] = nothing;
}

void diag_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ", self.dim(),
                 "D");
  results[0] =
      self.dim() == 1 ? diag_embed(self, args[1].sym_int()) : clone(diagonal(self, args[1].sym_int()));
}

void trace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  results[0] = sum(diagonal(self));
}

/// args: tensors, indexing.
void meshgrid_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  const std::string& indexing = args[1].string();
  FRAMEJIT_CHECK(indexing == "ij" || indexing == "xy",
                 "meshgrid: indexing must be one of \"xy\" or \"ij\", but "
                 "received: ",
                 indexing);
  const bool swapped = indexing == "xy" && tensors.size() >= 2;
  if (swapped) std::swap(tensors[0], tensors[1]);
  check_rank(int(tensors.size()));
  Dims sizes;
  for (const Tensor& tensor : tensors) sizes.push_back(tensor.numel());
  for (int i = 0; i < int(tensors.size()); ++i) {
    Dims own(sizes.size(), 1);
    own[i] = sizes[i];
    tensors[size_t(i)] = expand(reshape(tensors[size_t(i)], own), sizes);
  }
  if (swapped) std::swap(tensors[0], tensors[1]);
  results[0] = std::move(tensors);
}

/// args: input, num_classes (-1: the largest index + 1).
void one_hot_composite(const Value* args, Value* results) {
  const Tensor input = args[0].tensor();
  FRAMEJIT_CHECK(input.dtype() == DType::int64,
                 "one_hot is only applicable to index tensor of type LongTensor.");
  int64_t classes = args[1].integer();
  if (classes < 0) classes = item(amax(input)).integer() + 1;
  Dims sizes = input.sizes();
  sizes.push_back(classes);
  results[0] = scatter_(zeros(sizes, DType::int64), -1, unsqueeze(input, -1), Value(1));
}

}  // namespace framejit::eager
