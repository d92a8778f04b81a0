// Tensors from Python data, and Python data from tensors.
#pragma once

#include <Python.h>

#include <optional>

#include "eager/value.h"

namespace framejit::bindings {

/// The one element of a tensor, through the op `item`. Raises for another number of elements.
eager::Value item(const eager::Tensor& tensor);
/// As item, with the ValueError of int(tensor) and float(tensor) for another number of elements.
eager::Value one_element(const eager::Tensor& tensor);
PyObject* item_object(const eager::Tensor& tensor);
/// Truth of a tensor of one element.
bool truth(const eager::Tensor& tensor);
/// Nested lists of Python numbers; a number for a 0-dim tensor.
PyObject* to_list(const eager::Tensor& tensor);

/// A new tensor with a copy of `data`: a number, nested sequences of numbers and tensors, an array, a tensor.
eager::Tensor tensor_from_data(PyObject* data, std::optional<eager::DType> dtype, eager::Device device);

// numpy.cc
/// A tensor that shares the memory of a NumPy array (or of anything with `__array_interface__`).
eager::Tensor tensor_from_array(PyObject* array);
/// The `__array_interface__` of a CPU tensor: a dict that shares its memory.
PyObject* array_interface(const eager::Tensor& tensor);

// dlpack.cc
/// `versioned`: a DLPack 1.0 capsule, whose consumer may write.
PyObject* to_dlpack(const eager::Tensor& tensor, bool versioned);
eager::Tensor from_dlpack(PyObject* object);
PyObject* dlpack_device(const eager::Tensor& tensor);

}  // namespace framejit::bindings
