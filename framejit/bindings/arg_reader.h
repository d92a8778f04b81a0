// One Python object read as one argument of a schema. The rules of type and conversion are PyTorch's.
#pragma once

#include <Python.h>

#include "framejit/bindings/signature.h"

namespace framejit::bindings {

/// Reads `object` as `param` into `value`. False when it is of another type: the next overload is tried.
/// Throws when it is of the right type but cannot be converted (an int beyond 64 bits).
bool read_argument(const Param& param, PyObject* object, eager::Value* value);

/// A Python, NumPy or symbolic number as sym_int, real, boolean or scalar_node.
bool read_number(PyObject* object, eager::Value* value);
/// An int (not a bool): Python, NumPy, symbolic, or a 0-dim integral tensor.
bool read_int(PyObject* object, eager::SymInt* value);
/// The same, and integer tensors of one element in any number of dims.
bool read_size(PyObject* object, eager::SymInt* value);
/// A sequence of ints. False when it is no list or tuple, or has another entry.
bool read_int_list(PyObject* object, std::vector<eager::SymInt>* values);

/// An instance of numpy.generic, without importing NumPy.
bool is_numpy_scalar(PyObject* object);
/// An instance of numpy.ndarray, without importing NumPy.
bool is_numpy_array(PyObject* object);

// generator_object.cc
bool is_generator(PyObject* object);
eager::Value generator_value(PyObject* object);

}  // namespace framejit::bindings
