// Arithmetic on tensors and numbers in C++ code: derivative formulas and composites. In namespace ops, so
// that `Value`'s implicit constructors do not take part in overload resolution elsewhere.
#pragma once

#include "generated/ops/arithmetic.h"

namespace framejit::eager::ops {

inline Tensor operator-(const Tensor& self) { return neg(self); }
inline Tensor operator+(const Value& a, const Value& b) { return add(a, b); }
inline Tensor operator-(const Value& a, const Value& b) { return sub(a, b); }
inline Tensor operator/(const Value& a, const Value& b) { return div(a, b); }
inline Tensor operator*(const Value& a, const Value& b) { return mul(a, b); }

}  // namespace framejit::eager::ops
