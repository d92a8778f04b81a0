// Operators of tensors: each slot names its row of the op table.
#pragma once

#include <Python.h>

#include <vector>

namespace framejit::bindings {

/// Resolves the rows; call before the first operator runs.
void init_number_protocol();
/// Appends the slots to those of the type Tensor.
void add_number_slots(std::vector<PyType_Slot>* slots);

}  // namespace framejit::bindings
