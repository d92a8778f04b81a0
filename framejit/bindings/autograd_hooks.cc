// Hooks: Python callables that the engine calls, and the object that registering one returns.
#include "eager/autograd/autograd.h"
#include "eager/autograd/engine.h"
#include "eager/autograd/saved_tensor.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Tensor;

// --- handles -----------------------------------------------------------------------------------------------

PyTypeObject* handle_type = nullptr;

struct PyHandle {
  PyObject_HEAD eager::HookHandle* handle;
};

void dealloc_handle(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<PyHandle*>(self)->handle;
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* remove_hook(PyObject* self, PyObject*) {
  return guarded([&] {
    reinterpret_cast<PyHandle*>(self)->handle->remove();
    return Py_NewRef(Py_None);
  });
}
PyObject* handle_id(PyObject* self, void*) {
  return PyLong_FromLongLong(reinterpret_cast<PyHandle*>(self)->handle->id);
}
PyObject* enter(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* exit(PyObject* self, PyObject*) { return remove_hook(self, nullptr); }

PyMethodDef handle_methods[] = {
    {"remove", remove_hook, METH_NOARGS, "Takes the hook away; again is harmless."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", exit, METH_VARARGS, nullptr},
    {}};
PyGetSetDef handle_getset[] = {{"id", handle_id, nullptr, "Greater for later hooks.", nullptr}, {}};
PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_handle)},
    {Py_tp_methods, handle_methods},
    {Py_tp_getset, handle_getset},
    {Py_tp_doc,
     const_cast<char*>("What registering a hook returns: ``remove()`` takes the hook away, as does "
                       "leaving a ``with`` block.")},
    {0, nullptr}};
PyType_Spec handle_spec = {"framejit.autograd.graph.HookHandle", sizeof(PyHandle), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, handle_slots};

// --- calling Python ----------------------------------------------------------------------------------------

/// The result of `function(*args)`. An exception is carried on through the engine.
PyRef call_python(PyObject* function, std::initializer_list<PyObject*> owned_args) {
  std::vector<PyRef> args;
  std::vector<PyObject*> borrowed;
  for (PyObject* arg : owned_args) {
    args.push_back(PyRef::steal(arg));
    borrowed.push_back(arg);
  }
  PyRef result = PyRef::steal(PyObject_Vectorcall(function, borrowed.data(), borrowed.size(), nullptr));
  if (!result) throw_pending_python_error();
  return result;
}

/// A hook's result that replaces `tensors`; one tensor stands for a tuple of one.
void replace(std::vector<Tensor>& tensors, PyObject* result, const char* what) {
  if (result == Py_None) return;
  std::vector<Tensor> replaced =
      is_tensor(result) ? std::vector<Tensor>{unwrap(result)} : read_tensors(result, what);
  FRAMEJIT_CHECK(replaced.size() == tensors.size(), what,
                 ": the hook returned an incorrect number of values (expected ", tensors.size(), ", got ",
                 replaced.size(), ")");
  tensors = std::move(replaced);
}

}  // namespace

PyObject* new_hook_handle(eager::HookHandle handle) {
  auto* object = PyObject_New(PyHandle, handle_type);
  if (!object) throw PythonError();
  object->handle = new eager::HookHandle(std::move(handle));
  return reinterpret_cast<PyObject*>(object);
}

// The functions refer to their callable; the list of hooks owns it.
eager::TensorHook tensor_hook(PyObject* hook) {
  return [hook](const Tensor& grad) {
    WithGil gil;
    PyRef result = call_python(hook, {wrap(grad)});
    if (result.get() == Py_None) return Tensor();
    FRAMEJIT_CHECK_TYPE(is_tensor(result.get()), type, "expected Variable, but hook returned '",
                        Py_TYPE(result.get())->tp_name, "'");
    return unwrap(result.get());
  };
}
eager::PostAccumulateHook post_accumulate_hook(PyObject* hook) {
  return [hook](const Tensor& self) {
    WithGil gil;
    call_python(hook, {wrap(self)});
  };
}
eager::NodePreHook node_pre_hook(PyObject* hook) {
  return [hook](std::vector<Tensor>& grads) {
    WithGil gil;
    replace(grads, call_python(hook, {wrap_tensors(grads)}).get(), "grad_outputs");
  };
}
eager::NodePostHook node_post_hook(PyObject* hook) {
  return [hook](std::vector<Tensor>& gradients, const std::vector<Tensor>& grads) {
    WithGil gil;
    replace(gradients, call_python(hook, {wrap_tensors(gradients), wrap_tensors(grads)}).get(),
            "grad_inputs");
  };
}

namespace {

/// From now on the garbage collector looks into the tensor: its hooks may refer back to it.
void track(PyObject* tensor) {
  if (!PyObject_GC_IsTracked(tensor)) PyObject_GC_Track(tensor);
}

PyObject* register_hook(PyObject*, PyObject* args) {
  PyObject *tensor, *function;
  if (!PyArg_ParseTuple(args, "O!O:register_hook", tensor_type, &tensor, &function)) return nullptr;
  return guarded([&] {
    track(tensor);
    return new_hook_handle(eager::register_hook(unwrap(tensor), tensor_hook(function), own_python(function)));
  });
}
PyObject* register_post_accumulate_hook(PyObject*, PyObject* args) {
  PyObject *tensor, *function;
  if (!PyArg_ParseTuple(args, "O!O:register_post_accumulate_hook", tensor_type, &tensor, &function))
    return nullptr;
  return guarded([&] {
    track(tensor);
    return new_hook_handle(eager::register_post_accumulate_hook(
        unwrap(tensor), post_accumulate_hook(function), own_python(function)));
  });
}

// --- of the running pass -----------------------------------------------------------------------------------

PyObject* queue_callback(PyObject*, PyObject* function) {
  return guarded([&] {
    eager::at_end_of_pass([owned = own_python(function)] {
      WithGil gil;
      call_python(python_of(owned), {});
    });
    return Py_NewRef(Py_None);
  });
}
PyObject* current_pass(PyObject*, PyObject*) { return PyLong_FromLongLong(eager::current_pass()); }
PyObject* current_node(PyObject*, PyObject*) {
  return guarded([&] {
    return wrap_node(eager::Ref<eager::GradNode>(const_cast<eager::GradNode*>(eager::current_node())));
  });
}
PyObject* will_run(PyObject*, PyObject* node) {
  return guarded([&] {
    FRAMEJIT_CHECK_TYPE(is_node(node), type, "expected a Node, got ", Py_TYPE(node)->tp_name);
    return PyBool_FromLong(eager::will_run(*unwrap_node(node)));
  });
}

// --- saved tensors -----------------------------------------------------------------------------------------

class PythonSavedTensorHooks final : public eager::SavedTensorHooks {
 public:
  PythonSavedTensorHooks(PyObject* pack, PyObject* unpack)
      : pack_(own_python(pack)), unpack_(own_python(unpack)) {}

  std::shared_ptr<void> pack(const Tensor& tensor) override {
    WithGil gil;
    return own_python(call_python(python_of(pack_), {wrap(tensor)}).get());
  }
  Tensor unpack(const std::shared_ptr<void>& packed) override {
    WithGil gil;
    PyRef result = call_python(python_of(unpack_), {Py_NewRef(python_of(packed))});
    FRAMEJIT_CHECK_TYPE(is_tensor(result.get()), type,
                        "Output of saved tensor unpack_hook expected to be a Tensor but got result of type ",
                        Py_TYPE(result.get())->tp_name);
    return unwrap(result.get());
  }

 private:
  std::shared_ptr<void> pack_, unpack_;
};

PyObject* push_saved_tensor_hooks(PyObject*, PyObject* args) {
  PyObject *pack, *unpack;
  if (!PyArg_ParseTuple(args, "OO:push_saved_tensor_hooks", &pack, &unpack)) return nullptr;
  return guarded([&] {
    eager::push_saved_tensor_hooks(eager::make_ref<PythonSavedTensorHooks>(pack, unpack));
    return Py_NewRef(Py_None);
  });
}
PyObject* pop_saved_tensor_hooks(PyObject*, PyObject*) {
  return guarded([&] {
    eager::pop_saved_tensor_hooks();
    return Py_NewRef(Py_None);
  });
}
/// forbid_saved_tensor_hooks(message or None) -> the former one
PyObject* forbid_saved_tensor_hooks(PyObject*, PyObject* message) {
  return guarded([&] {
    std::optional<std::string> text;
    if (message != Py_None) text = text_of(message);
    std::optional<std::string> former = eager::forbid_saved_tensor_hooks(std::move(text));
    return former ? to_str(*former).release() : Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"register_hook", register_hook, METH_VARARGS, nullptr},
    {"register_post_accumulate_hook", register_post_accumulate_hook, METH_VARARGS, nullptr},
    {"queue_callback", queue_callback, METH_O, nullptr},
    {"current_pass", current_pass, METH_NOARGS, nullptr},
    {"current_node", current_node, METH_NOARGS, nullptr},
    {"will_run", will_run, METH_O, nullptr},
    {"push_saved_tensor_hooks", push_saved_tensor_hooks, METH_VARARGS, nullptr},
    {"pop_saved_tensor_hooks", pop_saved_tensor_hooks, METH_NOARGS, nullptr},
    {"forbid_saved_tensor_hooks", forbid_saved_tensor_hooks, METH_O, nullptr},
    {}};

}  // namespace

void init_autograd_hooks(PyObject* submodule) {
  handle_type = make_type(handle_spec);
  check_status(PyModule_AddFunctions(submodule, functions));
  check_status(PyModule_AddObjectRef(submodule, "HookHandle", reinterpret_cast<PyObject*>(handle_type)));
}

}  // namespace framejit::bindings
