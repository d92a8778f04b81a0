#include "framejit/bindings/autograd_node.h"

#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::GradNode;
using eager::Ref;
using eager::Tensor;

PyTypeObject* node_type = nullptr;

struct PyNode {
  PyObject_HEAD GradNode* node;  // owned
};

GradNode* node_of(PyObject* self) { return reinterpret_cast<PyNode*>(self)->node; }

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  node_of(self)->release();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  return guarded([&] {
    return PyUnicode_FromFormat("<%s object at %p>", node_of(self)->name().c_str(), node_of(self));
  });
}
PyObject* name(PyObject* self, PyObject*) {
  return guarded([&] { return to_str(node_of(self)->name()).release(); });
}
PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] {
    const auto& edges = node_of(self)->edges;
    PyRef tuple = checked(PyTuple_New(Py_ssize_t(edges.size())));
    for (size_t i = 0; i < edges.size(); ++i) {
      PyRef node = PyRef::steal(wrap_node(edges[i].node));
      PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i),
                       checked(Py_BuildValue("(Oi)", node.get(), edges[i].input)).release());
    }
    return tuple.release();
  });
}
Py_hash_t hash(PyObject* self) { return Py_hash_t(reinterpret_cast<uintptr_t>(node_of(self)) >> 4); }
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (!is_node(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((node_of(a) == node_of(b)) == (op == Py_EQ));
}

PyMethodDef methods[] = {{"name", name, METH_NOARGS, "Name of the operation."}, {}};
PyGetSetDef getset[] = {
    {"next_functions", next_functions, nullptr, "((node, input number), ...) of the inputs", nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char*>("A vertex of the backward graph.")},
                       {0, nullptr}};
PyType_Spec spec = {"framejit.autograd.Node", sizeof(PyNode), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* wrap_node(const Ref<GradNode>& node) {
  if (!node) Py_RETURN_NONE;
  auto* object = PyObject_New(PyNode, node_type);
  if (!object) throw PythonError();
  node->retain();
  object->node = node.get();
  return reinterpret_cast<PyObject*>(object);
}
bool is_node(PyObject* object) { return Py_IS_TYPE(object, node_type); }
Ref<GradNode> unwrap_node(PyObject* object) { return Ref<GradNode>(node_of(object)); }

Callback::Callback(PyObject* borrowed)
    : object_(Py_NewRef(borrowed), [](PyObject* object) {
        if (!Py_IsInitialized()) return;
        WithGil gil;
        Py_DECREF(object);
      }) {}

Tensor call_hook(const Callback& hook, const Tensor& tensor) {
  WithGil gil;
  PyRef argument = PyRef::steal(wrap(tensor));
  PyRef result = PyRef::steal(PyObject_CallOneArg(hook.get(), argument.get()));
  if (!result) throw_pending_python_error();
  if (result.get() == Py_None) return {};
  FRAMEJIT_CHECK_TYPE(is_tensor(result.get()), type, "expected hook to return Tensor or None, got ",
                      Py_TYPE(result.get())->tp_name);
  return unwrap(result.get());
}

void init_autograd(PyObject* module) {
  node_type = make_type(spec);
  add_to_module(module, "Node", reinterpret_cast<PyObject*>(node_type));
  init_autograd_functions(module);
}

}  // namespace framejit::bindings
