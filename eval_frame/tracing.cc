#include "eval_frame/tracing.h"

#include <chrono>

#include "eval_frame/compiled_function.h"
#include "eval_frame/events.h"
#include "eval_frame/runner.h"
#include "eval_frame/thread.h"

namespace framejit::eval_frame {

using symbolic::EndKind;
using symbolic::Trace;

namespace {

using Clock = std::chrono::steady_clock;

// What the traces that are there rely on and the frame does not give: recorded, so that the next one does not
// rely on it either. Returns the message of the most recent trace.
std::string remember_mismatches(const guards::FrameValues& values, EntryPoint& entry) {
  Counted busy(this_thread().busy);
  std::string message;
  // A copy: whatever Python code runs meanwhile may compile, or drop all traces.
  const std::vector<std::shared_ptr<const CachedTrace>> traces = entry.traces;
  for (const auto& cached : traces) {
    const guards::Program& program = *cached->trace->guards;
    Slots slots(program.slot_count());
    int failed = program.run(values, slots.data());
    if (failed == guards::Program::kHit) continue;  // its prelude did not agree
    guards::Mismatch mismatch = program.explain(failed, values);
    entry.remember(mismatch);
    if (message.empty()) message = mismatch.message;
  }
  return message.empty() ? "a check on the values of numbers" : message;
}

// May set an exception: warnings can be turned into errors.
void close_at_limit(PyCodeObject* code, EntryPoint& entry, Compilation& compilation,
                    const std::string& guard) {
  entry.closed = "it was compiled " + std::to_string(compilation.settings().cache_size_limit) +
                 " times for different arguments (cache_size_limit). Last guard that failed: " + guard +
                 ". Pass fewer kinds of arguments, or raise options={'cache_size_limit': n}.";
  report_limit(code, guard);
  bool warns = !compilation.settings().options.fullgraph && compilation.warn_at_limit();
  if (warns) warn_recompile_limit(code, entry.closed);
}

// No trace and none will be made: the frame runs as it is, or the call fails where that was ruled out.
std::nullptr_t run_as_it_is(const Place& place, const EntryPoint& entry, const Settings& settings) {
  if (settings.options.fullgraph && !PyErr_Occurred())
    raise_not_compiled_error(place.code->co_qualname, entry.closed);
  return nullptr;
}

void count(const Trace& trace, CodeCache& cache, Compilation& compilation) {
  cache.record(trace);
  Stats& stats = compilation.stats();
  ++stats.traces;
  if (trace.op_count > 0) ++stats.graphs;
  bool broken = trace.end.kind == EndKind::graph_break || trace.end.kind == EndKind::branch ||
                trace.end.kind == EndKind::fallback;
  if (broken && trace.end.record.reported) ++stats.breaks;
}

}  // namespace

guards::FrameValues values_of(LiveFrame& live) {
  return {live.localsplus, live.stack,     live.depth, frame_function(live.frame),
          live.globals(),  live.builtins()};
}

Place place_of(LiveFrame& live) { return {live.code, live.program, values_of(live), live.pc}; }

std::unique_ptr<Trace> trace_at(const Place& place, const Settings& settings,
                                const std::vector<symbolic::Varied>& varied) {
  symbolic::TraceRequest request;
  request.code = place.code;
  request.program = place.program;
  request.entry_pc = place.pc;
  request.function = reinterpret_cast<PyFunctionObject*>(place.values.function);
  request.globals = place.values.globals;
  request.builtins = place.values.builtins;
  request.localsplus = place.values.localsplus;
  request.stack_depth = place.values.stack_depth;
  request.options = settings.options;
  request.varied = varied;
  request.front_end = symbolic::default_front_end();
  request.compiler = settings.compiler.get();
  request.compiled_target = compiled_target;
  request.is_disabled = [](PyObject* function) { return disabled_kind(function) != Disabled::no; };
  std::string failure;
  request.failure = &failure;
  Counted busy(this_thread().busy);
  std::unique_ptr<Trace> trace = settings.tracer(request);
  if (!failure.empty()) report_internal_error(place.code, place.program->line(place.pc), failure);
  return trace;
}

std::shared_ptr<const CachedTrace> make_trace(const Place& place, CodeCache& cache, EntryPoint& entry,
                                              Compilation& compilation) {
  const Settings& settings = compilation.settings();
  if (!entry.closed.empty()) return run_as_it_is(place, entry, settings);
  entry.drop_dead();
  std::string recompile;
  if (!entry.traces.empty()) {
    ++compilation.stats().guard_misses;
    recompile = remember_mismatches(place.values, entry);
    if (static_cast<int>(entry.traces.size()) >= settings.cache_size_limit) {
      close_at_limit(place.code, entry, compilation, recompile);
      return run_as_it_is(place, entry, settings);
    }
  }
  Clock::time_point start = Clock::now();
  std::unique_ptr<Trace> trace = trace_at(place, settings, entry.varied);
  if (!trace) {
    if (!PyErr_Occurred()) entry.closed = "the compiler failed (a bug of framejit, whose message was logged)";
    return run_as_it_is(place, entry, settings);
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  TraceReport report{*trace, place.code, place.program->line(place.pc), place.pc == 0, seconds, recompile};
  count(*trace, cache, compilation);
  report_trace(report);
  bool whole = place.pc == 0 && trace->end.kind == EndKind::returns;
  if (settings.options.fullgraph && !whole) {
    raise_graph_break_error(report);
    return nullptr;
  }
  auto cached = std::make_shared<const CachedTrace>(std::move(trace));
  entry.add(cached);
  return cached;
}

}  // namespace framejit::eval_frame
