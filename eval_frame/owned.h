// An owned reference to a Python object.
#pragma once

#include <Python.h>

#include <utility>

namespace framejit::eval_frame {

class Owned {
 public:
  Owned() = default;
  static Owned steal(PyObject* object) { return Owned(object); }
  static Owned borrow(PyObject* object) { return Owned(Py_XNewRef(object)); }
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Owned(PyObject* object) : object_(object) {}
  PyObject* object_ = nullptr;
};

}  // namespace framejit::eval_frame
