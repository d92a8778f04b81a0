// The Python object of the memory behind a tensor.
#pragma once

#include <Python.h>

#include "eager/tensor.h"

namespace framejit::bindings {

/// `framejit.UntypedStorage` of the tensor, a new reference; the same object for all tensors of one storage.
/// Raises for tensors without memory (meta, symbolic).
PyObject* storage_object(const eager::Tensor& tensor);

}  // namespace framejit::bindings
