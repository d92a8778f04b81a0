// An owned reference to a Python object.
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

}  // namespace framejit::symbolic
