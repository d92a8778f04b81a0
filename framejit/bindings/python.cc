#include "framejit/bindings/python.h"

#include <memory>
#include <new>

#include "eager/linalg_error.h"

namespace framejit::bindings {
namespace {

PyObject* exception_type(eager::ErrorType type) {
  switch (type) {
    case eager::ErrorType::runtime:
      return PyExc_RuntimeError;
    case eager::ErrorType::type:
      return PyExc_TypeError;
    case eager::ErrorType::value:
      return PyExc_ValueError;
    case eager::ErrorType::index:
      return PyExc_IndexError;
    case eager::ErrorType::not_implemented:
      return PyExc_NotImplementedError;
    case eager::ErrorType::memory:
      return out_of_memory_error_type();
    case eager::ErrorType::stop_iteration:
      return PyExc_StopIteration;
    case eager::ErrorType::zero_division:
      return PyExc_ZeroDivisionError;
  }
  return PyExc_RuntimeError;
}

/// A Python exception on its way through C++ code that knows nothing of Python (the autograd engine).
class CarriedPythonError final : public eager::Error {
 public:
  explicit CarriedPythonError(PyRef exception)
      : Error(eager::ErrorType::runtime, "a Python exception"),
        exception_(exception.release(), [](PyObject* object) {
          WithGil gil;
          Py_DECREF(object);
        }) {}
  void restore() const { symbolic::restore_exception(PyRef::borrow(exception_.get())); }

 private:
  std::shared_ptr<PyObject> exception_;  // exceptions are copied by throw and exception_ptr
};

}  // namespace

PyObject* linalg_error_type() {
  static PyObject* type =
      checked(PyErr_NewException("framejit.linalg.LinAlgError", PyExc_RuntimeError, nullptr)).release();
  return type;
}

PyObject* out_of_memory_error_type() {
  static PyObject* type = [] {
    PyRef bases = checked(PyTuple_Pack(2, PyExc_RuntimeError, PyExc_MemoryError));
    return checked(PyErr_NewException("framejit.OutOfMemoryError", bases.get(), nullptr)).release();
  }();
  return type;
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const CarriedPythonError& error) {
    error.restore();
  } catch (const eager::LinAlgError& error) {
    PyErr_SetString(linalg_error_type(), error.what());
  } catch (const eager::Error& error) {
    PyErr_SetString(exception_type(error.type()), error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const eager::InternalError& error) {
    PyErr_Format(PyExc_SystemError, "%s\nThis is a bug in framejit; please report it.", error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void throw_pending_python_error() { throw CarriedPythonError(symbolic::take_exception()); }

PyObject* interned(const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  if (!name) throw PythonError();
  return name;
}

std::string text_of(PyObject* str) {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(str, &size);
  if (!data) throw PythonError();
  return std::string(data, size_t(size));
}

PyRef to_str(const std::string& text) {
  return checked(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
}

}  // namespace framejit::bindings
