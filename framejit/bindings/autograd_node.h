// The Python object of a vertex of the backward graph (`tensor.grad_fn`), and callbacks of Python in the
// engine.
#pragma once

#include <Python.h>

#include <memory>

#include "eager/autograd/grad_node.h"

namespace framejit::bindings {

/// New reference; None for null. A node has one object at a time, of a type that is named as the node is.
PyObject* wrap_node(const eager::Ref<eager::GradNode>& node);
bool is_node(PyObject* object);
eager::Ref<eager::GradNode> unwrap_node(PyObject* object);

/// A reference that C++ keeps and may drop on any thread.
std::shared_ptr<void> own_python(PyObject* borrowed);
inline PyObject* python_of(const std::shared_ptr<void>& owned) { return static_cast<PyObject*>(owned.get()); }

/// A tuple of the tensors, with None for undefined ones. New reference.
PyObject* wrap_tensors(const std::vector<eager::Tensor>& tensors);
/// A tuple or list of tensors; None entries are undefined.
std::vector<eager::Tensor> read_tensors(PyObject* sequence, const char* what);

/// A hook's id and how to remove it, as a Python object. New reference.
PyObject* new_hook_handle(eager::HookHandle handle);
eager::TensorHook tensor_hook(PyObject* borrowed);
eager::PostAccumulateHook post_accumulate_hook(PyObject* borrowed);
eager::NodePreHook node_pre_hook(PyObject* borrowed);
eager::NodePostHook node_post_hook(PyObject* borrowed);

/// Adds the type and the submodule `_autograd` with what framejit/autograd/ stands on.
void init_autograd(PyObject* module);
/// The functions of the submodule, one per source file.
void init_autograd_functions(PyObject* submodule);
void init_autograd_hooks(PyObject* submodule);
void init_autograd_modes(PyObject* submodule);
void init_python_function_node(PyObject* submodule);

}  // namespace framejit::bindings
