// Parts of the extension module. Each adds its names to the module, and throws when it cannot.
#pragma once

#include <Python.h>

namespace framejit::bindings {

void init_functions(PyObject* module);  ///< functions.cc: tensor, from_numpy, ...
void init_generator(PyObject* module);  ///< generator_object.cc
void init_machine(PyObject* module);    ///< machine.cc: threads, instruction set, build
void init_op_table(PyObject* module);   ///< op_table.cc
void init_storage(PyObject* module);    ///< storage_object.cc

}  // namespace framejit::bindings
