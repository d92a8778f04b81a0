#include "eval_frame/events.h"

#include <pybind11/pybind11.h>

#include "eval_frame/thread.h"
#include "guards/guard.h"

namespace py = pybind11;

namespace framejit::eval_frame {
namespace {

PyObject* listener = nullptr;

const char* end_name(symbolic::EndKind kind) {
  switch (kind) {
    case symbolic::EndKind::returns:
      return "returns";
    case symbolic::EndKind::graph_break:
      return "graph_break";
    case symbolic::EndKind::branch:
      return "branch";
    case symbolic::EndKind::loop_step:
      return "loop_step";
    case symbolic::EndKind::loop_cut:
      return "loop_cut";
    case symbolic::EndKind::fallback:
      return "fallback";
  }
  return "";
}

py::object break_entry(const symbolic::TraceEnd& end) {
  if (end.kind == symbolic::EndKind::returns) return py::none();
  const symbolic::BreakReason& reason = symbolic::break_reason(end.record.id);
  py::dict entry;
  entry["id"] = py::str(std::string(reason.name));
  entry["what"] = py::str(std::string(reason.what));
  entry["why"] = py::str(std::string(reason.why));
  entry["remedy"] = py::str(std::string(reason.remedy));
  entry["detail"] = end.record.detail;
  entry["file"] = end.record.file;
  entry["line"] = end.record.line;
  entry["function"] = end.record.function;
  bool costs_a_graph = end.kind != symbolic::EndKind::loop_step && end.kind != symbolic::EndKind::loop_cut;
  entry["reported"] = end.record.reported && costs_a_graph;
  return entry;
}

py::dict code_event(const char* kind, PyCodeObject* code) {
  py::dict event;
  event["kind"] = kind;
  event["code"] = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(code));
  event["function"] = py::reinterpret_borrow<py::object>(code->co_qualname);
  event["file"] = py::reinterpret_borrow<py::object>(code->co_filename);
  return event;
}

py::dict event_of(const TraceReport& report) {
  py::dict event = code_event("trace", report.code);
  event["line"] = report.line;
  event["end"] = end_name(report.trace.end.kind);
  event["op_count"] = report.trace.op_count;
  event["graph"] = report.trace.graph_text;
  event["guards"] = report.trace.guards->print();
  event["trace"] = report.trace.str();
  event["seconds"] = report.seconds;
  event["frame_entry"] = report.frame_entry;
  event["break"] = break_entry(report.trace.end);
  event["recompile"] =
      report.recompile.empty() ? py::object(py::none()) : py::object(py::str(report.recompile));
  return event;
}

// A listener's own exceptions are shown and do not reach the user's program.
void emit(const py::dict& event) {
  Counted busy(this_thread().busy);
  py::object call = py::reinterpret_borrow<py::object>(listener);
  Owned result = Owned::steal(PyObject_CallOneArg(call.ptr(), event.ptr()));
  if (!result) PyErr_WriteUnraisable(call.ptr());
}

py::object errors() { return py::module_::import("framejit.compiler.errors"); }

// Runs what may throw pybind11's exception; false with the Python exception set.
template <class Work>
bool guarded(Work work) {
  Counted busy(this_thread().busy);
  try {
    work();
    return true;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  }
  return false;
}

// Reporting must not disturb the program.
template <class Make>
void report(Make make) {
  if (!listener) return;
  if (!guarded([&] { emit(make()); })) PyErr_WriteUnraisable(listener);
}

}  // namespace

bool has_listener() { return listener != nullptr; }

void report_trace(const TraceReport& trace_report) {
  report([&] { return event_of(trace_report); });
}

void report_limit(PyCodeObject* code, const std::string& guard) {
  report([&] {
    py::dict event = code_event("limit", code);
    event["guard"] = guard;
    return event;
  });
}

void report_internal_error(PyCodeObject* code, int line, const std::string& message) {
  py::dict event = code_event("internal_error", code);
  event["line"] = line;
  event["message"] = message;
  if (!guarded([&] { errors().attr("log_internal_error")(event); })) PyErr_WriteUnraisable(nullptr);
  report([&] { return event; });
}

void raise_graph_break_error(const TraceReport& trace_report) {
  guarded([&] {
    py::object error = errors().attr("graph_break_error")(event_of(trace_report));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw py::error_already_set();
  });
}

void raise_not_compiled_error(PyObject* name, const std::string& why) {
  guarded([&] {
    py::object type = errors().attr("NotCompiledError");
    py::object error = type(py::handle(name), why);
    PyErr_SetObject(type.ptr(), error.ptr());
    throw py::error_already_set();
  });
}

bool warn_recompile_limit(PyCodeObject* code, const std::string& why) {
  return guarded([&] {
    std::string name = py::cast<std::string>(py::handle(code->co_qualname));
    std::string message = name + " runs without the compiler for further arguments: " + why;
    PyObject* category = errors().attr("RecompileLimitWarning").ptr();
    if (PyErr_WarnEx(category, message.c_str(), 1) < 0) throw py::error_already_set();
  });
}

PyObject* trace_event(const TraceReport& trace_report) {
  PyObject* event = nullptr;
  guarded([&] { event = event_of(trace_report).release().ptr(); });
  return event;
}

PyObject* exchange_listener(PyObject* next) {
  PyObject* previous = listener;
  listener = Py_XNewRef(next == Py_None ? nullptr : next);
  return previous;
}

}  // namespace framejit::eval_frame
