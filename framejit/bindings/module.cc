// The extension module framejit._C. The order matters: types before what makes objects of them.
#include "framejit/bindings/module.h"

#include <pybind11/pybind11.h>

#include "eval_frame/module.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/front_end.h"
#include "framejit/bindings/fx.h"
#include "framejit/bindings/number_protocol.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/python_op.h"
#include "framejit/bindings/tensor_type.h"

PYBIND11_MODULE(_C, pybind_module) {
  using namespace framejit::bindings;
  PyObject* module = pybind_module.ptr();
  try {
    init_constant_types(module);
    init_number_protocol();
    init_tensor_type(module);
    init_storage(module);
    init_generator(module);
    init_op_callables(module);
    add_to_module(module, "LinAlgError", linalg_error_type());
    add_to_module(module, "OutOfMemoryError", out_of_memory_error_type());
    init_functions(module);
    init_autograd(module);
    init_library(module);
    init_machine(module);
    init_op_table(module);
    init_fx(module);
    install_front_end();
    framejit::eval_frame::init_compiler(module);
  } catch (pybind11::error_already_set&) {
    throw;
  } catch (...) {
    set_python_error();
    throw pybind11::error_already_set();
  }
}
