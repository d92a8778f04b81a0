// Frames of CPython 3.12.
#include "eval_frame/frame.h"

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030D0000

// The atomics of the internal headers are C11's, which C++ cannot read. Only the layout of the structures
// counts here.
#define Py_ATOMIC_H
typedef struct {
  int _value;
} _Py_atomic_int;
typedef struct {
  uintptr_t _value;
} _Py_atomic_address;
#define _Py_atomic_load_relaxed(x) ((x)->_value)
#define _Py_atomic_store_relaxed(x, v) ((x)->_value = (v))
// Declared by Python.h, and once more (static) by the internal headers.
#define PyObject_GC_IsFinalized framejit_unused_gc_is_finalized
#define Py_BUILD_CORE
extern "C" {
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
}
#undef Py_BUILD_CORE

#include "eval_frame/frame_since_312.h"

namespace framejit::eval_frame {

PyCodeObject* frame_code(Frame* frame) { return frame->f_code; }
PyObject* frame_function(Frame* frame) { return frame->f_funcobj; }
PyObject* frame_globals(Frame* frame) { return frame->f_globals; }
PyObject* frame_builtins(Frame* frame) { return frame->f_builtins; }
PyObject** frame_localsplus(Frame* frame) { return frame->localsplus; }
bool is_owned_by_thread(Frame* frame) { return frame->owner == FRAME_OWNED_BY_THREAD; }

void set_stack_depth(Frame* frame, int depth) { frame->stacktop = frame_code(frame)->co_nlocalsplus + depth; }
void set_running(Frame* frame, int unit) { frame->prev_instr = _PyCode_CODE(frame_code(frame)) + unit; }

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

LinkedFrame::LinkedFrame(PyThreadState* thread, Frame* frame)
    : thread_(thread), frame_(frame), record_(*thread->cframe) {
  record_.previous = thread->cframe;
  frame->previous = record_.current_frame;
  record_.current_frame = frame;
  thread->cframe = &record_;
}

LinkedFrame::~LinkedFrame() { thread_->cframe = record_.previous; }

bool enter_recursion(PyThreadState* thread) {
  if (thread->py_recursion_remaining <= 1) return false;
  --thread->py_recursion_remaining;
  return true;
}
void leave_recursion(PyThreadState* thread) { ++thread->py_recursion_remaining; }

}  // namespace framejit::eval_frame

#endif
