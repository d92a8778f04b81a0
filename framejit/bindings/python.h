// The border between C++ and CPython: owned references, errors in both directions.
//
// Tour of framejit/bindings/
//   python.h               owned references; C++ exceptions to Python and back
//   constant_types.h       dtype, device, Size, SymNumber (a number of a trace being made), one file each
//   tensor_object.h        the Python object of a tensor: wrap, unwrap, identity, lifetime
//   tensor_type.h          the type `Tensor`, put together in tensor_type.cc from
//     tensor_properties.cc   shape, dtype, grad, ...
//     tensor_methods.cc      methods that are no rows of the op table (more in framejit/_tensor.py)
//     number_protocol.h      + - * / ... and comparisons, each naming its row
//     index.h                x[...], x[...] = y: index_plan.cc reads an index, index_access.cc applies it
//   signature.h            the overloads of one op name as Python sees them, made from the schemas
//   arg_reader.h           one Python object -> one boxed Value, by the argument's type
//   arg_binder.h           positional and keyword arguments -> all values of one overload
//   bind_errors.cc         the TypeErrors of that, in PyTorch's words
//   op_callable.h          op functions (`fj.add`) and methods (`Tensor.add`): vectorcall
//   results.h              boxed results -> Python objects
//   tensor_data.h          tensors from and to Python data: tensor_data.cc, numpy.cc, dlpack.cc
//   autograd_node.h        grad_fn objects and hooks; autograd_functions.cc: the submodule _autograd
//   python_function_node.h the node of a user's autograd.Function
//   python_op.h            ops and kernels that are Python functions (framejit.library);
//                          library_functions.cc: the submodule _library
//   storage_object.h       UntypedStorage, the memory behind tensors
//   front_end.h            all this as the symbolic executor and the guards see it
//   module.h               the module _C: functions.cc, generator_object.cc, machine.cc, op_table.cc
//   _C.pyi.in              its type stub, to which tools/opgen/stubs.py adds the op table
//
// One call, followed: `fj.add(x, 1)` enters function_vectorcall (op_callable.cc), which binds the arguments
// to the row "add" (arg_binder.cc asks arg_reader.cc for each), calls it through the dispatcher
// (eager/dispatch.h) and wraps the result. `x + 1` enters run_binary (number_protocol.cc) and goes the same
// way from the reader on.
//
// Rules: a function that returns PyObject* to CPython catches everything (`guarded`). Inside, failures are
// exceptions: eager::Error for what the user did wrong, PythonError when CPython has already set one.
#pragma once

#include <Python.h>

#include <string>
#include <utility>

#include "eager/error.h"
#include "symbolic/py_ref.h"

namespace framejit::bindings {

using symbolic::PyRef;  // the GIL is held wherever one is copied or dies

/// Thrown when the Python error indicator is set.
struct PythonError {};

/// Takes over what a CPython function returned; throws when it failed.
inline PyRef checked(PyObject* owned) {
  if (!owned) throw PythonError();
  return PyRef::steal(owned);
}
inline void check_status(int status) {
  if (status < 0) throw PythonError();
}

/// Sets the Python exception for the C++ exception being handled.
void set_python_error() noexcept;
/// Borrowed: the RuntimeError that eager::LinAlgError becomes.
PyObject* linalg_error_type();
/// Borrowed: what an eager::Error of memory becomes, a RuntimeError as in PyTorch and a MemoryError.
PyObject* out_of_memory_error_type();
/// The pending Python exception as a C++ one, for code below us that must unwind: an eager::Error of the
/// nearest type whose Python object is kept and raised again by `set_python_error` on this thread.
[[noreturn]] void throw_pending_python_error();

/// Runs `body` at the border to CPython: `failure` with an exception set when it throws.
template <class Body, class Result = decltype(std::declval<Body>()())>
Result guarded(Body&& body, Result failure = Result(0)) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failure;
  }
}
template <class Body>
int guarded_status(Body&& body) noexcept {
  return guarded(
      [&] {
        body();
        return 0;
      },
      -1);
}

/// Lets other threads run Python for a scope.
class WithoutGil {
 public:
  explicit WithoutGil(bool release) : state_(release ? PyEval_SaveThread() : nullptr) {}
  ~WithoutGil() {
    if (state_) PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL for a scope, on any thread.
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Interned string, immortal: names that are looked up again and again.
PyObject* interned(const char* text);
/// The text of a `str`; throws when it is none.
std::string text_of(PyObject* str);
PyRef to_str(const std::string& text);

}  // namespace framejit::bindings
