// A frame that we run: its place in the program and its stack.
#pragma once

#include <Python.h>

#include <memory>

#include "eval_frame/frame.h"
#include "eval_frame/owned.h"
#include "symbolic/bytecode/instruction.h"

namespace framejit::eval_frame {

struct LiveFrame {
  LiveFrame(PyThreadState* thread_state, Frame* interpreter_frame,
            std::shared_ptr<const bytecode::Program> decoded)
      : thread(thread_state),
        frame(interpreter_frame),
        program(std::move(decoded)),
        code(frame_code(frame)),
        localsplus(frame_localsplus(frame)),
        stack(localsplus + code->co_nlocalsplus) {}

  PyThreadState* thread;
  Frame* frame;
  std::shared_ptr<const bytecode::Program> program;
  PyCodeObject* code;
  PyObject** localsplus;
  PyObject** stack;  // bottom; every entry below depth is an owned reference or NULL
  int depth = 0;
  int pc = 0;    // the next instruction
  Owned result;  // of a return instruction

  const bytecode::Instruction& instruction() const { return (*program)[pc]; }
  PyObject* globals() const { return frame_globals(frame); }
  PyObject* builtins() const { return frame_builtins(frame); }

  // The i-th entry from the top, counted from 1.
  PyObject*& top(int i = 1) { return stack[depth - i]; }
  PyObject** top_n(int count) { return stack + depth - count; }
  void push(PyObject* stolen) { stack[depth++] = stolen; }
  Owned pop() { return Owned::steal(stack[--depth]); }
  void drop(int count) {
    while (count-- > 0) Py_XDECREF(stack[--depth]);
  }
  // Replaces the top `count` entries by a new one (a null one is not pushed: an exception is set). True if
  // not null.
  bool replace(int count, PyObject* stolen) {
    drop(count);
    if (stolen) push(stolen);
    return stolen != nullptr;
  }
};

}  // namespace framejit::eval_frame
