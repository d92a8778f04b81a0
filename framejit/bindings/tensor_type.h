// The type `framejit.Tensor`, put together from the tables of the files named in python.h.
#pragma once

#include <Python.h>

namespace framejit::bindings {

extern PyGetSetDef tensor_getset[];   // tensor_properties.cc
extern PyMethodDef tensor_methods[];  // tensor_methods.cc

/// What the symbolic executor may do with an attribute or a method of a traced tensor.
enum class Traced : char {
  yes,   ///< known without data, or an op
  data,  ///< needs the data of the tensor
  no,    ///< changes state that a graph does not have
};
Traced traced_attribute(const char* name);  ///< of tensor_getset; `no` for other names
Traced traced_method(const char* name);     ///< of tensor_methods; `no` for other names

/// Makes the type and adds it to the module.
void init_tensor_type(PyObject* module);

}  // namespace framejit::bindings
