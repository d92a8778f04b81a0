// Generators made by the traced code: a suspended frame of the trace.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::Opcode;

namespace {

bool is_a(ExceptionVar* exception, PyObject* type) {
  return PyType_IsSubtype(exception->type, reinterpret_cast<PyTypeObject*>(type));
}

/// The handler of the program's own around the yield where the frame is suspended. From 3.12 on the compiler
/// adds one around the whole body.
const bytecode::Handler* handler_at_yield(const Frame& frame) {
  const bytecode::Handler* handler = frame.pc > 0 ? frame.program->handler(frame.pc - 1) : nullptr;
  bool added = handler && (*frame.program)[handler->target].op == Opcode::StopIterationError;
  return added ? nullptr : handler;
}

/// Behind the yield of a `yield from`, RESUME has a mark.
bool delegates(const Frame& frame) {
  const Instruction& in = frame.instruction();
  return in.op == Opcode::Resume && (in.arg & 3) == 2;
}

}  // namespace

Var* Executor::start_generator(Frame& frame) {
  IteratorVar* generator = iterator(IteratorVar::Form::generator, nullptr);
  generator->frame = &frame;
  frame.pc = 0;
  generators_.push_back(generator);
  return generator;
}

/// Runs a generator to its next yield, null at its end. `thrown` is raised where it is suspended.
Var* Executor::resume(IteratorVar* generator, Var* sent, ExceptionVar* thrown) {
  Frame& frame = *generator->frame;
  if (frame.running) break_here(BreakId::raises, "ValueError: generator already executing");
  bool fresh = frame.pc == 0;
  if (thrown && fresh) frame.finished = true;
  if (frame.finished && thrown) throw RaiseError{thrown};
  if (frame.finished) return nullptr;
  if (fresh && sent != none())
    raise(PyExc_TypeError, "can't send non-None value to a just-started generator");
  if (thrown && delegates(frame)) break_here(BreakId::generator_call, "throw() into a `yield from`");
  Frame* caller = current_;
  frame.caller = caller;
  frame.depth = caller->depth + 1;
  if (frame.depth >= request_.options.inline_depth) break_here(BreakId::recursion_limit, "a generator");
  if (!fresh && !thrown) frame.push(sent);
  struct Back {
    Executor& executor;
    Frame &frame, *caller;
    ~Back() {
      executor.current_ = caller;
      frame.running = false;
    }
  } back{*this, frame, caller};
  current_ = &frame;
  frame.running = true;
  frame.yielded = nullptr;
  frame.back_edges.clear();  // whoever takes the items counts them
  try {
    if (thrown && (--frame.pc, !handle(frame, thrown))) throw RaiseError{thrown};
    Var* returned = run_frame(frame);
    if (frame.yielded) return frame.yielded;
    generator->returned = returned;
  } catch (RaiseError& error) {
    frame.finished = true;
    if (is_a(error.exception, PyExc_StopIteration)) throw RaiseError{stop_iteration_error(error.exception)};
    throw;
  }
  frame.finished = true;
  return nullptr;
}

ExceptionVar* Executor::stop_iteration_error(ExceptionVar* exception) {
  ExceptionVar* error = make_exception(reinterpret_cast<PyTypeObject*>(PyExc_RuntimeError),
                                       {string("generator raised StopIteration")});
  error->cause = exception;
  return error;
}

/// `iterator.send(value)`: the next item, or null and what the iterator returned.
Var* Executor::send(Var* iterator, Var* value, Var** returned) {
  *returned = none();
  IteratorVar* it = as<IteratorVar>(iterator);
  if (it && it->form == IteratorVar::Form::generator && !it->exhausted) {
    Var* item = resume(it, value);
    mutated();
    if (item) return ++it->index, item;
    it->exhausted = true;
    *returned = it->returned;
    return nullptr;
  }
  bool in_python = !it && !iterator->existing();  // an object of a class with __next__, made by the trace
  if (value == none() && !in_python) return next(iterator);
  try {
    return value == none() ? call_method(iterator, "__next__") : call_method(iterator, "send", {value});
  } catch (RaiseError& error) {
    if (!is_a(error.exception, PyExc_StopIteration)) throw;
    *returned = load_attribute(error.exception, constant_string("value"));
    return nullptr;
  }
}

/// Dropping a generator that is suspended inside a try or with statement runs its handlers. When that is
/// depends on reference counts: the interpreter makes such a generator.
void Executor::check_dropped_generators() {
  for (IteratorVar* generator : generators_)
    if (!generator->frame->finished && !generator->frame->running && handler_at_yield(*generator->frame))
      cut_before(generator, BreakId::generator_call, "a generator dropped inside its try or with statement");
}

void Executor::do_generator(Frame& frame, const Instruction& in) {
  switch (in.op) {
    // The frame is the generator already: what the interpreter pushes here is popped by the next instruction.
    case Opcode::ReturnGenerator:
      frame.push(none());
      return;
    case Opcode::YieldValue:
      if (&frame == root_) break_here(BreakId::generator_call, "yield");
      frame.yielded = frame.pop();
      return;
    case Opcode::GetYieldFromIter:
      frame.push(get_iterator(frame.pop()));
      return;
    case Opcode::Send: {
      Var *value = frame.pop(), *returned;
      if (Var* item = send(frame.peek(1), value, &returned)) return frame.push(item);
      if constexpr (PY_VERSION_HEX < 0x030C0000) frame.pop();  // later END_SEND takes the iterator
      frame.push(returned);
      frame.next = in.target;
      return;
    }
    case Opcode::EndSend: {
      Var* returned = frame.pop();
      frame.peek(1) = returned;
      return;
    }
    case Opcode::StopIterationError: {
      ExceptionVar* exception = as<ExceptionVar>(frame.peek(1));
      if (!exception) break_here(BreakId::raises, "an exception from outside the trace");
      if (is_a(exception, PyExc_StopIteration)) frame.peek(1) = stop_iteration_error(exception);
      return;
    }
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

namespace {

IteratorVar* self(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  IteratorVar* generator = args.size() ? as<IteratorVar>(args[0]) : nullptr;
  bool fits = generator && generator->form == IteratorVar::Form::generator && args.plain() &&
              args.size() > least && args.size() <= most + 1;
  if (!fits) executor.break_here(BreakId::unknown_call, name);
  return generator;
}

/// The item, or StopIteration with what the generator returned.
Var* item_or_stop(Executor& executor, Var* item, Var* returned) {
  if (item) return item;
  executor.raise_object(PyExc_StopIteration,
                        returned == executor.none() ? std::vector<Var*>() : std::vector<Var*>{returned});
}

Var* send(Executor& executor, const CallArgs& args) {
  IteratorVar* generator = self(executor, args, 1, 1, "generator.send");
  Var* returned;
  Var* item = executor.send(generator, args[1], &returned);
  return item_or_stop(executor, item, returned);
}

Var* next(Executor& executor, const CallArgs& args) {
  IteratorVar* generator = self(executor, args, 0, 0, "generator.__next__");
  Var* returned;
  Var* item = executor.send(generator, executor.none(), &returned);
  return item_or_stop(executor, item, returned);
}

/// throw(exception), throw(class), and the old throw(class, exception, traceback).
Var* throw_into(Executor& executor, const CallArgs& args) {
  IteratorVar* generator = self(executor, args, 1, 3, "generator.throw");
  ExceptionVar* exception =
      args.size() > 2 ? executor.expect<ExceptionVar>(args[2]) : executor.to_exception(args[1]);
  Var* item = executor.resume(generator, executor.none(), exception);
  executor.mutated();
  generator->exhausted = !item;
  return item_or_stop(executor, item, generator->returned);
}

Var* close(Executor& executor, const CallArgs& args) {
  IteratorVar* generator = self(executor, args, 0, 0, "generator.close");
  bool done = generator->exhausted || generator->frame->finished;
  executor.mutated();
  generator->exhausted = generator->frame->finished = true;
  if (done || !handler_at_yield(*generator->frame)) return executor.none();
  generator->frame->finished = false;
  Var* yielded = nullptr;
  try {
    yielded =
        executor.resume(generator, executor.none(),
                        executor.make_exception(reinterpret_cast<PyTypeObject*>(PyExc_GeneratorExit), {}));
  } catch (RaiseError& error) {
    if (!is_a(error.exception, PyExc_GeneratorExit)) throw;
    return executor.none();
  }
  if (yielded) executor.raise(PyExc_RuntimeError, "generator ignored GeneratorExit");
  return PY_VERSION_HEX < 0x030D0000 ? executor.none() : generator->returned;
}

}  // namespace

const BuiltinRow kGeneratorModels[] = {{"types", "GeneratorType.send", send},
                                       {"types", "GeneratorType.__next__", next},
                                       {"types", "GeneratorType.throw", throw_into},
                                       {"types", "GeneratorType.close", close},
                                       {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
