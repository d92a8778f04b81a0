// The submodule framejit._C._autograd: what framejit/autograd/ stands on.
#include <unordered_set>

#include "eager/autograd/autograd.h"
#include "eager/autograd/autograd_meta.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Edge;
using eager::Tensor;

/// Of a Tensor, or of a GradientEdge: a tuple whose first entries are node and output number.
Edge read_edge(PyObject* entry, const char* what, size_t index) {
  if (is_tensor(entry)) {
    Tensor tensor = unwrap(entry);
    FRAMEJIT_CHECK(tensor.requires_grad(), "element ", index,
                   " of tensors does not require grad and does not have a grad_fn");
    return eager::gradient_edge(tensor);
  }
  bool is_edge = PyTuple_Check(entry) && PyTuple_GET_SIZE(entry) >= 2 && is_node(PyTuple_GET_ITEM(entry, 0));
  FRAMEJIT_CHECK_TYPE(is_edge, type, what, " must be Tensors or GradientEdges, got ",
                      Py_TYPE(entry)->tp_name);
  eager::Ref<eager::GradNode> node = unwrap_node(PyTuple_GET_ITEM(entry, 0));
  long number = PyLong_AsLong(PyTuple_GET_ITEM(entry, 1));
  if (number == -1 && PyErr_Occurred()) throw PythonError();
  FRAMEJIT_CHECK(number >= 0 && size_t(number) < node->results.size(), "GradientEdge: ", node->name(),
                 " has ", node->results.size(), " outputs, got number ", number);
  return {std::move(node), int(number)};
}

std::vector<Edge> read_edges(PyObject* tuple, const char* what) {
  std::vector<Edge> edges;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    edges.push_back(read_edge(PyTuple_GET_ITEM(tuple, i), what, size_t(i)));
  return edges;
}

std::vector<Edge> read_inputs(PyObject* tuple) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* entry = PyTuple_GET_ITEM(tuple, i);
    FRAMEJIT_CHECK(!is_tensor(entry) || unwrap(entry).requires_grad(),
                   "One of the differentiated Tensors does not require grad");
  }
  return read_edges(tuple, "inputs");
}

/// Those of backward: tensors, or the leaves that edges lead to.
std::vector<Tensor> read_leaves(PyObject* tuple) {
  std::vector<Tensor> leaves;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* entry = PyTuple_GET_ITEM(tuple, i);
    if (is_tensor(entry)) {
      leaves.push_back(unwrap(entry));
      continue;
    }
    const Tensor* leaf = read_edge(entry, "inputs", size_t(i)).node->leaf();
    FRAMEJIT_CHECK(leaf, "backward: a GradientEdge in `inputs` must be that of a leaf");
    leaves.push_back(*leaf);
  }
  return leaves;
}

/// run_backward(outputs, grads, retain_graph, create_graph, inputs)
PyObject* run_backward(PyObject*, PyObject* args) {
  PyObject *outputs, *grads, *inputs;
  int retain_graph, create_graph;
  if (!PyArg_ParseTuple(args, "O!OppO!:run_backward", &PyTuple_Type, &outputs, &grads, &retain_graph,
                        &create_graph, &PyTuple_Type, &inputs))
    return nullptr;
  return guarded([&] {
    std::vector<Edge> from = read_edges(outputs, "outputs");
    std::vector<Tensor> first = read_tensors(grads, "grads"), leaves = read_leaves(inputs);
    {
      WithoutGil scope(true);
      eager::backward(from, first, {bool(retain_graph), bool(create_graph)}, leaves);
      from.clear();  // a graph that dies here does so without the GIL
    }
    return Py_NewRef(Py_None);
  });
}

/// run_grad(outputs, inputs, grads, retain_graph, create_graph, allow_unused)
PyObject* run_grad(PyObject*, PyObject* args) {
  PyObject *outputs, *inputs, *grads;
  int retain_graph, create_graph, allow_unused;
  if (!PyArg_ParseTuple(args, "O!O!Oppp:run_grad", &PyTuple_Type, &outputs, &PyTuple_Type, &inputs, &grads,
                        &retain_graph, &create_graph, &allow_unused))
    return nullptr;
  return guarded([&] {
    std::vector<Edge> from = read_edges(outputs, "outputs"), to = read_inputs(inputs);
    std::vector<Tensor> first = read_tensors(grads, "grads"), result;
    {
      WithoutGil scope(true);
      result = eager::grad(from, to, first, {bool(retain_graph), bool(create_graph)}, allow_unused);
    }
    return wrap_tensors(result);
  });
}

/// gradient_edge(tensor) -> (node, output number)
PyObject* gradient_edge(PyObject*, PyObject* tensor) {
  return guarded([&] {
    Edge edge = eager::gradient_edge(unwrap_checked(tensor, "tensor"));
    FRAMEJIT_CHECK(
        edge.node,
        "It is not possible to get the gradient edge for a Tensor that does not require gradients");
    PyRef node = PyRef::steal(wrap_node(edge.node));
    return checked(Py_BuildValue("(Oi)", node.get(), edge.input)).release();
  });
}

/// depends_on_others(outputs, inputs): whether a leaf can be reached from the outputs without going through
/// one of the inputs. Entries of outputs that do not require grad are passed over.
PyObject* depends_on_others(PyObject*, PyObject* args) {
  PyObject *outputs, *inputs;
  if (!PyArg_ParseTuple(args, "O!O!:depends_on_others", &PyTuple_Type, &outputs, &PyTuple_Type, &inputs))
    return nullptr;
  return guarded([&] {
    // A leaf does not keep its node: these do, as long as addresses are compared.
    const std::vector<Edge> ends = read_edges(inputs, "inputs");
    std::vector<Edge> starts;
    for (const Tensor& output : read_tensors(outputs, "outputs"))
      if (output.defined() && output.requires_grad()) starts.push_back(eager::gradient_edge(output));
    std::unordered_set<const eager::GradNode*> seen;
    for (const Edge& edge : ends) seen.insert(edge.node.get());
    std::vector<const eager::GradNode*> stack;
    auto visit = [&](const eager::GradNode* node) {
      if (node && seen.insert(node).second) stack.push_back(node);
    };
    for (const Edge& edge : starts) visit(edge.node.get());
    while (!stack.empty()) {
      const eager::GradNode* node = stack.back();
      stack.pop_back();
      if (node->leaf()) return Py_NewRef(Py_True);
      for (const Edge& edge : node->edges) visit(edge.node.get());
    }
    return Py_NewRef(Py_False);
  });
}

/// increment_version(tensor), as if it had been written to
PyObject* increment_version(PyObject*, PyObject* tensor) {
  return guarded([&] {
    Tensor self = unwrap_checked(tensor, "tensor");
    FRAMEJIT_CHECK(!self->is_inference, "Inference tensors do not track version counter.");
    if (self->storage) self->storage->bump_version();
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {{"run_backward", run_backward, METH_VARARGS, nullptr},
                           {"run_grad", run_grad, METH_VARARGS, nullptr},
                           {"gradient_edge", gradient_edge, METH_O, nullptr},
                           {"depends_on_others", depends_on_others, METH_VARARGS, nullptr},
                           {"increment_version", increment_version, METH_O, nullptr},
                           {}};

}  // namespace

void init_autograd_functions(PyObject* submodule) {
  check_status(PyModule_AddFunctions(submodule, functions));
}

}  // namespace framejit::bindings
