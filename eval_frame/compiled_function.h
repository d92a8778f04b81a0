// `framejit._C.compiler.CompiledFunction`: the callable that framejit.compile returns.
//
// A call whose trace has no break in it runs here, with no Python frame at all: arguments to slots, guards,
// replay. Every other call enters a region (the hook is installed) and calls the function; the runner takes
// its frame over.
#pragma once

#include <Python.h>

#include <memory>

#include "eval_frame/cache.h"

namespace framejit::eval_frame {

/// Makes the type ready; null with an exception set on failure. Borrowed.
PyTypeObject* compiled_function_type();
/// What a compiled function compiles (borrowed); null for other callables.
PyObject* compiled_target(PyObject* callable);

/// Reads the arguments of CompiledFunction(fn, *, fullgraph, dynamic, backend, options); see python_api.md.
/// False with an exception set.
bool read_settings(PyObject* keywords, Settings* settings);

}  // namespace framejit::eval_frame
