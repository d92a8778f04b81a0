// Frames of CPython 3.13.
#include "eval_frame/frame.h"

#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000

#define Py_BUILD_CORE
extern "C" {
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
}
#undef Py_BUILD_CORE

#include "eval_frame/frame_since_312.h"

namespace framejit::eval_frame {

PyCodeObject* frame_code(Frame* frame) { return reinterpret_cast<PyCodeObject*>(frame->f_executable); }
PyObject* frame_function(Frame* frame) { return frame->f_funcobj; }
PyObject* frame_globals(Frame* frame) { return frame->f_globals; }
PyObject* frame_builtins(Frame* frame) { return frame->f_builtins; }
PyObject** frame_localsplus(Frame* frame) { return frame->localsplus; }
bool is_owned_by_thread(Frame* frame) { return frame->owner == FRAME_OWNED_BY_THREAD; }

void set_stack_depth(Frame* frame, int depth) { frame->stacktop = frame_code(frame)->co_nlocalsplus + depth; }
void set_running(Frame* frame, int unit) { frame->instr_ptr = _PyCode_CODE(frame_code(frame)) + unit; }

PyObject* enter(PyThreadState* thread, Frame* frame, int unit, int depth) {
  set_stack_depth(frame, depth);
  set_running(frame, unit);
  return _PyEval_EvalFrameDefault(thread, frame, 0);
}

// Here the interpreter takes the line from instr_ptr but looks for a handler one unit before it. Inside the
// inline caches both are right; without caches the unit itself gives the right line, and its predecessor
// almost always the same handler.
PyObject* raise_into(PyThreadState* thread, Frame* frame, RaisePoint point, int depth) {
  set_stack_depth(frame, depth);
  set_running(frame, point.in_caches || point.guarded ? point.unit + 1 : point.unit);
  return _PyEval_EvalFrameDefault(thread, frame, 1);
}

LinkedFrame::LinkedFrame(PyThreadState* thread, Frame* frame) : thread_(thread), frame_(frame) {
  frame->previous = thread->current_frame;
  thread->current_frame = frame;
}

LinkedFrame::~LinkedFrame() { thread_->current_frame = frame_->previous; }

bool enter_recursion(PyThreadState* thread) {
  if (thread->py_recursion_remaining <= 1) return false;
  --thread->py_recursion_remaining;
  return true;
}
void leave_recursion(PyThreadState* thread) { ++thread->py_recursion_remaining; }

}  // namespace framejit::eval_frame

#endif
