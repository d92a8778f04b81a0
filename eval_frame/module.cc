// framejit._C.compiler; see python_api.md.
#include "eval_frame/module.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "eval_frame/compiled_function.h"
#include "eval_frame/events.h"
#include "eval_frame/thread.h"
#include "graph/log.h"
#include "guards/python_view.h"
#include "symbolic/breaks.h"
#include "symbolic/bytecode/instruction.h"

namespace py = pybind11;

namespace framejit::eval_frame {
namespace {

py::list break_reasons() {
  py::list rows;
  for (const symbolic::BreakReason& reason : symbolic::all_break_reasons()) {
    py::dict row;
    row["id"] = std::string(reason.name);
    row["what"] = std::string(reason.what);
    row["why"] = std::string(reason.why);
    row["remedy"] = std::string(reason.remedy);
    rows.append(row);
  }
  return rows;
}

py::list guard_kinds() {
  py::list rows;
#define GUARD(kind, meaning)  \
  {                           \
    py::dict row;             \
    row["kind"] = #kind;      \
    row["meaning"] = meaning; \
    rows.append(row);         \
  }
#include "guards/guards.def"
#undef GUARD
  return rows;
}

// The listing of a function's decoded bytecode, for golden tests.
std::string listing(const py::object& code) {
  if (!PyCode_Check(code.ptr())) throw py::type_error("decode: expected a code object");
  auto program = bytecode::Program::decode(reinterpret_cast<PyCodeObject*>(code.ptr()));
  if (!program) throw py::error_already_set();
  return program->print();
}

py::object set_listener(const py::object& listener) {
  PyObject* previous = exchange_listener(listener.ptr());
  return previous ? py::reinterpret_steal<py::object>(previous) : py::none();
}

void set_stage_logs(bool aot, bool loops, bool kernels) {
  graph::set_logged(graph::Log::aot, aot);
  graph::set_logged(graph::Log::loops, loops);
  graph::set_logged(graph::Log::kernels, kernels);
}

void mark(const py::object& callable, bool recursive) {
  if (!mark_disabled(callable.ptr(), recursive)) throw py::error_already_set();
}

}  // namespace

void init_compiler(PyObject* module) {
  PyTypeObject* type = compiled_function_type();
  if (!type) throw py::error_already_set();
  py::module_ parent = py::reinterpret_borrow<py::module_>(module);
  py::module_ compiler =
      parent.def_submodule("compiler", "Frames, traces and caches; see eval_frame/python_api.md.");
  compiler.add_object("CompiledFunction",
                      py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type)));
  compiler.def("set_listener", set_listener, py::arg("listener").none(true));
  compiler.def("set_stage_logs", set_stage_logs, py::kw_only(), py::arg("aot"), py::arg("loops"),
               py::arg("kernels"));
  compiler.def("mark_disabled", mark, py::arg("function"), py::arg("recursive"));
  compiler.def("is_disabled", [](const py::object& f) { return disabled_kind(f.ptr()) != Disabled::no; });
  compiler.def("push_disabled", [] { ++this_thread().disabled; });
  compiler.def("pop_disabled", [] { --this_thread().disabled; });
  compiler.def("is_compiling", [] { return false; });
  compiler.def("reset", [] { Compilation::drop_all_traces(); });
  compiler.def("set_skipped_files", set_skipped_files, py::arg("prefixes"),
               py::arg("exceptions") = std::vector<std::string>());
  compiler.def("break_reasons", break_reasons);
  compiler.def("guard_kinds", guard_kinds);
  compiler.def("listing", listing, py::arg("code"), "The decoded instructions of a code object.");
  guards::init_python_view(compiler);
}

}  // namespace framejit::eval_frame
