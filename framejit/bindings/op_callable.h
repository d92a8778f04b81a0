// The Python objects of ops: functions such as `fj.add`, and methods such as `Tensor.add`.
#pragma once

#include <Python.h>

#include "framejit/bindings/arg_binder.h"

namespace framejit::bindings {

extern PyTypeObject* op_function_type;
extern PyTypeObject* op_method_type;

inline bool is_op_callable(PyObject* object) {
  return Py_IS_TYPE(object, op_function_type) || Py_IS_TYPE(object, op_method_type);
}
const Overloads& overloads_of(PyObject* op_callable);

/// The name in `python_module` of the rows `name`: `inv` in linalg for linalg_inv.
std::string name_in_module(const std::string& name, const std::string& python_module);

/// New reference. `module` is the dotted Python module that shows the function.
PyObject* new_op_function(const Overloads& overloads, const char* module);
PyObject* new_op_method(const Overloads& overloads);

/// For `requires_grad=True` of what makes tensors.
void require_grad(const eager::Tensor& made);
/// Runs a bound call and converts its results.
PyObject* run_bound(BoundCall& bound);
/// Runs `op` on complete values and converts its results; long kernels run without the GIL.
PyObject* run_op(const eager::Op& op, const eager::Value* args);
/// The same for C++ callers; `results` holds result_count empty values.
void call_op(const eager::Op& op, const eager::Value* args, eager::Value* results);

/// Adds the submodules with all op functions to the module and all op methods to the type Tensor.
void init_op_callables(PyObject* module);

}  // namespace framejit::bindings
