#pragma once

#include <Python.h>

namespace framejit::eval_frame {

/// Adds the submodule `compiler` to framejit._C. Throws pybind11's exceptions.
void init_compiler(PyObject* module);

}  // namespace framejit::eval_frame
