// x[...] and x[...] = y.
//
// An index is read once into an `IndexPlan`: ints, slices, None and Ellipsis become view ops at once; masks,
// index tensors and sequences are collected for one `index` or `index_put_` of the view.
#pragma once

#include <Python.h>

#include <vector>

#include "eager/tensor.h"

namespace framejit::bindings {

struct IndexPlan {
  eager::Tensor view;
  std::vector<eager::Tensor> indices;  ///< as the op `index` takes them; undefined: the whole dimension
  bool has_tensors = false;            ///< some entry of `indices` is defined
  bool only_masks = true;              ///< those are masks, or came from True and False
};

/// Throws IndexError or TypeError for what cannot be an index.
IndexPlan plan_index(const eager::Tensor& tensor, PyObject* index);

// Slots of the type Tensor.
PyObject* tensor_subscript(PyObject* self, PyObject* index);
int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* value);

}  // namespace framejit::bindings
