// The submodule framejit._C._autograd: what framejit/autograd/ stands on.
#include "eager/autocast.h"
#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/python_function_node.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Tensor;

/// A tuple or list of tensors; None entries are undefined.
std::vector<Tensor> read_tensors(PyObject* sequence, const char* what) {
  FRAMEJIT_CHECK_TYPE(PyTuple_Check(sequence) || PyList_Check(sequence), type, what,
                      " must be a tuple of Tensors, not ", Py_TYPE(sequence)->tp_name);
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(sequence, i);
    tensors.push_back(entry == Py_None ? Tensor() : unwrap_checked(entry, what));
  }
  return tensors;
}

PyObject* to_tuple(const std::vector<Tensor>& tensors) {
  PyRef tuple = checked(PyTuple_New(Py_ssize_t(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i), wrap(tensors[i]));
  return tuple.release();
}

/// run_backward(outputs, grads, retain_graph, create_graph, inputs)
PyObject* run_backward(PyObject*, PyObject* args) {
  PyObject *outputs, *grads, *inputs;
  int retain_graph, create_graph;
  if (!PyArg_ParseTuple(args, "OOppO:run_backward", &outputs, &grads, &retain_graph, &create_graph, &inputs))
    return nullptr;
  return guarded([&] {
    std::vector<Tensor> outputs_read = read_tensors(outputs, "outputs"),
                        grads_read = read_tensors(grads, "grads");
    std::vector<Tensor> inputs_read = read_tensors(inputs, "inputs");
    {
      WithoutGil scope(true);
      eager::backward(outputs_read, grads_read, {bool(retain_graph), bool(create_graph)}, inputs_read);
    }
    return Py_NewRef(Py_None);
  });
}

/// run_grad(outputs, inputs, grads, retain_graph, create_graph, allow_unused)
PyObject* run_grad(PyObject*, PyObject* args) {
  PyObject *outputs, *inputs, *grads;
  int retain_graph, create_graph, allow_unused;
  if (!PyArg_ParseTuple(args, "OOOppp:run_grad", &outputs, &inputs, &grads, &retain_graph, &create_graph,
                        &allow_unused))
    return nullptr;
  return guarded([&] {
    std::vector<Tensor> outputs_read = read_tensors(outputs, "outputs"),
                        grads_read = read_tensors(grads, "grads");
    std::vector<Tensor> inputs_read = read_tensors(inputs, "inputs"), result;
    {
      WithoutGil scope(true);
      result = eager::grad(outputs_read, inputs_read, grads_read, {bool(retain_graph), bool(create_graph)},
                           allow_unused);
    }
    return to_tuple(result);
  });
}

/// register_hook(tensor, function) -> number for remove_hook
PyObject* register_hook(PyObject*, PyObject* args) {
  PyObject *tensor, *function;
  if (!PyArg_ParseTuple(args, "O!O:register_hook", tensor_type, &tensor, &function)) return nullptr;
  return guarded([&] {
    Callback hook(function);
    return PyLong_FromLongLong(
        eager::register_hook(unwrap(tensor), [hook](const Tensor& grad) { return call_hook(hook, grad); }));
  });
}
PyObject* register_post_accumulate_hook(PyObject*, PyObject* args) {
  PyObject *tensor, *function;
  if (!PyArg_ParseTuple(args, "O!O:register_post_accumulate_hook", tensor_type, &tensor, &function))
    return nullptr;
  return guarded([&] {
    Callback hook(function);
    return PyLong_FromLongLong(eager::register_post_accumulate_hook(
        unwrap(tensor), [hook](const Tensor& self) { call_hook(hook, self); }));
  });
}
PyObject* remove_hook(PyObject*, PyObject* args) {
  PyObject* tensor;
  long long id;
  if (!PyArg_ParseTuple(args, "O!L:remove_hook", tensor_type, &tensor, &id)) return nullptr;
  return guarded([&] {
    eager::remove_hook(unwrap(tensor), id);
    return Py_NewRef(Py_None);
  });
}

/// link_function(backward, name, inputs, outputs): makes the outputs results of a node that calls
/// `backward(node, *grads)`.
PyObject* link_function(PyObject*, PyObject* args) {
  PyObject *backward, *name, *inputs, *outputs;
  if (!PyArg_ParseTuple(args, "OUOO:link_function", &backward, &name, &inputs, &outputs)) return nullptr;
  return guarded([&] {
    auto node = eager::make_ref<PythonFunctionNode>(Callback(backward), text_of(name));
    for (const Tensor& input : read_tensors(inputs, "inputs"))
      node->add_edge(input.defined() ? eager::gradient_edge(input) : eager::Edge());
    for (const Tensor& output : read_tensors(outputs, "outputs")) {
      int number =
          node->add_result(output.defined() ? output : Tensor::empty(eager::Dims{0}, eager::default_dtype()));
      if (output.defined()) eager::set_history(output, node, number);
    }
    return Py_NewRef(Py_None);
  });
}

/// restore_history(tensor, node, number): the tensor becomes that result of the node, for double backward of
/// a saved output.
PyObject* restore_history(PyObject*, PyObject* args) {
  PyObject *tensor, *node;
  int number;
  if (!PyArg_ParseTuple(args, "O!Oi:restore_history", tensor_type, &tensor, &node, &number)) return nullptr;
  return guarded([&] {
    FRAMEJIT_CHECK_TYPE(is_node(node), type, "restore_history: expected a Node");
    eager::set_history(unwrap(tensor), unwrap_node(node), number);
    return Py_NewRef(Py_None);
  });
}

// Modes. The symbolic executor knows the two of grad mode (front_end.cc).
PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(eager::modes().grad_enabled); }
PyObject* set_grad_enabled(PyObject*, PyObject* value) {
  int enabled = PyObject_IsTrue(value);
  if (enabled < 0) return nullptr;
  eager::modes().grad_enabled = enabled;
  Py_RETURN_NONE;
}
PyObject* is_inference_enabled(PyObject*, PyObject*) { return PyBool_FromLong(eager::modes().inference); }
PyObject* set_inference_enabled(PyObject*, PyObject* value) {
  int enabled = PyObject_IsTrue(value);
  if (enabled < 0) return nullptr;
  eager::modes().inference = enabled;
  Py_RETURN_NONE;
}
PyObject* is_anomaly_enabled(PyObject*, PyObject*) { return PyBool_FromLong(eager::modes().anomaly); }
PyObject* set_anomaly_enabled(PyObject*, PyObject* value) {
  int enabled = PyObject_IsTrue(value);
  if (enabled < 0) return nullptr;
  eager::modes().anomaly = enabled;
  Py_RETURN_NONE;
}

/// get_autocast(device_type) -> (enabled, dtype, whether casts of parameters are cached)
PyObject* get_autocast(PyObject*, PyObject* args) {
  const char* device;
  if (!PyArg_ParseTuple(args, "s:get_autocast", &device)) return nullptr;
  return guarded([&] {
    const eager::Autocast& now = eager::modes().autocast[size_t(parse_device(device).type)];
    return checked(Py_BuildValue("(OOO)", now.enabled ? Py_True : Py_False, dtype_object(now.dtype),
                                 eager::modes().autocast_cache ? Py_True : Py_False))
        .release();
  });
}
/// set_autocast(device_type, enabled, dtype, cache)
PyObject* set_autocast(PyObject*, PyObject* args) {
  const char* device;
  PyObject* dtype;
  int enabled, cache;
  if (!PyArg_ParseTuple(args, "spOp:set_autocast", &device, &enabled, &dtype, &cache)) return nullptr;
  return guarded([&] {
    eager::DType read;
    FRAMEJIT_CHECK_TYPE(read_dtype(dtype, &read), type, "set_autocast: expected a dtype, got ",
                        Py_TYPE(dtype)->tp_name);
    eager::set_autocast(parse_device(device).type, {bool(enabled), read});
    eager::set_autocast_cache(cache);
    return Py_NewRef(Py_None);
  });
}
PyObject* clear_autocast_cache(PyObject*, PyObject*) {
  eager::clear_autocast_cache();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"get_autocast", get_autocast, METH_VARARGS, nullptr},
    {"set_autocast", set_autocast, METH_VARARGS, nullptr},
    {"clear_autocast_cache", clear_autocast_cache, METH_NOARGS, nullptr},
    {"run_backward", run_backward, METH_VARARGS, nullptr},
    {"run_grad", run_grad, METH_VARARGS, nullptr},
    {"register_hook", register_hook, METH_VARARGS, nullptr},
    {"register_post_accumulate_hook", register_post_accumulate_hook, METH_VARARGS, nullptr},
    {"remove_hook", remove_hook, METH_VARARGS, nullptr},
    {"link_function", link_function, METH_VARARGS, nullptr},
    {"restore_history", restore_history, METH_VARARGS, nullptr},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "Whether operations on tensors are recorded for autograd."},
    {"set_grad_enabled", set_grad_enabled, METH_O, nullptr},
    {"is_inference_enabled", is_inference_enabled, METH_NOARGS, "Whether inference mode is on."},
    {"set_inference_enabled", set_inference_enabled, METH_O, nullptr},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS, "Whether anomaly detection is on."},
    {"set_anomaly_enabled", set_anomaly_enabled, METH_O, nullptr},
    {}};

}  // namespace

void init_autograd_functions(PyObject* module) {
  check_status(PyModule_AddFunctions(add_submodule(module, "_autograd"), functions));
}

}  // namespace framejit::bindings
