// Arithmetic on Python numbers that are only known when a graph runs. One table: it says what the tracer may
// record, what a node of kind scalar_op computes, and of which type the result is.
#pragma once

#include <span>
#include <string>

#include "eager/value.h"

namespace framejit::graph {

struct ScalarOp {
  const char* name;  ///< of the Python operator: "add", "truediv", ...
  int arity;
  eager::Value (*apply)(const eager::Value& left, const eager::Value& right);  ///< Python's own semantics
  eager::DType (*result_type)(eager::DType left, eager::DType right);
};

FRAMEJIT_API std::span<const ScalarOp> all_scalar_ops();
FRAMEJIT_API const ScalarOp* find_scalar_op(const std::string& name);  ///< null when there is none

/// int64, float64 or bool: the Python type of a number.
FRAMEJIT_API eager::DType number_type(const eager::Value& number);

}  // namespace framejit::graph
