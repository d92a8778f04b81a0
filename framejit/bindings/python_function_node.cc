#include "framejit/bindings/python_function_node.h"

#include "eager/autograd/autograd.h"
#include "eager/autograd/autograd_meta.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/creation.h"

namespace framejit::bindings {

using eager::Edge;
using eager::Tensor;

// --- the link from ctx to its node -------------------------------------------------------------------------

namespace {

PyTypeObject* link_type = nullptr;

struct PyLink {
  PyObject_HEAD PythonFunctionNode* node;  // not owned; null when it has died
};

void dealloc_link(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* saved_tensors(PyObject* self, PyObject*) {
  return guarded([&] {
    PythonFunctionNode* node = reinterpret_cast<PyLink*>(self)->node;
    FRAMEJIT_CHECK(node, "saved_tensors: the graph that they belonged to is gone");
    eager::Ref<PythonFunctionNode> alive(node);
    return wrap_tensors(node->saved_tensors());
  });
}

PyMethodDef link_methods[] = {{"saved_tensors", saved_tensors, METH_NOARGS, nullptr}, {}};
PyType_Slot link_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_link)}, {Py_tp_methods, link_methods}, {0, nullptr}};
PyType_Spec link_spec = {"framejit._C._autograd.NodeLink", sizeof(PyLink), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, link_slots};

}  // namespace

PythonFunctionNode::PythonFunctionNode(PyObject* backward, PyObject* ctx, std::string name)
    : backward_(own_python(backward)), context_(own_python(ctx)), name_(std::move(name)) {
  auto* link = PyObject_New(PyLink, link_type);
  if (!link) throw PythonError();
  link->node = this;
  link_ = own_python(PyRef::steal(reinterpret_cast<PyObject*>(link)).get());
}

PythonFunctionNode::~PythonFunctionNode() {
  if (!Py_IsInitialized()) return;
  WithGil gil;
  if (link_) reinterpret_cast<PyLink*>(link())->node = nullptr;
}

void PythonFunctionNode::visit_python(const eager::PythonVisitor& visit) const {
  GradNode::visit_python(visit);
  if (context_ && context_.use_count() == 1) visit(context());
  if (backward_ && backward_.use_count() == 1) visit(python_of(backward_));
}

void PythonFunctionNode::clear_python() {
  GradNode::clear_python();
  context_.reset();
  backward_.reset();
}

// --- backward ----------------------------------------------------------------------------------------------

std::vector<Tensor> PythonFunctionNode::apply(std::vector<Tensor> grads) {
  for (size_t i = 0; i < grads.size(); ++i)
    if (!grads[i].defined() && materialized_[i])
      grads[i] = eager::ops::zeros(results[i].sizes, results[i].dtype, results[i].device);
  WithGil gil;
  try {
    std::vector<PyRef> owned = {PyRef::borrow(context())};
    for (const Tensor& grad : grads) owned.push_back(PyRef::steal(wrap(grad)));
    std::vector<PyObject*> arguments;
    for (const PyRef& each : owned) arguments.push_back(each.get());
    PyRef result =
        checked(PyObject_Vectorcall(python_of(backward_), arguments.data(), arguments.size(), nullptr));
    return read_gradients(result.get());
  } catch (const PythonError&) {
    throw_pending_python_error();
  }
}

std::vector<Tensor> PythonFunctionNode::read_gradients(PyObject* result) const {
  bool is_sequence = PyTuple_Check(result) || PyList_Check(result);
  size_t count = is_sequence ? size_t(PySequence_Fast_GET_SIZE(result)) : 1;
  std::vector<Tensor> gradients(edges.size());
  for (size_t i = 0; i < count; ++i) {
    PyObject* entry = is_sequence ? PySequence_Fast_GET_ITEM(result, Py_ssize_t(i)) : result;
    FRAMEJIT_CHECK(i < edges.size() || entry == Py_None, "function ", name_,
                   " returned an incorrect number of gradients (expected ", edges.size(), ", got ", count,
                   ")");
    if (entry == Py_None) continue;
    FRAMEJIT_CHECK(is_tensor(entry), "expected Variable or None (got ", Py_TYPE(entry)->tp_name, ")");
    if (needs_grad(i)) gradients[i] = unwrap(entry);
  }
  FRAMEJIT_CHECK(count >= edges.size(), "function ", name_,
                 " returned an incorrect number of gradients (expected ", edges.size(), ", got ", count, ")");
  return gradients;
}

void PythonFunctionNode::save(const Tensor& tensor, int number) {
  if (!tensor.defined()) {
    saved_.push_back({{}, -1});
  } else if (number >= 0) {
    saved_.push_back({eager::SavedTensor(eager::without_history(tensor), {}), number});
  } else {
    bool inner = tensor.requires_grad() && !eager::is_leaf(tensor);
    saved_.push_back({eager::SavedTensor(tensor, inner ? eager::gradient_edge(tensor) : Edge()), -1});
  }
}

std::vector<Tensor> PythonFunctionNode::saved_tensors() const {
  std::vector<Saved> saved;
  {
    std::lock_guard lock(mutex_);
    FRAMEJIT_CHECK(!released_, eager::kUsedTwice);
    saved = saved_;
  }
  std::vector<Tensor> tensors;
  for (const Saved& each : saved)
    tensors.push_back(each.number < 0 ? each.tensor.unpack() : each.tensor.unpack(this, each.number));
  return tensors;
}

void PythonFunctionNode::release_saved() {
  std::vector<Saved> saved;  // dies after the lock has been given back
  std::lock_guard lock(mutex_);
  released_ = released_ || !saved_.empty();
  saved.swap(saved_);
}

// --- linking the results of forward ------------------------------------------------------------------------

namespace {

PyRef attribute(PyObject* object, const char* name) { return checked(PyObject_GetAttrString(object, name)); }

int index_in(PyObject* sequence, PyObject* object) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i)
    if (PySequence_Fast_GET_ITEM(sequence, i) == object) return int(i);
  return -1;
}

void check_tuple(PyObject* object, const char* what) {
  FRAMEJIT_CHECK_TYPE(PyTuple_Check(object), type, what, " must be a tuple, not ", Py_TYPE(object)->tp_name);
}

/// An input that comes back unchanged is another tensor to autograd.
PyRef as_result(PyObject* output, PyObject* inputs, PyObject* dirty) {
  bool unchanged = is_tensor(output) && index_in(inputs, output) >= 0 && index_in(dirty, output) < 0;
  return unchanged ? PyRef::steal(wrap(eager::detach(unwrap(output)))) : PyRef::borrow(output);
}

/// Makes one output a result of `node`. Whether backward may get zeros for it.
bool link_output(PyObject* output, PyObject* dirty, PyObject* non_differentiable, PythonFunctionNode& node) {
  if (!is_tensor(output)) {
    node.add_result(Tensor::empty(eager::Dims{0}, eager::default_dtype()));
    return false;
  }
  Tensor tensor = unwrap(output);
  bool inexact = eager::is_inexact(tensor.dtype());
  if (index_in(dirty, output) >= 0)
    FRAMEJIT_CHECK(!tensor.requires_grad() || !eager::is_leaf(tensor),
                   "a leaf Variable that requires grad has been used in an in-place operation.");
  int number = node.add_result(tensor);
  if (inexact && index_in(non_differentiable, output) < 0) {
    eager::set_history(tensor, eager::Ref<eager::GradNode>(&node), number);
    if (tensor->view) tensor->view->origin = eager::ViewMeta::Origin::custom_function;
  }
  return true;
}

/// link_function(backward, ctx, name, inputs, outputs) -> outputs, results of a node that calls
/// `backward(ctx, *grads)`
PyObject* link_function(PyObject*, PyObject* args) {
  PyObject *backward, *ctx, *name, *inputs, *outputs;
  if (!PyArg_ParseTuple(args, "OOUO!O!:link_function", &backward, &ctx, &name, &PyTuple_Type, &inputs,
                        &PyTuple_Type, &outputs))
    return nullptr;
  return guarded([&] {
    PyRef dirty = attribute(ctx, "_dirty"), constant = attribute(ctx, "_non_differentiable"),
          to_save = attribute(ctx, "_to_save");
    bool materialize = PyObject_IsTrue(attribute(ctx, "_materialize_grads").get()) == 1;
    check_tuple(dirty.get(), "mark_dirty");
    check_tuple(constant.get(), "mark_non_differentiable");
    check_tuple(to_save.get(), "save_for_backward");

    auto node = eager::make_ref<PythonFunctionNode>(backward, ctx, text_of(name));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
      PyObject* input = PyTuple_GET_ITEM(inputs, i);
      node->add_edge(is_tensor(input) ? eager::gradient_edge(unwrap(input)) : Edge());
    }
    // Before the outputs get their new history: inputs and intermediate values keep theirs.
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(to_save.get()); ++i) {
      PyObject* tensor = PyTuple_GET_ITEM(to_save.get(), i);
      int number = index_in(outputs, tensor);
      bool is_result = number >= 0 && (index_in(inputs, tensor) < 0 || index_in(dirty.get(), tensor) >= 0);
      node->save(tensor == Py_None ? Tensor() : unwrap_checked(tensor, "save_for_backward"),
                 is_result ? number : -1);
    }
    PyRef results = checked(PyTuple_New(PyTuple_GET_SIZE(outputs)));
    std::vector<bool> materialized;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); ++i) {
      PyRef output = as_result(PyTuple_GET_ITEM(outputs, i), inputs, dirty.get());
      materialized.push_back(link_output(output.get(), dirty.get(), constant.get(), *node) && materialize);
      if (is_tensor(output.get()) && !PyObject_GC_IsTracked(output.get())) PyObject_GC_Track(output.get());
      PyTuple_SET_ITEM(results.get(), i, output.release());
    }
    node->set_materialized(std::move(materialized));
    check_status(PyObject_SetAttrString(ctx, "_link", node->link()));
    return results.release();
  });
}

PyMethodDef functions[] = {{"link_function", link_function, METH_VARARGS, nullptr}, {}};

}  // namespace

void init_python_function_node(PyObject* submodule) {
  link_type = make_type(link_spec);
  check_status(PyModule_AddFunctions(submodule, functions));
}

}  // namespace framejit::bindings
