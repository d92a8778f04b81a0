// Frames of CPython 3.11.
#include "eval_frame/frame.h"

#if PY_VERSION_HEX < 0x030C0000

#define Py_BUILD_CORE
extern "C" {
#include <internal/pycore_frame.h>
}
#undef Py_BUILD_CORE

namespace framejit::eval_frame {

PyCodeObject* frame_code(Frame* frame) { return frame->f_code; }
PyObject* frame_function(Frame* frame) { return reinterpret_cast<PyObject*>(frame->f_func); }
PyObject* frame_globals(Frame* frame) { return frame->f_globals; }
PyObject* frame_builtins(Frame* frame) { return frame->f_builtins; }
PyObject** frame_localsplus(Frame* frame) { return frame->localsplus; }
bool is_owned_by_thread(Frame* frame) { return frame->owner == FRAME_OWNED_BY_THREAD; }

void set_stack_depth(Frame* frame, int depth) { frame->stacktop = frame->f_code->co_nlocalsplus + depth; }
void set_running(Frame* frame, int unit) { frame->prev_instr = _PyCode_CODE(frame->f_code) + unit; }

PyObject* enter(PyThreadState* thread, Frame* frame, int unit, int depth) {
  set_stack_depth(frame, depth);
  set_running(frame, unit - 1);
  return _PyEval_EvalFrameDefault(thread, frame, 0);
}

PyObject* raise_into(PyThreadState* thread, Frame* frame, RaisePoint point, int depth) {
  set_stack_depth(frame, depth);
  set_running(frame, point.unit);
  return _PyEval_EvalFrameDefault(thread, frame, 1);
}

// Here the frame's caller clears and pops it.
PyObject* leave(PyThreadState*, Frame* frame, ReturnPoint, PyObject* value) {
  set_stack_depth(frame, 0);
  return value;
}

bool is_watched(PyThreadState* thread) { return thread->cframe->use_tracing || thread->tracing; }

LinkedFrame::LinkedFrame(PyThreadState* thread, Frame* frame)
    : thread_(thread), frame_(frame), record_(*thread->cframe) {
  record_.previous = thread->cframe;
  frame->previous = record_.current_frame;
  frame->is_entry = true;
  record_.current_frame = frame;
  thread->cframe = &record_;
}

LinkedFrame::~LinkedFrame() { thread_->cframe = record_.previous; }

bool enter_recursion(PyThreadState* thread) {
  if (thread->recursion_remaining <= 1) return false;
  --thread->recursion_remaining;
  return true;
}
void leave_recursion(PyThreadState* thread) { ++thread->recursion_remaining; }

}  // namespace framejit::eval_frame

#endif
