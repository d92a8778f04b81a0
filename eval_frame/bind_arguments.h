// Arguments of a call to the slots of the frame that the call would have, without making the frame.
#pragma once

#include <Python.h>

namespace framejit::eval_frame {

class BoundArguments {
 public:
  /// `localsplus` has co_nlocalsplus entries. All but those of `*args` and `**kwargs` become borrowed ones,
  /// null where the interpreter starts with an unbound local.
  BoundArguments(PyFunctionObject* function, PyObject** localsplus);
  ~BoundArguments();
  BoundArguments(const BoundArguments&) = delete;

  /// False: the arguments do not fit, or memory is short; no exception is set. Calling the function for real
  /// then raises what Python raises. `self` (may be null) goes before the others.
  bool bind(PyObject* self, PyObject* const* arguments, Py_ssize_t positional, PyObject* keyword_names);

 private:
  bool bind_positional(PyObject* self, PyObject* const* arguments, Py_ssize_t count);
  bool bind_keyword(PyObject* name, PyObject* value);
  bool fill_defaults();

  PyFunctionObject* function_;
  PyCodeObject* code_;
  PyObject** localsplus_;
  PyObject* rest_ = nullptr;      // *args, owned
  PyObject* keywords_ = nullptr;  // **kwargs, owned
};

}  // namespace framejit::eval_frame
