// Python's arguments of CompiledFunction -> Settings. The Python side has checked them; what is checked here
// guards against other callers.
#include "eval_frame/break_everywhere.h"
#include "eval_frame/compiled_function.h"
#include "symbolic/backends.h"

namespace framejit::eval_frame {
namespace {

using Dynamic = symbolic::TraceOptions::Dynamic;

bool read_int(PyObject* options, const char* name, int* value) {
  PyObject* given = options ? PyDict_GetItemString(options, name) : nullptr;
  if (!given) return true;
  long number = PyLong_AsLong(given);
  if (number == -1 && PyErr_Occurred()) return false;
  *value = static_cast<int>(number);
  return true;
}

bool read_options(PyObject* options, Settings* settings) {
  if (options && !PyDict_Check(options)) {
    PyErr_Format(PyExc_TypeError, "compile: got options of type %s, expected a dict",
                 Py_TYPE(options)->tp_name);
    return false;
  }
  return read_int(options, "cache_size_limit", &settings->cache_size_limit) &&
         read_int(options, "inline_depth", &settings->options.inline_depth) &&
         read_int(options, "loop_iterations", &settings->options.loop_iterations) &&
         read_int(options, "max_instructions", &settings->options.max_instructions);
}

bool read_backend(PyObject* backend, Settings* settings) {
  bool breaks_everywhere = backend && PyUnicode_Check(backend) &&
                           PyUnicode_CompareWithASCIIString(backend, "break_everywhere") == 0;
  if (breaks_everywhere) {
    settings->tracer = trace_nothing;
    settings->give_up_without_graphs = false;
    return true;
  }
  settings->compiler = symbolic::make_graph_compiler(backend);
  return settings->compiler != nullptr;
}

}  // namespace

bool read_settings(PyObject* keywords, Settings* settings) {
  auto given = [keywords](const char* name) {
    return keywords ? PyDict_GetItemString(keywords, name) : nullptr;
  };
  PyObject* fullgraph = given("fullgraph");
  int whole = fullgraph ? PyObject_IsTrue(fullgraph) : 0;
  if (whole < 0) return false;
  settings->options.fullgraph = whole;
  PyObject* dynamic = given("dynamic");
  settings->options.dynamic = !dynamic || dynamic == Py_None ? Dynamic::automatic
                              : PyObject_IsTrue(dynamic)     ? Dynamic::always
                                                             : Dynamic::never;
  return read_options(given("options"), settings) && read_backend(given("backend"), settings);
}

}  // namespace framejit::eval_frame
