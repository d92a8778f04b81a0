// The loop of the executor, and how a trace ends.
#include "symbolic/executor.h"

#include "eager/autocast.h"
#include "eager/error.h"
#include "guards/collector.h"
#include "symbolic/rebuild.h"
#include "symbolic/symbolic.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::OpClass;
using bytecode::Opcode;

Executor::Executor(const TraceRequest& request, const std::optional<Restart>& cut,
                   const std::set<PyObject*>& fixed)
    : request_(request),
      cut_(cut),
      fixed_(fixed),
      tracer_(std::make_unique<graph::Tracer>()),
      trace_(std::make_unique<Trace>()),
      null_(make<NullVar>()),
      grad_mode_at_entry_(eager::modes().grad_enabled),
      autocast_at_entry_(eager::autocast_word()) {}

Executor::~Executor() { restore_modes(); }

void Executor::restore_modes() {
  eager::modes().grad_enabled = grad_mode_at_entry_;
  eager::set_autocast_word(autocast_at_entry_);
}

// ---- how instructions end

BreakRecord Executor::record_here(BreakId id, std::string detail) const {
  BreakRecord record{id, std::move(detail), {}, {}, 0, true};
  PyCodeObject* code = current_->program->code();
  record.file = PyUnicode_AsUTF8(code->co_filename);
  record.function = PyUnicode_AsUTF8(code->co_qualname);
  record.line = current_->program->line(current_->pc);
  record.reported = id != BreakId::real_iterator && id != BreakId::long_loop && id != BreakId::trace_too_long;
  return record;
}

void Executor::break_here(BreakId id, std::string detail) {
  PyErr_Clear();
  throw BreakError{record_here(id, std::move(detail))};
}

void Executor::cut_before(const Var* var, BreakId id, std::string detail) {
  throw Restart{var->birth, record_here(id, std::move(detail))};
}

void Executor::effect(StepOp op, std::vector<Var*> operands, int32_t aux) {
  effects_.push_back({op, std::move(operands), aux});
  mutated();
}

PyObject* Executor::expect_constant(Var* var, const char* what) {
  if (PyObject* value = as_constant(var)) return value;
  break_here(BreakId::unknown_object, std::string(what) + " of " + describe(var));
}

// ---- instructions

void Executor::step(Frame& frame) {
  if (++instructions_ > request_.options.max_instructions) break_here(BreakId::trace_too_long);
  const Instruction& in = frame.instruction();
  frame.next = frame.pc + 1;
  [[maybe_unused]] size_t depth = frame.stack.size();
  switch (bytecode::op_class(in.op)) {
    case OpClass::Stack:
      do_stack(frame, in);
      break;
    case OpClass::Local:
      do_local(frame, in);
      break;
    case OpClass::Name:
      do_name(frame, in);
      break;
    case OpClass::Operator:
      do_operator(frame, in);
      break;
    case OpClass::Build:
      do_build(frame, in);
      break;
    case OpClass::Match:
      do_match(frame, in);
      break;
    case OpClass::Call:
      do_call(frame, in);
      break;
    case OpClass::Function:
      do_function(frame, in);
      break;
    case OpClass::Jump:
      do_jump(frame, in);
      break;
    case OpClass::Iteration:
      do_iteration(frame, in);
      break;
    case OpClass::Exception:
      do_exception(frame, in);
      break;
    case OpClass::Generator:
      do_generator(frame, in);
      break;
    case OpClass::Return:
    case OpClass::Unsupported:
      break_here(BreakId::unsupported_opcode, frame.program->source_name(in));
  }
#ifndef NDEBUG
  bool falls_through = frame.next == frame.pc + 1 && !frame.yielded;
  size_t expected = depth - size_t(bytecode::pops(in)) + size_t(bytecode::pushes(in));
  FRAMEJIT_INTERNAL(!falls_through || frame.stack.size() == expected, bytecode::name(in.op), " left ",
                    frame.stack.size(), " entries on the stack, the table of instructions says ", expected);
#endif
  frame.pc = frame.next;
}

std::optional<Var*> Executor::returned(Frame& frame) {
  const Instruction& in = frame.instruction();
  if (in.op == Opcode::ReturnValue) return frame.stack.back();
  if (in.op == Opcode::ReturnConst) return existing(frame.program->constant_borrowed(in.arg), nullptr);
  return std::nullopt;
}

Var* Executor::run_frame(Frame& frame) {
  for (;;) {
    if (std::optional<Var*> result = returned(frame)) return *result;
    try {
      step(frame);
    } catch (RaiseError& error) {
      if (!handle(frame, error.exception)) throw;
    }
    if (frame.yielded) return frame.yielded;
  }
}

// ---- the root frame

void Executor::enter_root() {
  frames_.emplace_back();
  root_ = current_ = &frames_.back();
  PyCodeObject* code = request_.code;
  root_->program = request_.program;
  root_->pc = request_.entry_pc;
  root_->globals = dict_of(request_.globals, sources().globals());
  root_->globals->type_guarded = true;
  root_->locals.assign(size_t(code->co_nlocalsplus), nullptr);
  entry_locals_.assign(size_t(code->co_nlocalsplus), nullptr);
  for (int i = 0; i < request_.stack_depth; ++i) {
    PyObject* object = request_.localsplus[code->co_nlocalsplus + i];
    root_->push(existing(object, sources().stack(i)));
  }
  root_->function = make<FunctionVar>();
  if (!request_.function) return;
  root_->function->real = PyRef::borrow(reinterpret_cast<PyObject*>(request_.function));
  root_->function->source = sources().function(PyUnicode_AsUTF8(code->co_name));
  root_->function->type_guarded = true;
  known_[root_->function->real.get()] = root_->function;
  if (PyObject* closure = request_.entry_pc == 0 ? request_.function->func_closure : nullptr) {
    const Source* place = sources().member(root_->function->source,
                                           _PyType_Lookup(&PyFunction_Type, constant_string("__closure__")));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(closure); ++i)
      root_->function->closure.push_back(existing(PyTuple_GET_ITEM(closure, i), sources().item(place, i)));
  }
}

/// Locals of the root are read when they are first used.
Var*& Executor::local(Frame& frame, int index) {
  Var*& var = frame.locals[size_t(index)];
  if (!var) {
    std::string name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(request_.code->co_localsplusnames, index));
    PyObject* object = request_.localsplus[index];
    var = entry_locals_[size_t(index)] = existing(object, sources().local(index, name));
  }
  return var;
}

std::unique_ptr<Trace> Executor::run() {
  enter_root();
  for (;; ++step_) {
    if (cut_ && step_ == cut_->step) return end(end_kind(cut_->record), root_->pc, cut_->record, nullptr);
    if (std::optional<Var*> result = returned(*root_)) return end(EndKind::returns, root_->pc, {}, *result);
    std::vector<Var*> stack = root_->stack;
    int mutations = mutations_;
    try {
      step(*root_);
    } catch (RaiseError& error) {
      if (handle(*root_, error.exception)) continue;
      // Caught before and raised again: it has to come from where it was raised first, for the traceback.
      if (error.exception->raised_step >= 0)
        throw Restart{error.exception->raised_step, error.exception->record};
      break_root(error.exception->record, std::move(stack), mutations);
      return end(EndKind::graph_break, root_->pc, error.exception->record, nullptr);
    } catch (BreakError& error) {
      break_root(error.record, std::move(stack), mutations);
      return end(end_kind(error.record), root_->pc, error.record, nullptr);
    } catch (LoopCut& cut) {
      return end(EndKind::loop_cut, cut.target, record_here(BreakId::long_loop, {}), nullptr);
    }
  }
}

/// Takes the root back to before the instruction that broke; traces again when that has changed anything.
void Executor::break_root(const BreakRecord& record, std::vector<Var*> stack, int mutations) {
  current_ = root_;
  if (mutations_ != mutations) throw Restart{step_, record};
  root_->stack = std::move(stack);
}

EndKind Executor::end_kind(const BreakRecord& record) const {
  const Instruction& in = root_->instruction();
  bool jump =
      in.op == Opcode::ToBool || in.op == Opcode::JumpIfTrueOrPop || in.op == Opcode::JumpIfFalseOrPop;
  if (record.id == BreakId::tensor_branch && jump) return EndKind::branch;
  if (record.id == BreakId::real_iterator && in.op == Opcode::ForIter) return EndKind::loop_step;
  if (bytecode::op_class(in.op) == OpClass::Unsupported) return EndKind::fallback;
  return EndKind::graph_break;
}

std::unique_ptr<Trace> Executor::end(EndKind kind, int pc, const BreakRecord& record, Var* result) {
  // Inside a handler the interpreter keeps the exception in its thread state, which a trace cannot set: the
  // instruction that raises has to run for real.
  if (!root_->handled.empty() && kind != EndKind::returns)
    throw Restart{root_->handled.front()->raised_step, root_->handled.front()->record};
  check_dropped_generators();
  restore_modes();
  trace_->end = {kind, pc, record};
  trace_->front_end = request_.front_end;
  trace_->entry_depth = uint32_t(request_.stack_depth);
  Rebuilder rebuilder(*this, *trace_);
  rebuilder.effects();
  if (result)
    trace_->result = rebuilder.reg(result);
  else
    rebuilder.frame(pc);
  rebuilder.finish();
  return PyErr_Occurred() ? nullptr : std::move(trace_);
}

std::shared_ptr<const bytecode::Program> Executor::program_of(PyCodeObject* code) {
  std::shared_ptr<const bytecode::Program>& program = programs_[code];
  if (!program) {
    pin(reinterpret_cast<PyObject*>(code));
    program = bytecode::Program::decode(code);
  }
  return program;
}

// ---- the entry of this folder

namespace {

/// The rest of the frame is the interpreter's.
std::unique_ptr<Trace> fallback(const TraceRequest& request, BreakId why) {
  auto trace = std::make_unique<Trace>();
  guards::ProgramBuilder guards;
  trace->guards = guards.finish();
  trace->end = {EndKind::fallback, request.entry_pc, {why, {}, {}, {}, 0, true}};
  trace->untouched = true;
  return trace;
}

}  // namespace

std::unique_ptr<Trace> trace_frame(const TraceRequest& request) {
  constexpr int kMaxAttempts = 24;
  const guards::CollectorPaused paused;
  std::optional<Restart> cut;
  std::set<PyObject*> fixed;
  try {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      Executor executor(request, cut, fixed);
      try {
        return executor.run();
      } catch (Restart& restart) {
        cut = restart;
      } catch (FixArguments& fix) {
        fixed.insert(fix.cached);
      }
    }
    return fallback(request, BreakId::too_many_attempts);
  } catch (const std::exception& error) {
    PyErr_Clear();
    if (request.failure) *request.failure = error.what();
    return nullptr;
  }
}

}  // namespace framejit::symbolic
