// The formulas of row ops, from which row_kernels.cc makes tile programs. They say, operation for operation,
// what the ops' decompositions say (eager/composite/normalization.cc), so that eager and compiled code give
// the same bits.
//
// `B` builds: `op(name, operands...)` applies the pointwise row of that name in the compute dtype,
// `reduce(kind, value)` reduces over the row. Values are of type B::Value.
#pragma once

#include "eager/cpu/loops/reduce.h"

namespace framejit::eager::cpu {

template <class B>
typename B::Value softmax_formula(B& b, typename B::Value x) {
  auto e = b.op("exp", b.op("sub", x, b.reduce(ReduceKind::amax, x)));
  return b.op("div", e, b.reduce(ReduceKind::sum, e));
}

template <class B>
typename B::Value log_softmax_formula(B& b, typename B::Value x) {
  auto shifted = b.op("sub", x, b.reduce(ReduceKind::amax, x));
  return b.op("sub", shifted, b.op("log", b.reduce(ReduceKind::sum, b.op("exp", shifted))));
}

/// `divisor`: count - correction, at least 0.
template <class B>
typename B::Value var_formula(B& b, typename B::Value x, typename B::Value mean, typename B::Value divisor) {
  auto centred = b.op("sub", x, mean);
  return b.op("div", b.reduce(ReduceKind::sum, b.op("mul", centred, centred)), divisor);
}

template <class Value>
struct NormalizedRow {
  Value normalized;
  Value mean;
  Value rstd;
};
template <class B>
NormalizedRow<typename B::Value> normalize_formula(B& b, typename B::Value x, typename B::Value eps) {
  auto mean = b.reduce(ReduceKind::mean, x);
  auto centred = b.op("sub", x, mean);
  auto variance = b.reduce(ReduceKind::mean, b.op("mul", centred, centred));
  auto rstd = b.op("rsqrt", b.op("add", variance, eps));
  return {b.op("mul", centred, rstd), mean, rstd};
}

}  // namespace framejit::eager::cpu
