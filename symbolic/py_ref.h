// Owned references to Python objects, and the pending exception as one. Shared by symbolic/, eval_frame/ and
// the bindings.
#pragma once

#include <Python.h>

#include <utility>

namespace framejit::symbolic {

class PyRef {
 public:
  PyRef() = default;
  static PyRef steal(PyObject* owned) {
    PyRef ref;
    ref.object_ = owned;
    return ref;
  }
  static PyRef borrow(PyObject* borrowed) { return steal(Py_XNewRef(borrowed)); }
  PyRef(const PyRef& other) : object_(Py_XNewRef(other.object_)) {}
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// The pending exception as one object with its traceback, which is no longer pending; null if there is none.
inline PyRef take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return PyRef::steal(PyErr_GetRaisedException());
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) return {};
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Py_DECREF(type);
  Py_XDECREF(traceback);
  return PyRef::steal(value);
#endif
}

/// Makes an exception the pending one.
inline void restore_exception(PyRef exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception.release());
#else
  PyObject* value = exception.release();
  if (value)
    PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), value,
                  PyException_GetTraceback(value));
#endif
}

/// Puts the pending exception aside for a scope, in which Python may be called.
class ExceptionAside {
 public:
  ExceptionAside() : exception_(take_exception()) {}
  ~ExceptionAside() {
    PyErr_Clear();
    restore_exception(std::move(exception_));
  }
  ExceptionAside(const ExceptionAside&) = delete;

 private:
  PyRef exception_;
};

}  // namespace framejit::symbolic
