#pragma once

#include <pybind11/pybind11.h>

namespace framejit::guards {

/// Adds `GuardBuilder` and `GuardProgram` to a module: guard programs made and run by hand, for tests and
/// measurements.
void init_python_view(pybind11::module_& module);

}  // namespace framejit::guards
