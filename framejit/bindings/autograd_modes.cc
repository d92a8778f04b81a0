// Modes of autograd as Python reads and sets them: grad mode, inference mode, anomaly mode, autocast.
#include "eager/autocast.h"
#include "eager/autograd/anomaly.h"
#include "eager/dispatch.h"
#include "eager/warning.h"
#include "framejit/bindings/autograd_node.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {
namespace {

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
/// set_anomaly_enabled(enabled, check_nan)
PyObject* set_anomaly_enabled(PyObject*, PyObject* args) {
  int enabled, check_nan;
  if (!PyArg_ParseTuple(args, "pp:set_anomaly_enabled", &enabled, &check_nan)) return nullptr;
  eager::modes().anomaly = enabled;
  eager::set_anomaly_checks_nan(check_nan);
  Py_RETURN_NONE;
}
PyObject* is_anomaly_check_nan_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(eager::anomaly_checks_nan());
}

/// The lines of the Python stack at a forward call.
class PythonPlace final : public eager::ForwardPlace {
 public:
  explicit PythonPlace(std::shared_ptr<void> lines) : lines_(std::move(lines)) {}
  std::string text() const override {
    WithGil gil;
    PyRef empty = to_str("");
    return text_of(checked(PyUnicode_Join(empty.get(), python_of(lines_))).get());
  }

 private:
  std::shared_ptr<void> lines_;
};

std::shared_ptr<eager::ForwardPlace> python_place() {
  WithGil gil;
  PyRef module = checked(PyImport_ImportModule("traceback"));
  PyRef lines = checked(PyObject_CallMethod(module.get(), "format_stack", nullptr));
  return std::make_shared<PythonPlace>(own_python(lines.get()));
}

/// Also while an exception is on its way through C++.
void warn_python(const std::string& message) {
  WithGil gil;
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) < 0) PyErr_WriteUnraisable(nullptr);
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

/// Raises where Python was told to make errors of warnings.
void warn_or_raise(const std::string& message) {
  WithGil gil;
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) < 0) throw_pending_python_error();
}

PyMethodDef functions[] = {
    {"get_autocast", get_autocast, METH_VARARGS, nullptr},
    {"set_autocast", set_autocast, METH_VARARGS, nullptr},
    {"clear_autocast_cache", clear_autocast_cache, METH_NOARGS, nullptr},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "Whether operations on tensors are recorded for autograd."},
    {"set_grad_enabled", set_grad_enabled, METH_O, nullptr},
    {"is_inference_enabled", is_inference_enabled, METH_NOARGS, "Whether inference mode is on."},
    {"set_inference_enabled", set_inference_enabled, METH_O, nullptr},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS, "Whether anomaly detection is on."},
    {"set_anomaly_enabled", set_anomaly_enabled, METH_VARARGS, nullptr},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan_enabled, METH_NOARGS,
     "Whether anomaly detection also looks for NaN in every gradient."},
    {}};

}  // namespace

void init_autograd_modes(PyObject* submodule) {
  eager::set_anomaly_reporter({python_place, warn_python});
  eager::set_warner(warn_or_raise);
  check_status(PyModule_AddFunctions(submodule, functions));
}

}  // namespace framejit::bindings
