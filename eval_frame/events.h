// What is told to the listener (logs, explain) and asked of framejit.compiler.errors. The dictionaries are
// described in python_api.md. Nothing is built while nobody listens.
#pragma once

#include <Python.h>

#include <string>

#include "eval_frame/live_frame.h"
#include "symbolic/trace.h"

namespace framejit::eval_frame {

struct TraceReport {
  const symbolic::Trace& trace;
  PyCodeObject* code;
  int line = 0;  ///< of the instruction where the trace starts
  bool frame_entry = false;
  double seconds = 0;
  std::string recompile;  ///< the guard that failed; empty: not a recompilation
};

bool has_listener();
void report_trace(const TraceReport& report);
void report_limit(PyCodeObject* code, const std::string& guard);
/// Also logged, by framejit.compiler.errors: the program runs on without the compiler.
void report_internal_error(PyCodeObject* code, int line, const std::string& message);

/// Sets the GraphBreakError of a trace made under fullgraph=True.
void raise_graph_break_error(const TraceReport& report);
/// Sets the NotCompiledError of a call of `name` that, under fullgraph=True, would run as it is.
void raise_not_compiled_error(PyObject* name, const std::string& why);
/// Issues the RecompileLimitWarning; false if the warnings filter turned it into an exception.
bool warn_recompile_limit(PyCodeObject* code, const std::string& why);

/// The event as a dictionary (new reference), for `trace_for_inputs`.
PyObject* trace_event(const TraceReport& report);
/// The listener that was set (new reference or null) is replaced; `listener` is borrowed or null.
PyObject* exchange_listener(PyObject* listener);

}  // namespace framejit::eval_frame
