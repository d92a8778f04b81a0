// Small immutable Python types: dtype, device, Size, and the private SymNumber.
#pragma once

#include <Python.h>

#include "eager/value.h"

namespace framejit::bindings {

extern PyTypeObject* dtype_type;
extern PyTypeObject* device_type;
extern PyTypeObject* size_type;
extern PyTypeObject* sym_number_type;

// dtype: one object per element type, compared by identity. bool, int, float and complex are accepted as
// names of theirs.
PyObject* dtype_object(eager::DType dtype);  ///< borrowed
inline bool is_dtype(PyObject* object) { return Py_IS_TYPE(object, dtype_type); }
bool read_dtype(PyObject* object, eager::DType* dtype);  ///< false: not a dtype

// device: compared by value. A string such as "cpu" or "cuda:1" is accepted for one.
PyObject* new_device(eager::Device device);
eager::Device parse_device(const std::string& text);
bool read_device(PyObject* object,
                 eager::Device* device);  ///< false: neither a device nor a str; throws for a bad str

/// A new Size (a subclass of tuple) with the given sizes; symbolic ones become SymNumbers.
PyObject* new_size(const eager::Dims& sizes);

// SymNumber: a symbolic int or a scalar node on its way through an argument binder while a graph is traced.
// The symbolic executor does its own arithmetic, and never lets one out of the trace. Sizes have operators
// for the Python functions of framejit.library, which are run on tensors without data: the results are
// expressions, and what is compared or made an int is guarded.
PyObject* new_sym_number(const eager::Value& number);
inline bool is_sym_number(PyObject* object) { return Py_IS_TYPE(object, sym_number_type); }
const eager::Value& sym_number_value(PyObject* object);

/// Python int, or SymNumber for a symbolic one.
PyObject* new_int(eager::SymInt value);

/// Makes the types and adds those that users see to the module.
void init_constant_types(PyObject* module);

// Used by init_constant_types; one per source file.
void init_dtype(PyObject* module);
void init_device(PyObject* module);
void init_size(PyObject* module);
void init_sym_number();

/// A heap type from `spec` (with a base when given). Throws.
PyTypeObject* make_type(PyType_Spec& spec, PyTypeObject* base = nullptr);
void add_to_module(PyObject* module, const char* name, PyObject* borrowed);
/// The submodule framejit._C.<name>, made when there is none; borrowed. It can be imported from.
PyObject* add_submodule(PyObject* module, const std::string& name);

}  // namespace framejit::bindings
