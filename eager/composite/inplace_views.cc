// In-place forms of views, and tensors given other memory: what changes is how a tensor sees its elements.
#include <algorithm>
#include <cstring>

#include "eager/autograd/autograd.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/composite/support.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

void check_changeable(const char* op, const Tensor& self) {
  FRAMEJIT_CHECK(!self.is_symbolic(), op,
                 "(): not possible while a graph is traced. Use the form without '_'.");
}

/// Gives `self` the sizes, strides, offset and history of `view`, a view of it.
void become(const char* op, const Tensor& self, const Tensor& view, Value* results) {
  check_changeable(op, self);
  const bool recorded = modes().grad_enabled && self.requires_grad();
  FRAMEJIT_CHECK(!recorded || !is_leaf(self),
                 "a leaf Variable that requires grad is being used in an in-place operation.");
  TensorImpl& impl = *self.impl();
  if (recorded) set_history(self, grad_fn(view), output_number(view));
  if (impl.view)
    impl.view = std::move(view.impl()->view);  // both are views of one base; only the steps differ
  impl.meta = view.meta();
  impl.offset = view.offset();
  impl.storage->bump_version();
  results[0] = self;
}

}  // namespace

void squeeze_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  become("squeeze_", self, squeeze(self, optional_dims(args[1])), results);
}
void unsqueeze_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  become("unsqueeze_", self, unsqueeze(self, args[1].sym_int()), results);
}
void transpose_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  become("transpose_", self, transpose(self, args[1].sym_int(), args[2].sym_int()), results);
}
void t_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  become("t_", self, t(self), results);
}
void as_strided_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  const std::optional<SymInt> offset =
      args[3].is_none() ? std::nullopt : std::optional<SymInt>(args[3].sym_int());
  become("as_strided_", self, as_strided(self, args[1].dims(), args[2].dims(), offset), results);
}

namespace {

/// Other memory, sizes and strides. The old elements are not kept.
void show(const Tensor& self, Ref<Storage> storage, int64_t offset, const Dims& sizes, const Dims& strides) {
  TensorImpl& impl = *self.impl();
  impl.storage = std::move(storage);
  impl.offset = offset;
  impl.meta.sizes = sizes;
  impl.meta.strides = strides;
}

void resize(const Tensor& self, const Dims& sizes) {
  check_changeable("resize_", self);
  FRAMEJIT_CHECK(!self.requires_grad(), "cannot resize variables that require grad");
  for (int64_t size : sizes)
    FRAMEJIT_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ",
                   sizes_text(sizes));
  if (self.sizes() == sizes) return;
  const size_t item = item_size(self.dtype());
  const size_t needed = (size_t(self.offset()) + size_t(numel(sizes).expect())) * item;
  Ref<Storage> storage = self->storage;
  if (needed > storage->nbytes()) {
    storage = Storage::allocate(needed, self.device());
    std::memcpy(storage->data(), self->storage->data(), self->storage->nbytes());
  }
  show(self, std::move(storage), self.offset(), sizes, contiguous_strides(sizes));
}

void check_source(const Tensor& self, const Tensor& source) {
  check_changeable("set_", self);
  check_changeable("set_", source);
  FRAMEJIT_CHECK(self.dtype() == source.dtype(), "Could not set tensor of type ", dtype_name(source.dtype()),
                 " to a tensor of type ", dtype_name(self.dtype()));
  FRAMEJIT_CHECK(!self.requires_grad(),
                 "set_(): got a tensor that requires grad, expected one that does not");
}

}  // namespace

void resize_inplace_composite(const Value* args, Value* results) {
  resize(args[0].tensor(), args[1].dims());
  results[0] = args[0];
}
void resize_as_inplace_composite(const Value* args, Value* results) {
  resize(args[0].tensor(), args[1].tensor().sizes());
  results[0] = args[0];
}
void set_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), source = args[1].tensor();
  check_source(self, source);
  show(self, source->storage, source.offset(), source.sizes(), source.strides());
  results[0] = self;
}
/// args: self, source, storage_offset, size, stride.
void set_strided_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), source = args[1].tensor();
  check_source(self, source);
  const Dims sizes = args[3].dims(), strides = args[4].dims();
  const Tensor view = as_strided(eager::detach(source), sizes,
                                 strides.empty() ? contiguous_strides(sizes) : strides, args[2].sym_int());
  show(self, view->storage, view.offset(), view.sizes(), view.strides());
  results[0] = self;
}
void set_empty_inplace_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  check_source(self, self);
  show(self, Storage::allocate(0, self.device()), 0, {0}, {1});
  results[0] = self;
}

}  // namespace framejit::eager
