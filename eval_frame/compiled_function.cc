#include "eval_frame/compiled_function.h"

#include <alloca.h>
#include <structmember.h>

#include <new>

#include "eval_frame/bind_arguments.h"
#include "eval_frame/events.h"
#include "eval_frame/runner.h"
#include "eval_frame/thread.h"
#include "eval_frame/tracing.h"

namespace framejit::eval_frame {

using symbolic::ReplayStatus;
using symbolic::Trace;

namespace {

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* target;            // what was compiled: a function, a bound method, any callable
  PyObject* backend;           // as given; here for the garbage collector
  PyFunctionObject* function;  // borrowed from target; null: not a Python function, so no frameless calls
  PyObject* self;              // borrowed from target: of a bound method
  PyObject* dict;
  PyObject* weakrefs;
  std::shared_ptr<Compilation> compilation;
  PyObject* recent_code;    // borrowed from recent_cache: the function's code at the last call
  CodeCache* recent_cache;  // owned by the compilation, which never drops one
};

CompiledFunction* as_compiled(PyObject* object) { return reinterpret_cast<CompiledFunction*>(object); }

constexpr int kMostSlots = 256;  // of a frame that is laid out on the C stack

// The cache of the function's present code; null where calls must go through a frame.
CodeCache* frameless_cache(CompiledFunction* compiled) {
  if (!compiled->function) return nullptr;
  PyObject* code = compiled->function->func_code;
  if (code != compiled->recent_code) {
    compiled->recent_cache = &compiled->compilation->cache(reinterpret_cast<PyCodeObject*>(code));
    compiled->recent_code = code;
  }
  CodeCache* cache = compiled->recent_cache;
  return cache->left_alone || cache->code()->co_nlocalsplus > kMostSlots ? nullptr : cache;
}

guards::FrameValues frameless_values(PyFunctionObject* function, PyObject** localsplus) {
  guards::FrameValues values;
  values.localsplus = localsplus;
  values.function = reinterpret_cast<PyObject*>(function);
  values.globals = function->func_globals;
  values.builtins = function->func_builtins;
  return values;
}

// The result of the first whole-function trace that fits (new reference). Null without an exception: there is
// none, or it could not be applied; the call has had no effect yet.
PyObject* run_traces(ThreadState& thread, EntryPoint& entry, const guards::FrameValues& values,
                     Stats& stats) {
  for (size_t i = 0; i < entry.traces.size(); ++i) {
    std::shared_ptr<const CachedTrace> cached = entry.traces[i];
    const Trace& trace = *cached->trace;
    if (trace.end.kind != symbolic::EndKind::returns) continue;
    Slots slots(trace.slot_count);
    if (trace.guards->run(values, slots.data()) != guards::Program::kHit) continue;
    slots.hold();
    Counted busy(thread.busy);
    PyObject* result = nullptr;
    int depth = 0;
    ReplayStatus status = symbolic::replay(trace, slots.data(), nullptr, &depth, &result);
    if (status == ReplayStatus::mismatch) continue;
    stats.failed_runs += status == ReplayStatus::rerun;
    slots.release();
    if (i < entry.traces.size() && entry.traces[i] == cached) entry.used(i);
    return result;  // null: an effect raised (an exception is set), or rerun
  }
  return nullptr;
}

PyObject* call_without_frame(ThreadState& thread, CompiledFunction* compiled, PyObject* const* arguments,
                             Py_ssize_t count, PyObject* names) {
  CodeCache* cache = frameless_cache(compiled);
  EntryPoint* entry = cache ? cache->existing_entry(0) : nullptr;
  if (!entry || entry->traces.empty()) return nullptr;
  auto** localsplus =
      static_cast<PyObject**>(alloca(sizeof(PyObject*) * (cache->code()->co_nlocalsplus + 1)));
  BoundArguments bound(compiled->function, localsplus);
  if (!bound.bind(compiled->self, arguments, count, names)) return nullptr;
  return run_traces(thread, *entry, frameless_values(compiled->function, localsplus),
                    compiled->compilation->stats());
}

// Why calls are never traced; null where they are, or where the frame decides (an object with __call__).
const char* why_untraced(CompiledFunction* compiled) {
  if (PyCFunction_Check(compiled->target)) return "it is not written in Python";
  PyFunctionObject* function = compiled->function;
  if (!function) return nullptr;
  if (disabled_kind(reinterpret_cast<PyObject*>(function)) != Disabled::no)
    return "it is marked with compiler.disable";
  if (compiled->compilation->cache(reinterpret_cast<PyCodeObject*>(function->func_code)).left_alone)
    return "generators, coroutines and the standard library are left to the interpreter. "
           "Compile the function that uses it, without fullgraph.";
  return nullptr;
}

PyObject* call_compiled(PyObject* object, PyObject* const* arguments, size_t flagged_count, PyObject* names) {
  CompiledFunction* compiled = as_compiled(object);
  ThreadState& thread = this_thread();
  if (thread.disabled || thread.busy || thread.depth >= kMaxDepth || is_watched(PyThreadState_Get()))
    return PyObject_Vectorcall(compiled->target, arguments, flagged_count, names);
  PyObject* result =
      call_without_frame(thread, compiled, arguments, PyVectorcall_NARGS(flagged_count), names);
  if (result || PyErr_Occurred()) return result;
  if (compiled->compilation->settings().options.fullgraph) {
    if (const char* why = why_untraced(compiled)) {
      Owned name = Owned::steal(PyObject_GetAttrString(compiled->target, "__qualname__"));
      if (name) raise_not_compiled_error(name.get(), why);
      return nullptr;
    }
  }
  Region region(compiled->compilation);
  return PyObject_Vectorcall(compiled->target, arguments, flagged_count, names);
}

// --- construction and the garbage collector
// ---------------------------------------------------------------------------

PyObject* compiled_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  PyObject* target;
  if (!PyArg_UnpackTuple(arguments, "CompiledFunction", 1, 1, &target)) return nullptr;
  if (!PyCallable_Check(target))
    return PyErr_Format(PyExc_TypeError, "compile: got an object of type %s, expected a callable",
                        Py_TYPE(target)->tp_name);
  Settings settings;
  if (!read_settings(keywords, &settings)) return nullptr;
  auto* compiled = as_compiled(type->tp_alloc(type, 0));
  if (!compiled) return nullptr;
  new (&compiled->compilation)
      std::shared_ptr<Compilation>(std::make_shared<Compilation>(std::move(settings)));
  compiled->vectorcall = call_compiled;
  compiled->target = Py_NewRef(target);
  compiled->backend = Py_XNewRef(keywords ? PyDict_GetItemString(keywords, "backend") : nullptr);
  PyObject* function = PyMethod_Check(target) ? PyMethod_GET_FUNCTION(target) : target;
  compiled->function = PyFunction_Check(function) ? reinterpret_cast<PyFunctionObject*>(function) : nullptr;
  compiled->self = PyMethod_Check(target) ? PyMethod_GET_SELF(target) : nullptr;
  return reinterpret_cast<PyObject*>(compiled);
}

int compiled_traverse(PyObject* object, visitproc visit, void* arg) {
  CompiledFunction* compiled = as_compiled(object);
  Py_VISIT(compiled->target);
  Py_VISIT(compiled->backend);
  Py_VISIT(compiled->dict);
  return compiled->compilation ? compiled->compilation->visit(visit, arg) : 0;
}

int compiled_clear(PyObject* object) {
  CompiledFunction* compiled = as_compiled(object);
  compiled->function = nullptr;
  compiled->self = nullptr;
  if (compiled->compilation) compiled->compilation->drop_traces();
  Py_CLEAR(compiled->dict);
  Py_CLEAR(compiled->backend);
  // The target stays until deallocation: a finaliser may still call this object.
  return 0;
}

void compiled_dealloc(PyObject* object) {
  CompiledFunction* compiled = as_compiled(object);
  PyObject_GC_UnTrack(object);
  if (compiled->weakrefs) PyObject_ClearWeakRefs(object);
  compiled_clear(object);
  Py_CLEAR(compiled->target);
  compiled->compilation.~shared_ptr();
  Py_TYPE(object)->tp_free(object);
}

// --- what Python code sees
// --------------------------------------------------------------------------------------------

// Attributes that this object does not have are the target's: __name__, __defaults__, ...
PyObject* compiled_getattro(PyObject* object, PyObject* name) {
  PyObject* value = PyObject_GenericGetAttr(object, name);
  if (value || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
  PyErr_Clear();
  return PyObject_GetAttr(as_compiled(object)->target, name);
}

PyObject* compiled_repr(PyObject* object) {
  return PyUnicode_FromFormat("<compiled %R>", as_compiled(object)->target);
}

PyObject* compiled_descr_get(PyObject* object, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(object, instance) : Py_NewRef(object);
}

PyObject* get_wrapped(PyObject* object, void*) { return Py_NewRef(as_compiled(object)->target); }
PyObject* get_doc(PyObject* object, void*) {
  return PyObject_GetAttrString(as_compiled(object)->target, "__doc__");
}
PyObject* get_module(PyObject* object, void*) {
  return PyObject_GetAttrString(as_compiled(object)->target, "__module__");
}

PyObject* stats(PyObject* object, PyObject*) {
  const Stats& s = as_compiled(object)->compilation->stats();
  return Py_BuildValue("{sLsLsLsLsLsL}", "compilations", static_cast<long long>(s.traces), "traces",
                       static_cast<long long>(s.traces), "graphs", static_cast<long long>(s.graphs), "breaks",
                       static_cast<long long>(s.breaks), "guard_misses",
                       static_cast<long long>(s.guard_misses), "failed_runs",
                       static_cast<long long>(s.failed_runs));
}

PyObject* trace_for_inputs(PyObject* object, PyObject* both) {
  CompiledFunction* compiled = as_compiled(object);
  PyObject *arguments, *keywords;
  if (!PyArg_ParseTuple(both, "O!O!", &PyTuple_Type, &arguments, &PyDict_Type, &keywords)) return nullptr;
  CodeCache* cache = frameless_cache(compiled);
  if (!cache) {
    PyErr_SetString(PyExc_TypeError,
                    "trace_for_inputs: expected a compiled Python function that is no generator");
    return nullptr;
  }
  std::vector<PyObject*> localsplus(cache->code()->co_nlocalsplus + 1);
  std::vector<PyObject*> all(&PyTuple_GET_ITEM(arguments, 0),
                             &PyTuple_GET_ITEM(arguments, 0) + PyTuple_GET_SIZE(arguments));
  Owned names = Owned::steal(PySequence_Tuple(keywords));
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names.get()); ++i)
    all.push_back(PyDict_GetItem(keywords, PyTuple_GET_ITEM(names.get(), i)));
  BoundArguments bound(compiled->function, localsplus.data());
  if (!names || !bound.bind(compiled->self, all.data(), PyTuple_GET_SIZE(arguments), names.get())) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "trace_for_inputs: the arguments do not fit the function");
    return nullptr;
  }
  Place place{cache->code(), cache->program(), frameless_values(compiled->function, localsplus.data()), 0};
  std::unique_ptr<Trace> trace = trace_at(place, compiled->compilation->settings(), {});
  if (!trace) return PyErr_Occurred() ? nullptr : PyList_New(0);
  Owned event = Owned::steal(trace_event({*trace, place.code, place.program->line(0), true, 0, {}}));
  return event ? Py_BuildValue("[O]", event.get()) : nullptr;
}

// Pickled and copied by name, as functions are.
PyObject* reduce(PyObject* object, PyObject*) {
  return PyObject_GetAttrString(as_compiled(object)->target, "__qualname__");
}

PyMethodDef methods[] = {
    {"stats", stats, METH_NOARGS,
     "Counters since creation or reset: compilations, traces, graphs, breaks, guard_misses, failed_runs."},
    {"trace_for_inputs", trace_for_inputs, METH_VARARGS,
     "trace_for_inputs(args, kwargs): the events of a trace at function entry; nothing runs."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"__wrapped__", get_wrapped, nullptr, "What was compiled.", nullptr},
                            {"__doc__", get_doc, nullptr, nullptr, nullptr},
                            {"__module__", get_module, nullptr, nullptr, nullptr},
                            {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject make_type() {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "framejit._C.compiler.CompiledFunction";
  type.tp_basicsize = sizeof(CompiledFunction);
  type.tp_flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
  type.tp_new = compiled_new;
  type.tp_dealloc = compiled_dealloc;
  type.tp_traverse = compiled_traverse;
  type.tp_clear = compiled_clear;
  type.tp_vectorcall_offset = offsetof(CompiledFunction, vectorcall);
  type.tp_call = PyVectorcall_Call;
  type.tp_getattro = compiled_getattro;
  type.tp_repr = compiled_repr;
  type.tp_descr_get = compiled_descr_get;
  type.tp_dictoffset = offsetof(CompiledFunction, dict);
  type.tp_weaklistoffset = offsetof(CompiledFunction, weakrefs);
  type.tp_methods = methods;
  type.tp_getset = properties;
  return type;
}

}  // namespace

PyObject* compiled_target(PyObject* callable) {
  return Py_TYPE(callable) == compiled_function_type() ? as_compiled(callable)->target : nullptr;
}

PyTypeObject* compiled_function_type() {
  static PyTypeObject type = make_type();
  return PyType_Ready(&type) == 0 ? &type : nullptr;
}

}  // namespace framejit::eval_frame
