// Complex numbers: parts, conjugation, angles, and the derivatives of functions that are not analytic.
#include "eager/autograd/formulas.h"
#include "eager/composite/support.h"
#include "eager/meta/type_names.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/elementary.h"
#include "generated/ops/joining.h"
#include "generated/ops/matmul.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace ops {

/// Gradient of `view_as_real`: the parts may lie anywhere in memory.
Tensor complex_of_parts(const Tensor& parts) { return view_as_complex(contiguous(parts)); }

/// The part of grad / |self| across the direction of self; real functions are constant but for steps.
Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (!is_complex(self.dtype())) return zeros_like(grad);
  const Tensor length = abs(self), zero = eq(length, 0);
  const Tensor along = real(grad * conj(result)) * result;
  return masked_fill((grad - along) / masked_fill(length, zero, 1), zero, 0);
}

}  // namespace ops

void real_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = is_complex(self.dtype()) ? select(view_as_real(self), -1, 0) : self;
}
void imag_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(is_complex(self.dtype()), "imag is not implemented for tensors with non-complex dtypes.");
  results[0] = select(view_as_real(self), -1, 1);
}

void conj_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = is_complex(self.dtype()) ? conj_physical(self) : self;
}
void adjoint_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.dim() != 1,
                 "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.");
  results[0] = conj(self.dim() == 0 ? self : transpose(self, -2, -1));
}

void complex_composite(const Value* args, Value* results) {
  const Tensor re = args[0].tensor(), im = args[1].tensor();
  const bool real_parts = is_floating(re.dtype()) && is_floating(im.dtype());
  FRAMEJIT_CHECK(real_parts && re.dtype() != DType::bfloat16 && im.dtype() != DType::bfloat16,
                 "Expected both inputs to be Half, Float or Double tensors but got ",
                 scalar_type_name(re.dtype()), " and ", scalar_type_name(im.dtype()));
  FRAMEJIT_CHECK(re.dtype() == im.dtype(), "Expected object of scalar type ", scalar_type_name(re.dtype()),
                 " but got scalar type ", scalar_type_name(im.dtype()), " for second argument");
  const DType part = real_type(complex_type(re.dtype()));  // no complex type has parts of half precision
  const Dims sizes = broadcast_sizes(re.sizes(), im.sizes());
  auto wide = [&](const Tensor& x) { return expand(x.dtype() == part ? x : cast(x, part), sizes); };
  results[0] = ops::complex_of_parts(stack({wide(re), wide(im)}, -1));
}
void polar_composite(const Value* args, Value* results) {
  const Tensor length = args[0].tensor(), angle = args[1].tensor();
  FRAMEJIT_CHECK(length.dtype() == angle.dtype(), "Expected object of scalar type ",
                 scalar_type_name(length.dtype()), " but got scalar type ", scalar_type_name(angle.dtype()),
                 " for second argument");
  results[0] = complex(length * cos(angle), length * sin(angle));
}

void angle_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  if (is_complex(self.dtype())) {
    const Tensor zero = eq(self, 0);  // keeps 0 / 0 out of the gradient
    const Tensor safe = masked_fill(self, zero, 1);
    results[0] = where(zero, atan2(imag(detach(self)), real(detach(self))), atan2(imag(safe), real(safe)));
    return;
  }
  results[0] = angle_of_reals(self);
}

void isreal_composite(const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  results[0] = is_complex(self.dtype()) ? eq(imag(self), 0) : ones_like(self, DType::bool_);
}

void vdot_composite(const Value* args, Value* results) {
  results[0] = dot(conj(args[0].tensor()), args[1].tensor());
}

}  // namespace framejit::eager
