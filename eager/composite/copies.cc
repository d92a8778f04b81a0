// Conversions that may return their argument.
#include "eager/composite/support.h"
#include "generated/ops/copy.h"

namespace framejit::eager {

namespace {

Tensor converted(const Tensor& self, DType dtype, bool copy) {
  if (self.dtype() != dtype) return cast(self, dtype);
  return copy ? clone(self) : self;
}

void check_device(const Tensor& self, const Value& device) {
  FRAMEJIT_CHECK_TYPE(device.is_none() || device.device().type == self.device().type, not_implemented,
                      "to(): got device ", device_name(device_or(device, {})),
                      ", but this build only has cpu");
}

}  // namespace

void contiguous_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = self.is_contiguous() ? self : contiguous_copy(self);
}

void to_dtype_composite(const Value* args, Value* results) {
  results[0] = converted(args[0].tensor(), args[1].dtype(), args[3].boolean());
}
void to_device_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  check_device(self, args[1]);
  results[0] = converted(self, dtype_or(args[2], self.dtype()), args[4].boolean());
}
void to_other_composite(const Value* args, Value* results) {
  results[0] = converted(args[0].tensor(), args[1].tensor().dtype(), args[3].boolean());
}
void type_as_composite(const Value* args, Value* results) {
  results[0] = converted(args[0].tensor(), args[1].tensor().dtype(), false);
}

}  // namespace framejit::eager
