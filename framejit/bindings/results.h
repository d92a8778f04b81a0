// Boxed results of ops as Python objects.
#pragma once

#include <Python.h>

#include "eager/op.h"

namespace framejit::bindings {

/// Most results of one op; rows with more return a list.
inline constexpr int kMaxResults = 8;

/// New reference; throws. A symbolic number becomes a SymNumber.
PyObject* to_python(const eager::Value& value);

/// What a call of `op` returns: None, one object, a tuple, or a named tuple when the schema names its
/// results.
PyObject* results_to_python(const eager::Op& op, const eager::Value* results);

}  // namespace framejit::bindings
