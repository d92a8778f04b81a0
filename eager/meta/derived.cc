#include "eager/meta/derived.h"

#include "eager/cpu/loops/pointwise.h"
#include "eager/dispatch.h"
#include "eager/error.h"
#include "eager/meta/overlap.h"
#include "eager/meta/pointwise.h"
#include "eager/meta/type_names.h"
#include "eager/pointwise_kernel.h"
#include "eager/warning.h"
#include "generated/ops/copy.h"

namespace framejit::eager {

namespace {

TensorMeta functional_meta(const Op& op, const Value* args) { return infer_single(*op.functional, args); }

void check_castable(DType from, DType to) {
  FRAMEJIT_CHECK(category(from) <= category(to), "result type ", scalar_type_name(from),
                 " can't be cast to the desired output type ", scalar_type_name(to));
}

/// Whether writing `self` could change elements of `other` that are still to be read.
bool overlaps(const Tensor& self, const Value& other) {
  if (!other.is_tensor() || other.impl() == self.impl() || other.impl()->storage != self->storage)
    return false;
  const TensorMeta& meta = other.impl()->meta;
  bool same_view =
      other.impl()->offset == self.offset() && meta.sizes == self.sizes() && meta.strides == self.strides();
  return !same_view;
}

/// Whether the functional row is a loop that may write `to` while it reads the operands.
bool computes_into(const Op& op, const Value* args, const Tensor& to) {
  if (op.functional->kernels[int(DeviceType::cpu)] != &pointwise_kernel) return false;
  for (int i = 0; i < op.operand_count; ++i)
    if (overlaps(to, args[i])) return false;
  return true;
}

/// Gives `out` memory for what `meta` says.
void resize_out(const Tensor& out, TensorMeta meta) {
  if (out.numel() != 0)
    warn(concat(
        "An output with one or more elements was resized since it had shape ", sizes_text(out.sizes()),
        ", which does not match the required output shape ", sizes_text(meta.sizes),
        ". This is deprecated: give an out= of that shape, or one without elements (out.resize_(0))."));
  const Tensor resized = Tensor::empty(meta);
  out->storage = resized->storage;
  out->offset = 0;
  out.impl()->meta = std::move(meta);
}

}  // namespace

void check_writable(const Op& op, const Tensor& self) {
  if (self.numel() == 0) return;
  for (int i = 0; i < self.dim(); ++i)
    FRAMEJIT_CHECK(
        self.strides()[i] != 0 || self.sizes()[i] <= 1, op.schema.name,
        "(): unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation.");
}

void check_inplace_result(const Op& op, const TensorMeta& result, const TensorMeta& self) {
  FRAMEJIT_CHECK(result.sizes == self.sizes, op.schema.name, "(): output with shape ", sizes_text(self.sizes),
                 " doesn't match the broadcast shape ", sizes_text(result.sizes));
  check_castable(result.dtype, self.dtype);
}

void meta_inplace(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  check_inplace_result(op, functional_meta(op, args), self);
  results.push_back(self);
}

void inplace_kernel(const Op& op, const Value* args, Value* results) {
  Tensor self = args[0].tensor();
  check_writable(op, self);
  check_inplace_result(op, functional_meta(op, args), self.meta());
  if (computes_into(op, args, self)) {
    pointwise_into(*op.functional, args, self);
  } else {
    Value result;
    call_kernel(*op.functional, args, &result);
    cpu::copy_elements(result.tensor(), self);
  }
  results[0] = self;
}

void meta_out(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& out = args[op.mutated].impl()->meta;
  TensorMeta result = functional_meta(op, args);
  check_castable(result.dtype, out.dtype);
  result.dtype = out.dtype;
  if (result.sizes == out.sizes) result.strides = out.strides;
  results.push_back(std::move(result));
}

void write_out(const Op& op, const Tensor& result, const Tensor& out) {
  FRAMEJIT_CHECK(
      !modes().grad_enabled || !(result.requires_grad() || out.requires_grad()), op.schema.name,
      "(): functions with out=... arguments don't support automatic differentiation, but one of the "
      "arguments requires grad.");
  check_castable(result.dtype(), out.dtype());
  if (!out.is_symbolic()) check_writable(op, out);
  if (!(result.sizes() == out.sizes())) {
    FRAMEJIT_CHECK(!out.is_symbolic(), op.schema.name, "(): out= cannot be resized while a graph is traced");
    TensorMeta meta = result.meta();
    meta.dtype = out.dtype();
    meta.strides = contiguous_strides(meta.sizes);
    resize_out(out, std::move(meta));
  }
  check_writable(op, out);
  ops::copy_(out, result);
}

void out_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_out(op, args, metas);
  Tensor out = args[op.mutated].tensor();
  check_writable(op, out);
  if (computes_into(op, args, out) && metas[0].sizes == out.sizes()) {
    pointwise_into(*op.functional, args, out);
    results[0] = out;
    return;
  }
  Value result;
  call_kernel(*op.functional, args, &result);
  if (!(metas[0].sizes == out.sizes())) resize_out(out, std::move(metas[0]));
  cpu::copy_elements(result.tensor(), out);
  results[0] = out;
}

}  // namespace framejit::eager
