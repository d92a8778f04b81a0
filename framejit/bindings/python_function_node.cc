#include "framejit/bindings/python_function_node.h"

#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {

using eager::Tensor;

std::vector<Tensor> PythonFunctionNode::apply(std::vector<Tensor> grads) {
  FRAMEJIT_CHECK(
      !released_,
      "Trying to backward through the graph a second time (or directly access saved tensors after they have "
      "already been freed). Specify retain_graph=True if you need to backward through the graph a second "
      "time.");
  WithGil gil;
  try {
    PyRef arguments = checked(PyTuple_New(Py_ssize_t(grads.size()) + 1));
    PyTuple_SET_ITEM(arguments.get(), 0, wrap_node(eager::Ref<GradNode>(this)));
    for (size_t i = 0; i < grads.size(); ++i)
      PyTuple_SET_ITEM(arguments.get(), Py_ssize_t(i) + 1, wrap(grads[i]));
    return read_gradients(checked(PyObject_CallObject(backward_.get(), arguments.get())).get());
  } catch (const PythonError&) {
    throw_pending_python_error();
  }
}

std::vector<Tensor> PythonFunctionNode::read_gradients(PyObject* result) const {
  bool is_tuple = PyTuple_Check(result);
  size_t count = is_tuple ? size_t(PyTuple_GET_SIZE(result)) : 1;
  std::vector<Tensor> gradients(edges.size());
  for (size_t i = 0; i < count; ++i) {
    PyObject* entry = is_tuple ? PyTuple_GET_ITEM(result, Py_ssize_t(i)) : result;
    FRAMEJIT_CHECK(i < edges.size() || entry == Py_None, "function ", name_,
                   " returned an incorrect number of gradients (expected ", edges.size(), ", got ", count,
                   ")");
    if (entry == Py_None) continue;
    FRAMEJIT_CHECK_TYPE(is_tensor(entry), type, name_, ": expected Tensor or None as gradient ", i, ", got ",
                        Py_TYPE(entry)->tp_name);
    if (needs_grad(i)) gradients[i] = unwrap(entry);
  }
  FRAMEJIT_CHECK(count >= edges.size(), "function ", name_,
                 " returned an incorrect number of gradients (expected ", edges.size(), ", got ", count, ")");
  return gradients;
}

}  // namespace framejit::bindings
