// What CPython 3.12 and later do alike. Included once per build, by the file of the version, behind its
// internal headers.
#pragma once

#include "eval_frame/frame.h"

namespace framejit::eval_frame {

// The evaluator clears and pops the frame, and only CPython can do that: let it run the return instruction.
PyObject* leave(PyThreadState* thread, Frame* frame, ReturnPoint point, PyObject* value) {
  if (!point.constant) {
    frame->localsplus[frame_code(frame)->co_nlocalsplus] = value;
    return enter(thread, frame, point.unit, 1);
  }
  PyObject* constant = enter(thread, frame, point.unit, 0);
  if (!constant) {
    Py_DECREF(value);
    return nullptr;
  }
  Py_DECREF(constant);
  return value;
}

bool is_watched(PyThreadState* thread) {
  if (thread->tracing || thread->c_tracefunc || thread->c_profilefunc) return true;
  for (uint8_t tools : thread->interp->monitors.tools)
    if (tools) return true;
  return false;
}

}  // namespace framejit::eval_frame
