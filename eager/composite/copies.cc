// Conversions that may return their argument.
#include "eager/composite/support.h"
#include "eager/composite/memory_format.h"
#include "generated/ops/copy.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

Tensor converted(const Tensor& self, DType dtype, bool copy, const Value& format) {
  if (self.dtype() != dtype) return in_format(cast(self, dtype), format, false);
  const bool asked = !format.is_none() && format.string() != "preserve_format";
  return in_format(self, format,
                   copy || (asked && !(self.strides() == format_strides(self.sizes(), format.string()))));
}

void check_device(const Tensor& self, const Value& device) {
  FRAMEJIT_CHECK_TYPE(device.is_none() || device.device().type == self.device().type, not_implemented,
                      "to(): got device ", device_name(device_or(device, {})),
                      ", but this build only has cpu");
}

}  // namespace

Tensor in_format(const Tensor& self, const Value& format, bool copy) {
  if (format.is_none() || format.string() == "preserve_format") return copy ? clone(self) : self;
  if (!copy && is_in_format(self.meta(), format.string())) return self;
  if (format.string() == "contiguous_format") return contiguous_copy(self);
  format_strides(self.sizes(), format.string());  // raises for a rank that has no such format
  Dims to_last, back;                             // dim 1 to the end, and where each dim is then
  for (int d = 0; d < self.dim(); ++d) {
    if (d != 1) to_last.push_back(int64_t(d));
    back.push_back(int64_t(d == 0 ? 0 : d == 1 ? self.dim() - 1 : d - 1));
  }
  to_last.push_back(int64_t(1));
  return permute(contiguous_copy(permute(self, to_last)), back);
}

void contiguous_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  if (!args[1].is_none()) return void(results[0] = in_format(self, args[1], false));
  results[0] = self.is_contiguous() ? self : contiguous_copy(self);
}

void clone_format_composite(const Value* args, Value* results) {
  results[0] = in_format(args[0].tensor(), args[1], true);
}

void to_dtype_composite(const Value* args, Value* results) {
  results[0] = converted(args[0].tensor(), args[1].dtype(), args[3].boolean(), args[4]);
}
void to_device_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  check_device(self, args[1]);
  results[0] = converted(self, dtype_or(args[2], self.dtype()), args[4].boolean(), args[5]);
}
void to_other_composite(const Value* args, Value* results) {
  results[0] = converted(args[0].tensor(), args[1].tensor().dtype(), args[3].boolean(), args[4]);
}
void type_as_composite(const Value* args, Value* results) {
  results[0] = converted(args[0].tensor(), args[1].tensor().dtype(), false, Value());
}

}  // namespace framejit::eager
