#include "eval_frame/tracing.h"

#include <chrono>

#include "eval_frame/events.h"
#include "eval_frame/runner.h"
#include "eval_frame/thread.h"

namespace framejit::eval_frame {

using symbolic::EndKind;
using symbolic::Trace;

namespace {

using Clock = std::chrono::steady_clock;

// What the traces that are there rely on and the frame does not give: recorded, so that the next one does not rely on it
// either. Returns the message of the most recent trace.
std::string remember_mismatches(LiveFrame& live, EntryPoint& entry) {
  std::string message;
  guards::FrameValues values = values_of(live);
  for (const auto& cached : entry.traces) {
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

symbolic::TraceRequest request_for(LiveFrame& live, const EntryPoint& entry, const Settings& settings) {
  symbolic::TraceRequest request;
  request.code = live.code;
  request.function = reinterpret_cast<PyFunctionObject*>(frame_function(live.frame));
  request.globals = live.globals();
  request.builtins = live.builtins();
  request.program = live.program;
  request.entry_pc = live.pc;
  request.localsplus = live.localsplus;
  request.stack_depth = live.depth;
  request.options = settings.options;
  request.varied = entry.varied;
  request.front_end = symbolic::default_front_end();
  request.compiler = settings.compiler.get();
  return request;
}

// False with an exception set when the warning became one.
bool close_at_limit(LiveFrame& live, EntryPoint& entry, Compilation& compilation, const std::string& guard) {
  entry.closed = true;
  report_limit(live.code, guard);
  if (!compilation.warn_at_limit()) return true;
  return warn_recompile_limit(live.code, compilation.settings().cache_size_limit, guard);
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
  return {live.localsplus, live.stack, live.depth, frame_function(live.frame), live.globals(), live.builtins()};
}

std::shared_ptr<const CachedTrace> make_trace(LiveFrame& live, CodeCache& cache, EntryPoint& entry,
                                              Compilation& compilation) {
  const Settings& settings = compilation.settings();
  if (entry.closed) return nullptr;
  entry.drop_dead();
  std::string recompile;
  if (!entry.traces.empty()) {
    ++compilation.stats().guard_misses;
    recompile = remember_mismatches(live, entry);
    if (static_cast<int>(entry.traces.size()) >= settings.cache_size_limit) {
      close_at_limit(live, entry, compilation, recompile);
      return nullptr;
    }
  }
  Counted busy(this_thread().busy);
  Clock::time_point start = Clock::now();
  std::unique_ptr<Trace> trace = settings.tracer(request_for(live, entry, settings));
  if (!trace) {
    entry.closed = !PyErr_Occurred();
    return nullptr;
  }
  TraceReport report{*trace, live.code, live.program->line(live.pc), live.pc == 0};
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report.recompile = recompile;
  count(*trace, cache, compilation);
  report_trace(report);
  bool whole = live.pc == 0 && trace->end.kind == EndKind::returns;
  if (settings.options.fullgraph && !whole) {
    raise_graph_break_error(report);
    return nullptr;
  }
  auto cached = std::make_shared<const CachedTrace>(std::move(trace));
  entry.add(cached);
  return cached;
}

}  // namespace framejit::eval_frame
