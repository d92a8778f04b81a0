#include "eval_frame/thread.h"

#include <unordered_set>

#include "eval_frame/runner.h"

namespace framejit::eval_frame {
namespace {

thread_local ThreadState thread_state;

// Both are changed with the GIL held.
int regions = 0;
int suspensions = 0;

void switch_hook() { set_evaluator(regions > 0 && suspensions == 0 ? evaluate_frame : nullptr); }

// Weak dictionary: callable -> is it disabled with all that it calls? Null until something is marked.
PyObject* disabled_callables = nullptr;

// Addresses of what was ever marked: a quick "no" for everything else. May name objects that died.
std::unordered_set<PyObject*>& possibly_disabled() {
  static auto* addresses = new std::unordered_set<PyObject*>;
  return *addresses;
}

PyObject* underlying(PyObject* callable) {
  return PyMethod_Check(callable) ? PyMethod_GET_FUNCTION(callable) : callable;
}

}  // namespace

ThreadState& this_thread() { return thread_state; }

Region::Region(std::shared_ptr<Compilation> compilation)
    : compilation_(std::move(compilation)),
      outer_(std::exchange(thread_state.compilation, compilation_.get())) {
  if (regions++ == 0) switch_hook();
}

Region::~Region() {
  thread_state.compilation = outer_;
  if (--regions == 0) switch_hook();
}

HookSuspended::HookSuspended() {
  if (suspensions++ == 0) switch_hook();
}
HookSuspended::~HookSuspended() {
  if (--suspensions == 0) switch_hook();
}

bool mark_disabled(PyObject* callable, bool recursive) {
  if (!disabled_callables) {
    Owned weakref = Owned::steal(PyImport_ImportModule("weakref"));
    if (weakref) disabled_callables = PyObject_CallMethod(weakref.get(), "WeakKeyDictionary", nullptr);
    if (!disabled_callables) return false;
  }
  possibly_disabled().insert(underlying(callable));
  return PyObject_SetItem(disabled_callables, underlying(callable), recursive ? Py_True : Py_False) == 0;
}

Disabled disabled_kind(PyObject* callable) {
  if (!disabled_callables || !possibly_disabled().count(underlying(callable))) return Disabled::no;
  Counted busy(thread_state.busy);  // the dictionary is written in Python
  Owned recursive = Owned::steal(PyObject_CallMethod(disabled_callables, "get", "O", underlying(callable)));
  if (!recursive) PyErr_Clear();  // unhashable or not weakly referencable, hence never marked
  if (!recursive || recursive.get() == Py_None) return Disabled::no;
  return recursive.get() == Py_True ? Disabled::with_callees : Disabled::itself;
}

}  // namespace framejit::eval_frame
