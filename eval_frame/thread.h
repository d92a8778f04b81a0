// What each thread knows of the compiler, and the switch of the PEP 523 hook.
//
// The hook is installed while some thread is inside a compiled region (Region), so that code outside pays
// nothing. Under it every Python call nests on the C stack; past kMaxDepth nested evaluations it is switched
// off until they are done, so the interpreter runs deep recursion in its own way and its recursion limit
// holds.
#pragma once

#include <Python.h>

#include <memory>

#include "eval_frame/cache.h"
#include "eval_frame/frame.h"

namespace framejit::eval_frame {

inline constexpr int kMaxDepth = 200;

struct ThreadState {
  Compilation* compilation = nullptr;  // of the region that this thread is in
  int busy = 0;      // > 0: guards, tracing or our own Python code runs; frames pass through
  int disabled = 0;  // > 0: framejit.compiler.disable is in force
  int depth = 0;     // evaluations under the hook, nested on the C stack
};

ThreadState& this_thread();

/// Adds to a counter for a scope.
class Counted {
 public:
  explicit Counted(int& counter) : counter_(counter) { ++counter_; }
  ~Counted() { --counter_; }
  Counted(const Counted&) = delete;

 private:
  int& counter_;
};

/// While it lives, frames on this thread are compiled for `compilation`.
class Region {
 public:
  explicit Region(std::shared_ptr<Compilation> compilation);
  ~Region();
  Region(const Region&) = delete;

 private:
  std::shared_ptr<Compilation> compilation_;
  Compilation* outer_;
};

/// While it lives, on any thread, the interpreter evaluates frames alone.
class HookSuspended {
 public:
  HookSuspended();
  ~HookSuspended();
  HookSuspended(const HookSuspended&) = delete;
};

/// For functions marked with compiler.disable.
enum class Disabled : uint8_t { no, itself, with_callees };
/// `callable`: a function (or method of one), or any weakly referencable callable. False with an exception
/// set.
bool mark_disabled(PyObject* callable, bool recursive);
Disabled disabled_kind(PyObject* callable);

}  // namespace framejit::eval_frame
