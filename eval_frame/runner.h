// Runs frames from traces.
//
// Tour of eval_frame/
//   frame.h, frame_31x.cc     the live frame, per CPython version; the only users of CPython's internals
//   step.h, step_*.cc         one instruction, run through the C API
//   cache.h                   compilations, code objects, entry points, traces
//   thread.h                  per-thread state; the hook and when it is installed; compiler.disable
//   runner.h                  evaluate_frame: the hook; the loop over traces of one frame (this file)
//   tracing.h                 making one trace: limits, automatic dynamic sizes, events
//   compiled_function.h       the callable that framejit.compile returns; runs unbroken traces without a frame
//   bind_arguments.h          arguments of a call to the slots of a frame
//   events.h                  what listeners, logs and explain() are told
//   break_everywhere.h        a tracer for tests: every instruction is a graph break
//   module.cc                 framejit._C.compiler
//
// A frame is run as a sequence of pieces. At its pc we look for a trace whose guards hold, or make one;
// replaying it computes, applies effects and leaves locals and stack as the interpreter would have; then its
// end says what is next: return, run one instruction (a break) and go on behind it, go on at a back edge, or
// hand the frame to the interpreter.
#pragma once

#include "eval_frame/cache.h"
#include "eval_frame/frame.h"

namespace framejit::eval_frame {

/// The PEP 523 hook.
PyObject* evaluate_frame(PyThreadState* thread, Frame* frame, int throwflag);

/// Guard slots of one trace: borrowed by the guards, then held while the trace runs.
class Slots {
 public:
  explicit Slots(uint32_t count);
  ~Slots() { release(); }
  Slots(const Slots&) = delete;
  PyObject** data() { return objects_; }
  void hold();  ///< replaying may drop the objects that the slots were borrowed from
  void release();

 private:
  static constexpr uint32_t kInline = 48;
  uint32_t count_;
  bool held_ = false;
  PyObject* inline_[kInline];
  std::unique_ptr<PyObject*[]> heap_;
  PyObject** objects_;
};

}  // namespace framejit::eval_frame
