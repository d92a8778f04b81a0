#include "eval_frame/runner.h"

#include <optional>

#include "eval_frame/step.h"
#include "eval_frame/thread.h"
#include "eval_frame/tracing.h"
#include "symbolic/py_ref.h"

namespace framejit::eval_frame {

using symbolic::EndKind;
using symbolic::ReplayStatus;
using symbolic::Trace;

Slots::Slots(uint32_t count) : count_(count), objects_(inline_) {
  if (count <= kInline) return;
  heap_ = std::make_unique<PyObject*[]>(count);
  objects_ = heap_.get();
}

void Slots::hold() {
  for (uint32_t i = 0; i < count_; ++i) Py_XINCREF(objects_[i]);
  held_ = true;
}

void Slots::release() {
  if (!std::exchange(held_, false)) return;
  for (uint32_t i = 0; i < count_; ++i) Py_XDECREF(objects_[i]);
}

namespace {

// How a frame is given back.
enum class Exit : uint8_t { interpret, raise, leave };

// The loop over the traces of one frame, which is linked meanwhile.
class Runner {
 public:
  Runner(LiveFrame& live, CodeCache& cache, Compilation& compilation)
      : live_(live), cache_(cache), compilation_(compilation) {}
  Exit run();

 private:
  // What follows after one piece; nothing: go on with the next.
  using Next = std::optional<Exit>;

  Next run_piece();
  std::optional<ReplayStatus> run_cached(EntryPoint& entry, Next& next);
  ReplayStatus replay(const CachedTrace& cached, Slots& slots);
  Next after(const Trace& trace);
  Next after_status(const Trace& trace, ReplayStatus status);
  Next run_instruction();
  Next raised();
  Next raise_again();
  void enter_handler(const bytecode::Handler& handler, long unit, Owned exception);
  Next interpret_rest();
  Next raise_here();
  bool at_safe_point();

  LiveFrame& live_;
  CodeCache& cache_;
  Compilation& compilation_;
  unsigned pieces_ = 0;
  // An exception is being handled: instructions are run one by one until the handler is left, since the
  // thread's exc_info belongs to the state that they see.
  bool handling_ = false;
  int handlers_ = 0;  // PushExcInfo done and PopExcept not yet
};

Exit Runner::run() {
  for (;;)
    if (Next exit = run_piece()) return *exit;
}

Runner::Next Runner::run_piece() {
  if (handling_ || live_.instruction().op == bytecode::Opcode::Reraise) return run_instruction();
  ThreadState& thread = this_thread();
  if (thread.disabled || is_watched(live_.thread) || compilation_.gives_up(cache_)) return interpret_rest();
  EntryPoint& entry = cache_.entry(live_.pc);
  Next next;
  if (run_cached(entry, next)) return next;
  std::shared_ptr<const CachedTrace> made = make_trace(place_of(live_), cache_, entry, compilation_);
  if (!made && !PyErr_Occurred()) return interpret_rest();
  if (!made) return raise_here();
  Slots slots(made->trace->slot_count);
  if (made->trace->guards->run(values_of(live_), slots.data()) != guards::Program::kHit) {
    entry.closed = "a trace did not fit the values that it was made from (a bug of framejit)";
    return interpret_rest();
  }
  return after_status(*made->trace, replay(*made, slots));
}

// Runs the first trace that fits; nothing if there is none.
std::optional<ReplayStatus> Runner::run_cached(EntryPoint& entry, Next& next) {
  for (size_t i = 0; i < entry.traces.size(); ++i) {
    std::shared_ptr<const CachedTrace> cached = entry.traces[i];
    const Trace& trace = *cached->trace;
    Slots slots(trace.slot_count);
    if (trace.guards->run(values_of(live_), slots.data()) != guards::Program::kHit) continue;
    ReplayStatus status = replay(*cached, slots);
    if (status == ReplayStatus::mismatch) continue;
    slots.release();
    if (i < entry.traces.size() && entry.traces[i] == cached) entry.used(i);
    next = after_status(trace, status);
    return status;
  }
  return std::nullopt;
}

ReplayStatus Runner::replay(const CachedTrace& cached, Slots& slots) {
  if (cached.passive) return ReplayStatus::done;
  slots.hold();
  Counted busy(this_thread().busy);
  PyObject* result = nullptr;
  ReplayStatus status =
      symbolic::replay(*cached.trace, slots.data(), live_.localsplus, &live_.depth, &result);
  if (result) live_.result = Owned::steal(result);
  return status;
}

Runner::Next Runner::after_status(const Trace& trace, ReplayStatus status) {
  switch (status) {
    case ReplayStatus::done:
      return after(trace);
    case ReplayStatus::error:
      return Exit::raise;
    case ReplayStatus::rerun:
      ++compilation_.stats().failed_runs;
      break;
    case ReplayStatus::mismatch:  // of a trace just made: what it relies on changes while it is made
      break;
  }
  return interpret_rest();
}

Runner::Next Runner::after(const Trace& trace) {
  if (trace.end.kind == EndKind::returns) return Exit::leave;
  live_.pc = trace.end.pc;
  switch (trace.end.kind) {
    case EndKind::graph_break:
    case EndKind::branch:
    case EndKind::loop_step:
      return run_instruction();
    case EndKind::loop_cut:
      return at_safe_point() ? Next() : raised();
    default:
      return interpret_rest();
  }
}

// A truth value is followed to where it leads: the two sides of a branch are the entry points, not the jump.
bool uses_truth(bytecode::Opcode op) {
  return op == bytecode::Opcode::PopJumpIfTrue || op == bytecode::Opcode::PopJumpIfFalse ||
         op == bytecode::Opcode::UnaryNot;
}

Runner::Next Runner::run_instruction() {
  if (!at_safe_point()) return raised();
  bytecode::Opcode op = live_.instruction().op;
  bool again = op == bytecode::Opcode::Reraise ||
               (op == bytecode::Opcode::RaiseVarargs && live_.instruction().arg == 0);
  if (again) return raise_again();
  StepResult result = step(live_);
  if (result == StepResult::next && op == bytecode::Opcode::PushExcInfo) ++handlers_;
  if (result == StepResult::next && op == bytecode::Opcode::PopExcept) handling_ = --handlers_ > 0;
  while (result == StepResult::next && uses_truth(live_.instruction().op)) result = step(live_);
  switch (result) {
    case StepResult::next:
      return std::nullopt;
    case StepResult::returned:
      return Exit::leave;
    case StepResult::raised:
      return raised();
    case StepResult::unsupported:
      break;
  }
  return interpret_rest();
}

// Goes to the frame's own handler, if it has one here, as the interpreter does; else the interpreter unwinds
// the frame.
Runner::Next Runner::raised() {
  const bytecode::Handler* handler = live_.program->handler(live_.pc);
  if (!handler) return Exit::raise;
  if (PyFrameObject* frame = PyThreadState_GetFrame(live_.thread)) {
    PyTraceBack_Here(frame);
    Py_DECREF(frame);
  }
  enter_handler(*handler, live_.instruction().unit, Owned::steal(symbolic::take_exception().release()));
  return std::nullopt;
}

// `raise` alone, and the end of a handler that did not match: what was raised before, whose traceback has its
// entry for this frame already. Where the frame has no handler for it, the interpreter unwinds the frame.
Runner::Next Runner::raise_again() {
  const bytecode::Instruction& in = live_.instruction();
  bool bare = in.op == bytecode::Opcode::RaiseVarargs;
  PyObject* exception = bare ? handled_exception_borrowed(live_.thread) : live_.top();
  const bytecode::Handler* handler = live_.program->handler(live_.pc);
  if (!handler || !exception || !PyExceptionInstance_Check(exception)) return interpret_rest();
  // The instruction to blame is the one that raised at first.
  long unit = bare || in.arg == 0 ? in.unit : PyLong_AsLong(live_.top(1 + in.arg));
  enter_handler(*handler, unit, Owned::borrow(exception));
  return std::nullopt;
}

void Runner::enter_handler(const bytecode::Handler& handler, long unit, Owned exception) {
  live_.drop(live_.depth - handler.depth);
  if (handler.push_offset) live_.push(PyLong_FromLong(unit));
  live_.push(exception.release());
  live_.pc = handler.target;
  handling_ = true;
}

// The interpreter can be entered only between its own instructions.
Runner::Next Runner::interpret_rest() {
  while (live_.instruction().part > 0) {
    StepResult result = step(live_);
    if (result == StepResult::returned) return Exit::leave;
    if (result != StepResult::next) return Exit::raise;
  }
  return Exit::interpret;
}

// For errors that are the compiler's: at function entry no handler of the user's may catch them.
Runner::Next Runner::raise_here() {
  // The first instructions make the frame's cells, which whoever looks at the traceback reads.
  const int last = live_.program->body() - 1;
  while (live_.pc < last && step(live_) == StepResult::next) {
  }
  return Exit::raise;
}

// As the interpreter does at back edges: signals are handled, and now and then other threads run.
bool Runner::at_safe_point() {
  constexpr unsigned kPiecesPerSwitch = 256;
  if (++pieces_ % kPiecesPerSwitch == 0) {
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
  }
  set_running(live_.frame, live_.instruction().unit);
  return PyErr_CheckSignals() == 0;
}

// Any return instruction will do; see leave().
ReturnPoint return_point(const bytecode::Program& program) {
  for (const bytecode::Instruction& in : program.instructions()) {
    if (in.op == bytecode::Opcode::ReturnValue) return {in.entry, false};
    if (in.op == bytecode::Opcode::ReturnConst) return {in.entry, true};
  }
  return {-1, false};  // code that never returns (it loops or raises) has no trace that does
}

RaisePoint raise_point(const bytecode::Program& program, int pc) {
  const bytecode::Instruction& in = program[pc];
  const bytecode::Handler* before = pc > in.part ? program.handler(pc - in.part - 1) : nullptr;
  return {in.unit, program.pc_at_unit(in.unit + 1) < 0, program.handler(pc) != before};
}

PyObject* run_frame(PyThreadState* thread, Frame* frame, CodeCache& cache, Compilation& compilation) {
  if (!enter_recursion(thread)) return evaluate_default(thread, frame, 0);
  LiveFrame live(thread, frame, cache.program());
  Exit exit;
  {
    LinkedFrame linked(thread, frame);
    exit = Runner(live, cache, compilation).run();
  }
  leave_recursion(thread);
  const bytecode::Program& program = *live.program;
  switch (exit) {
    case Exit::interpret:
      return enter(thread, frame, program[live.pc].entry, live.depth);
    case Exit::raise:
      return raise_into(thread, frame, raise_point(program, live.pc), live.depth);
    case Exit::leave:
      break;
  }
  live.drop(live.depth);
  return leave(thread, frame, return_point(program), live.result.release());
}

PyObject* evaluate_eligible(PyThreadState* thread, Frame* frame, Compilation& compilation) {
  CodeCache& cache = compilation.cache(frame_code(frame));
  if (cache.left_alone || compilation.gives_up(cache) || is_watched(thread))
    return evaluate_default(thread, frame, 0);
  Disabled disabled = disabled_kind(frame_function(frame));
  if (disabled == Disabled::no) return run_frame(thread, frame, cache, compilation);
  if (disabled == Disabled::itself) return evaluate_default(thread, frame, 0);
  Counted everything(this_thread().disabled);
  return evaluate_default(thread, frame, 0);
}

}  // namespace

PyObject* evaluate_frame(PyThreadState* thread, Frame* frame, int throwflag) {
  ThreadState& state = this_thread();
  if (state.depth >= kMaxDepth) {
    HookSuspended suspended;
    return evaluate_default(thread, frame, throwflag);
  }
  Counted depth(state.depth);
  bool eligible =
      state.compilation && !throwflag && !state.busy && !state.disabled && is_owned_by_thread(frame);
  if (!eligible) return evaluate_default(thread, frame, throwflag);
  return evaluate_eligible(thread, frame, *state.compilation);
}

}  // namespace framejit::eval_frame
