// The live interpreter frame, seen the same way on every CPython. frame_31x.cc are the only files that
// include CPython's internal headers; what all of them do is declared here.
//
// A frame is always in one of three states:
//   fresh     as the hook got it: no instruction has run, the stack is empty, it is not linked into the
//   thread linked    (LinkedFrame) the thread's current frame: C code that we run is seen as called by it
//   consumed  by enter(), raise_into() or leave(): must not be touched again
#pragma once

#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#error "eval_frame knows the frames of CPython 3.11, 3.12 and 3.13 only: write a frame_3xx.cc for this one"
#endif

struct _PyInterpreterFrame;

namespace framejit::eval_frame {

using Frame = _PyInterpreterFrame;
using Evaluator = PyObject* (*)(PyThreadState*, Frame*, int throwflag);

PyCodeObject* frame_code(Frame* frame);  // borrowed, as all of these
PyObject* frame_function(Frame* frame);
PyObject* frame_globals(Frame* frame);
PyObject* frame_builtins(Frame* frame);
PyObject** frame_localsplus(Frame* frame);  // locals, cells, free variables, then the stack
bool is_owned_by_thread(Frame* frame);      // not by a generator
// The number of the stack's entries, which the interpreter must know before it takes the frame over or clears
// it.
void set_stack_depth(Frame* frame, int depth);
// The code unit that tracebacks and sys._getframe show as running.
void set_running(Frame* frame, int unit);

// Consume the frame. Each returns what the frame's caller gets: a new reference, or null with an exception
// set.
PyObject* enter(PyThreadState* thread, Frame* frame, int unit, int depth);  // the interpreter runs the rest
// The exception that is set is raised at `unit`: the frame's own handlers, or its caller, get it.
// `in_caches`: the instruction has inline caches, and `guarded`: it is covered by another handler than the
// unit before it (see 3.13).
struct RaisePoint {
  int unit;
  bool in_caches;
  bool guarded;
};
PyObject* raise_into(PyThreadState* thread, Frame* frame, RaisePoint point, int depth);
// Steals `value`. The code has a RETURN_VALUE, or (constant) RETURN_CONST, at `unit`; the stack is empty.
struct ReturnPoint {
  int unit;
  bool constant;
};
PyObject* leave(PyThreadState* thread, Frame* frame, ReturnPoint point, PyObject* value);

// Is anybody watching frames (sys.settrace, sys.setprofile, sys.monitoring)? Then the interpreter must run
// them.
bool is_watched(PyThreadState* thread);

// Makes a frame the thread's current one for a scope.
class LinkedFrame {
 public:
  LinkedFrame(PyThreadState* thread, Frame* frame);
  ~LinkedFrame();
  LinkedFrame(const LinkedFrame&) = delete;

 private:
  PyThreadState* thread_;
  Frame* frame_;
#if PY_VERSION_HEX < 0x030D0000
  _PyCFrame record_;
#endif
};

void set_evaluator(Evaluator evaluator);  // null: the interpreter's own
PyObject* evaluate_default(PyThreadState* thread, Frame* frame, int throwflag);

// Counts one Python frame against the recursion limit. False, with nothing counted or raised, when there is
// no room: the interpreter will then raise RecursionError itself, and clear the frame as it should be.
bool enter_recursion(PyThreadState* thread);
void leave_recursion(PyThreadState* thread);

// The exception that `except` clauses and `raise` without operand see (top of the thread's exc_info).
PyObject* handled_exception_borrowed(PyThreadState* thread);

// Per-code data.
Py_ssize_t request_code_extra(freefunc free);
void* code_extra(PyCodeObject* code, Py_ssize_t index);
bool set_code_extra(PyCodeObject* code, Py_ssize_t index, void* extra);

}  // namespace framejit::eval_frame
