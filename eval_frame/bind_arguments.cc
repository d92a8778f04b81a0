#include "eval_frame/bind_arguments.h"

#include <algorithm>

namespace framejit::eval_frame {
namespace {

PyObject* variable_name(PyCodeObject* code, int index) {
  return PyTuple_GET_ITEM(code->co_localsplusnames, index);
}

// The slot of a keyword argument, or -1. Names are nearly always interned, so identity is tried first.
int keyword_slot(PyCodeObject* code, PyObject* name) {
  int first = code->co_posonlyargcount, end = code->co_argcount + code->co_kwonlyargcount;
  for (int i = first; i < end; ++i)
    if (variable_name(code, i) == name) return i;
  for (int i = first; i < end; ++i)
    if (PyUnicode_Compare(variable_name(code, i), name) == 0) return i;
  return -1;
}

}  // namespace

BoundArguments::BoundArguments(PyFunctionObject* function, PyObject** localsplus)
    : function_(function),
      code_(reinterpret_cast<PyCodeObject*>(function->func_code)),
      localsplus_(localsplus) {}

BoundArguments::~BoundArguments() {
  Py_XDECREF(rest_);
  Py_XDECREF(keywords_);
}

bool BoundArguments::bind(PyObject* self, PyObject* const* arguments, Py_ssize_t positional,
                          PyObject* keyword_names) {
  std::fill_n(localsplus_, code_->co_nlocalsplus, nullptr);
  bool takes_keywords = code_->co_flags & CO_VARKEYWORDS;
  if (takes_keywords && !(keywords_ = PyDict_New())) {
    PyErr_Clear();
    return false;
  }
  if (!bind_positional(self, arguments, positional)) return false;
  Py_ssize_t keywords = keyword_names ? PyTuple_GET_SIZE(keyword_names) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i)
    if (!bind_keyword(PyTuple_GET_ITEM(keyword_names, i), arguments[positional + i])) return false;
  if (!fill_defaults()) return false;
  int next = code_->co_argcount + code_->co_kwonlyargcount;
  if (rest_) localsplus_[next++] = rest_;
  if (keywords_) localsplus_[next] = keywords_;
  return true;
}

bool BoundArguments::bind_positional(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Py_ssize_t given = count + (self != nullptr), slots = code_->co_argcount;
  auto argument = [&](Py_ssize_t i) { return !self ? arguments[i] : i == 0 ? self : arguments[i - 1]; };
  for (Py_ssize_t i = 0; i < std::min(given, slots); ++i) localsplus_[i] = argument(i);
  if (!(code_->co_flags & CO_VARARGS)) return given <= slots;
  rest_ = PyTuple_New(std::max<Py_ssize_t>(given - slots, 0));
  if (!rest_) {
    PyErr_Clear();
    return false;
  }
  for (Py_ssize_t i = slots; i < given; ++i) PyTuple_SET_ITEM(rest_, i - slots, Py_NewRef(argument(i)));
  return true;
}

bool BoundArguments::bind_keyword(PyObject* name, PyObject* value) {
  int slot = keyword_slot(code_, name);
  if (slot >= 0) {
    if (localsplus_[slot]) return false;  // given twice
    localsplus_[slot] = value;
    return true;
  }
  if (!keywords_) return false;
  if (PyDict_SetItem(keywords_, name, value) == 0) return true;
  PyErr_Clear();
  return false;
}

bool BoundArguments::fill_defaults() {
  PyObject* defaults = function_->func_defaults;
  int count = defaults ? static_cast<int>(PyTuple_GET_SIZE(defaults)) : 0;
  int first = code_->co_argcount - count;
  for (int i = 0; i < code_->co_argcount; ++i) {
    if (localsplus_[i]) continue;
    if (i < first) return false;
    localsplus_[i] = PyTuple_GET_ITEM(defaults, i - first);
  }
  for (int i = code_->co_argcount; i < code_->co_argcount + code_->co_kwonlyargcount; ++i) {
    if (localsplus_[i]) continue;
    PyObject* value = function_->func_kwdefaults
                          ? PyDict_GetItemWithError(function_->func_kwdefaults, variable_name(code_, i))
                          : nullptr;
    if (!value) {
      PyErr_Clear();
      return false;
    }
    localsplus_[i] = value;
  }
  return true;
}

}  // namespace framejit::eval_frame
