#include "framejit/bindings/autograd_node.h"

#include <map>

#include "eager/autograd/op_node.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/python_function_node.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::GradNode;
using eager::OpNode;
using eager::Ref;
using eager::Tensor;

PyTypeObject* node_type = nullptr;

struct PyNode {
  PyObject_HEAD GradNode* node;  // owned
};

GradNode* node_of(PyObject* self) { return reinterpret_cast<PyNode*>(self)->node; }

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  GradNode* node = std::exchange(reinterpret_cast<PyNode*>(self)->node, nullptr);
  node->extras().py_object = nullptr;
  type->tp_free(self);
  Py_DECREF(type);
  node->release();
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (node_of(self)->use_count() > 1) return 0;
  int status = 0;
  node_of(self)->visit_python([&](void* object) {
    if (!status) status = visit(static_cast<PyObject*>(object), arg);
  });
  return status;
}
int clear(PyObject* self) {
  node_of(self)->clear_python();
  return 0;
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
PyObject* metadata(PyObject* self, void*) {
  return guarded([&] {
    std::shared_ptr<void>& dict = node_of(self)->extras().metadata;
    if (!dict) dict = own_python(checked(PyDict_New()).get());
    return Py_NewRef(python_of(dict));
  });
}
PyObject* sequence_number(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(node_of(self)->sequence);
}
PyObject* register_hook(PyObject* self, PyObject* function) {
  return guarded([&] {
    auto& list = node_of(self)->extras().post_hooks;
    int64_t id = list->add(node_post_hook(function), 0, own_python(function));
    return new_hook_handle({list, id});
  });
}
PyObject* register_prehook(PyObject* self, PyObject* function) {
  return guarded([&] {
    auto& list = node_of(self)->extras().pre_hooks;
    int64_t id = list->add(node_pre_hook(function), 0, own_python(function));
    return new_hook_handle({list, id});
  });
}
/// The leaf, of an AccumulateGrad node.
PyObject* variable(PyObject* self, void*) {
  const Tensor* leaf = node_of(self)->leaf();
  if (leaf) return guarded([&] { return wrap(*leaf); });
  PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'", Py_TYPE(self)->tp_name);
  return nullptr;
}

/// `_saved_<argument>`, `_saved_result<i>` of an op's node; null when there is no such attribute.
PyRef saved_attribute(const OpNode& node, const std::string& name) {
  constexpr std::string_view kPrefix = "_saved_", kResult = "result";
  if (name.rfind(kPrefix, 0) != 0) return {};
  std::string what = name.substr(kPrefix.size());
  const auto& args = node.op().schema.args;
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].name == what && node.has_saved(int(i)))
      return PyRef::steal(to_python(node.saved_arg(int(i))));
  if (what.rfind(kResult, 0) != 0) return {};
  int index = what == kResult ? 0 : std::atoi(what.c_str() + kResult.size());
  if (!node.has_saved_result(index)) return {};
  return PyRef::steal(wrap(node.saved_result(index)));
}

/// Besides its own attributes: what an op saved, what a Function's `ctx` holds.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  return guarded([&]() -> PyObject* {
    if (auto* function = dynamic_cast<PythonFunctionNode*>(node_of(self))) {
      PyErr_Clear();
      return PyObject_GetAttr(function->context(), name);
    }
    auto* op_node = dynamic_cast<OpNode*>(node_of(self));
    if (!op_node) return nullptr;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyRef own_type = PyRef::steal(type), own_value = PyRef::steal(value),
          own_traceback = PyRef::steal(traceback);
    PyRef saved = saved_attribute(*op_node, text_of(name));
    if (!saved) PyErr_Restore(own_type.release(), own_value.release(), own_traceback.release());
    return saved.release();
  });
}

PyMethodDef methods[] = {
    {"name", name, METH_NOARGS, "Name of the operation."},
    {"register_hook", register_hook, METH_O,
     "Calls hook(grad_inputs, grad_outputs) after the node has run; a tuple that it returns replaces "
     "grad_inputs."},
    {"register_prehook", register_prehook, METH_O,
     "Calls hook(grad_outputs) before the node runs; a tuple that it returns replaces them."},
    {"_sequence_nr", sequence_number, METH_NOARGS, "Later operations have greater numbers."},
    {}};
PyGetSetDef getset[] = {
    {"next_functions", next_functions, nullptr, "((node, input number), ...) of the inputs", nullptr},
    {"metadata", metadata, nullptr, "A dict for whatever users want to note.", nullptr},
    {"variable", variable, nullptr, "The leaf of an AccumulateGrad node.", nullptr},
    {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char*>("A vertex of the backward graph.")},
                       {0, nullptr}};
PyType_Spec spec = {
    "framejit.autograd.graph.Node", sizeof(PyNode), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/// A subclass of Node called as the node is: programs look at `type(grad_fn).__name__`.
PyTypeObject* type_named(const std::string& name) {
  static auto& types = *new std::map<std::string, PyTypeObject*>;
  PyTypeObject*& type = types[name];
  if (type) return type;
  auto* text = new std::string("framejit.autograd.graph." + name);  // the type refers to it for ever
  PyType_Slot inherited[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                             {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear)},
                             {0, nullptr}};  // CPython wants these three in each type of its own
  PyType_Spec named = {text->c_str(), sizeof(PyNode), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                       inherited};
  return type = make_type(named, node_type);
}

}  // namespace

PyObject* wrap_node(const Ref<GradNode>& node) {
  if (!node) Py_RETURN_NONE;
  void*& known = node->extras().py_object;
  if (known) return Py_NewRef(static_cast<PyObject*>(known));
  auto* object = PyObject_GC_New(PyNode, type_named(node->name()));
  if (!object) throw PythonError();
  node->retain();
  object->node = node.get();
  known = object;
  PyObject_GC_Track(object);
  return reinterpret_cast<PyObject*>(object);
}
bool is_node(PyObject* object) { return PyObject_TypeCheck(object, node_type); }
Ref<GradNode> unwrap_node(PyObject* object) { return Ref<GradNode>(node_of(object)); }

std::shared_ptr<void> own_python(PyObject* borrowed) {
  return std::shared_ptr<void>(Py_NewRef(borrowed), [](void* object) {
    if (!Py_IsInitialized()) return;
    WithGil gil;
    Py_DECREF(static_cast<PyObject*>(object));
  });
}

PyObject* wrap_tensors(const std::vector<Tensor>& tensors) {
  PyRef tuple = checked(PyTuple_New(Py_ssize_t(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i), wrap(tensors[i]));
  return tuple.release();
}

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

void init_autograd(PyObject* module) {
  node_type = make_type(spec);
  add_to_module(module, "Node", reinterpret_cast<PyObject*>(node_type));
  PyObject* submodule = add_submodule(module, "_autograd");
  init_autograd_functions(submodule);
  init_autograd_hooks(submodule);
  init_autograd_modes(submodule);
  init_python_function_node(submodule);
}

}  // namespace framejit::bindings
