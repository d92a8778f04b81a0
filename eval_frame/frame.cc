// What all versions do alike, with public structures only.
#include "eval_frame/frame.h"

namespace framejit::eval_frame {

void set_evaluator(Evaluator evaluator) {
  _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(),
                                       evaluator ? evaluator : _PyEval_EvalFrameDefault);
}

PyObject* evaluate_default(PyThreadState* thread, Frame* frame, int throwflag) {
  return _PyEval_EvalFrameDefault(thread, frame, throwflag);
}

PyObject* handled_exception_borrowed(PyThreadState* thread) {
  _PyErr_StackItem* item = thread->exc_info;
  while ((!item->exc_value || item->exc_value == Py_None) && item->previous_item) item = item->previous_item;
  return item->exc_value == Py_None ? nullptr : item->exc_value;
}

Py_ssize_t request_code_extra(freefunc free) {
#if PY_VERSION_HEX < 0x030C0000
  return _PyEval_RequestCodeExtraIndex(free);
#else
  return PyUnstable_Eval_RequestCodeExtraIndex(free);
#endif
}

void* code_extra(PyCodeObject* code, Py_ssize_t index) {
  void* extra = nullptr;
#if PY_VERSION_HEX < 0x030C0000
  _PyCode_GetExtra(reinterpret_cast<PyObject*>(code), index, &extra);
#else
  PyUnstable_Code_GetExtra(reinterpret_cast<PyObject*>(code), index, &extra);
#endif
  return extra;
}

bool set_code_extra(PyCodeObject* code, Py_ssize_t index, void* extra) {
#if PY_VERSION_HEX < 0x030C0000
  return _PyCode_SetExtra(reinterpret_cast<PyObject*>(code), index, extra) == 0;
#else
  return PyUnstable_Code_SetExtra(reinterpret_cast<PyObject*>(code), index, extra) == 0;
#endif
}

}  // namespace framejit::eval_frame
