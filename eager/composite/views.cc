// Views made of other views.
#include "eager/composite/support.h"
#include "generated/ops/copy.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor reshaped(const Tensor& self, const Dims& shape) {
  const Dims sizes = infer_size(shape, self.numel());
  return view(view_strides(self.meta(), sizes) ? self : contiguous_copy(self), sizes);
}

Tensor part(const Tensor& self, SymInt dim, SymInt start, SymInt length) {
  return slice(self, dim, start, start + length);
}

SymInt size_along(const Tensor& self, const Value& dim, const char* op) {
  FRAMEJIT_CHECK(self.dim() > 0, op, " expects at least a 1-dimensional tensor");
  return self.size(wrap_dim(dim.integer(), self.dim()));
}

using SizeList = std::vector<SymInt>;  // of any length, unlike Dims

std::string list_text(const SizeList& sizes) {
  std::string text;
  for (SymInt size : sizes) text += (text.empty() ? "[" : ", ") + size.str();
  return text.empty() ? "[]" : text + "]";
}

std::vector<Tensor> parts_of_sizes(const Tensor& self, const SizeList& sizes, const Value& dim) {
  const SymInt size = size_along(self, dim, "split");
  SymInt total = 0;
  for (SymInt each : sizes) {
    FRAMEJIT_CHECK(each >= 0,
                   "split_with_sizes expects split_sizes have only non-negative entries, but got "
                   "split_sizes=",
                   list_text(sizes));
    total = total + each;
  }
  FRAMEJIT_CHECK(total == size, "split_with_sizes expects split_sizes to sum exactly to ", size.str(),
                 " (input tensor's size at dimension ", dim.integer(),
                 "), but got split_sizes=", list_text(sizes));
  std::vector<Tensor> parts;
  SymInt at = 0;
  for (SymInt each : sizes) {
    parts.push_back(part(self, dim.sym_int(), at, each));
    at = at + each;
  }
  return parts;
}

std::vector<Tensor> equal_parts(const Tensor& self, SymInt length, const Value& dim) {
  const SymInt size = size_along(self, dim, "split");
  FRAMEJIT_CHECK(length >= 0, "split expects split_size be non-negative, but got split_size=", length.str());
  FRAMEJIT_CHECK(length > 0 || size == 0,
                 "split_size can only be 0 if dimension size is 0, but got dimension size of ", size.str());
  const int64_t count = size == 0 ? 1 : floor_div(size + length - 1, length).expect();
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i) {
    const SymInt start = length * i;
    parts.push_back(part(self, dim.sym_int(), start, sym_min(length, size - start)));
  }
  return parts;
}

}  // namespace

void reshape_composite(const Value* args, Value* results) {
  results[0] = reshaped(args[0].tensor(), args[1].dims());
}
void view_as_composite(const Value* args, Value* results) {
  results[0] = view(args[0].tensor(), args[1].tensor().sizes());
}
void reshape_as_composite(const Value* args, Value* results) {
  results[0] = reshaped(args[0].tensor(), args[1].tensor().sizes());
}
void expand_as_composite(const Value* args, Value* results) {
  results[0] = expand(args[0].tensor(), args[1].tensor().sizes());
}
void broadcast_to_composite(const Value* args, Value* results) {
  results[0] = expand(args[0].tensor(), args[1].dims());
}
void broadcast_tensors_composite(const Value* args, Value* results) {
  std::vector<Tensor> tensors = args[0].tensor_list();
  Dims sizes;
  for (const Tensor& tensor : tensors) sizes = broadcast_sizes(sizes, tensor.sizes());
  for (Tensor& tensor : tensors) tensor = expand(tensor, sizes);
  results[0] = std::move(tensors);
}
/// Row-major: a copy of anything else, even of elements at equal distances.
void ravel_composite(const Value* args, Value* results) {
  results[0] = reshaped(contiguous(args[0].tensor()), {-1});
}

void t_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D");
  results[0] = self.dim() < 2 ? alias(self) : transpose(self, 0, 1);
}

void narrow_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  const SymInt size = self.size(wrap_dim(args[1].integer(), self.dim())), length = args[3].sym_int();
  SymInt start = args[2].sym_int();
  FRAMEJIT_CHECK(length >= 0, "narrow(): length must be non-negative.");
  FRAMEJIT_CHECK_TYPE(start >= SymInt(0) - size && start <= size, index,
                      "start out of range (expected to be in range of [-", size.str(), ", ", size.str(),
                      "], but got ", start.str(), ")");
  if (start < 0) start = start + size;
  FRAMEJIT_CHECK(start + length <= size, "start (", start.str(), ") + length (", length.str(),
                 ") exceeds dimension size (", size.str(), ").");
  results[0] = part(self, args[1].sym_int(), start, length);
}

void flatten_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int start = wrap_dim(args[1].integer(), self.dim()), end = wrap_dim(args[2].integer(), self.dim());
  FRAMEJIT_CHECK(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return void(results[0] = reshaped(self, {1}));
  if (start == end) return void(results[0] = self);
  Dims sizes;
  SymInt flat = 1;
  for (int i = 0; i < self.dim(); ++i) {
    if (i >= start && i <= end) flat = flat * self.size(i);
    if (i < start || i > end) sizes.push_back(self.sizes()[i]);
    if (i == end) sizes.push_back(flat);
  }
  results[0] = reshaped(self, sizes);
}

void unflatten_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const int dim = wrap_dim(args[1].integer(), self.dim());
  const Dims inner = infer_size(args[2].dims(), self.size(dim));
  Dims sizes;
  for (int i = 0; i < self.dim(); ++i) {
    if (i != dim) sizes.push_back(self.sizes()[i]);
    if (i == dim)
      for (int64_t size : inner) sizes.push_back(size);
  }
  results[0] = view(self, sizes);
}

void movedim_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const Dims source = *optional_dims(args[1]), destination = *optional_dims(args[2]);
  const int rank = self.dim();
  FRAMEJIT_CHECK(source.size() == destination.size(), "movedim: Invalid source or destination dims: source (",
                 sizes_text(source), " dims) should contain the same number of dims as destination (",
                 sizes_text(destination), " dims)");
  Dims order(rank, -1);
  uint64_t moved = 0;
  for (int i = 0; i < source.size(); ++i) {
    const int from = wrap_dim(source[i], rank), to = wrap_dim(destination[i], rank);
    FRAMEJIT_CHECK(!(moved >> from & 1), "movedim: repeated dim in `source` (", sizes_text(source), ")");
    FRAMEJIT_CHECK(order[to] < 0, "movedim: repeated dim in `destination` (", sizes_text(destination), ")");
    moved |= uint64_t(1) << from;
    order[to] = from;
  }
  int next = 0;
  for (int64_t& entry : order) {
    if (entry >= 0) continue;
    while (moved >> next & 1) ++next;
    entry = next++;
  }
  results[0] = permute(self, order);
}

void split_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const SizeList sizes = args[1].is_number() ? SizeList{args[1].sym_int()} : args[1].int_list();
  results[0] =
      sizes.size() == 1 ? equal_parts(self, sizes[0], args[2]) : parts_of_sizes(self, sizes, args[2]);
}
void split_with_sizes_composite(const Value* args, Value* results) {
  results[0] = parts_of_sizes(args[0].tensor(), args[1].int_list(), args[2]);
}
void chunk_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const SymInt size = size_along(self, args[2], "chunk");
  const int64_t chunks = args[1].integer();
  FRAMEJIT_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  FRAMEJIT_CHECK_TYPE(chunks <= INT32_MAX, memory, "chunk: no memory for ", chunks, " views");
  if (size == 0)
    results[0] = parts_of_sizes(self, SizeList(size_t(chunks), SymInt(0)), args[2]);
  else
    results[0] = equal_parts(self, floor_div(size + (chunks - 1), chunks), args[2]);
}
void tensor_split_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const SymInt size = size_along(self, args[2], "tensor_split");
  const int64_t sections = args[1].integer();
  FRAMEJIT_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  FRAMEJIT_CHECK_TYPE(sections <= INT32_MAX, memory, "tensor_split: no memory for ", sections, " views");
  const SymInt each = floor_div(size, sections);
  const int64_t longer = floor_mod(size, sections).expect();
  SizeList sizes;
  for (int64_t i = 0; i < sections; ++i) sizes.push_back(each + (i < longer));
  results[0] = parts_of_sizes(self, sizes, args[2]);
}

void unbind_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK_TYPE(self.dim() > 0, index, "Dimension specified as ", args[1].integer(),
                      " but tensor has no dimensions");
  const int64_t size = self.size(wrap_dim(args[1].integer(), self.dim())).expect();
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < size; ++i) parts.push_back(select(self, args[1].sym_int(), i));
  results[0] = std::move(parts);
}

}  // namespace framejit::eager
