// The Python object of a vertex of the backward graph (`tensor.grad_fn`), and callbacks of Python in the
// engine.
#pragma once

#include <Python.h>

#include <memory>

#include "eager/autograd/grad_node.h"

namespace framejit::bindings {

/// New reference; None for null. Two objects of one node are equal.
PyObject* wrap_node(const eager::Ref<eager::GradNode>& node);
bool is_node(PyObject* object);
eager::Ref<eager::GradNode> unwrap_node(PyObject* object);

/// A Python callable that C++ keeps and may drop on any thread.
class Callback {
 public:
  explicit Callback(PyObject* borrowed);
  PyObject* get() const { return object_.get(); }

 private:
  std::shared_ptr<PyObject> object_;
};

/// Calls a Python hook with a tensor; None means that the tensor stays. Takes the GIL; a Python exception is
/// carried on.
eager::Tensor call_hook(const Callback& hook, const eager::Tensor& tensor);

/// Adds the type and the submodule `_autograd` with what framejit/autograd/ stands on.
void init_autograd(PyObject* module);
/// The functions of the submodule (autograd_functions.cc).
void init_autograd_functions(PyObject* module);

}  // namespace framejit::bindings
