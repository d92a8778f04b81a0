// The garbage collector and code that walks Python containers.
//
// A collection runs finalizers, which are user code: they may change the very list, dict or cache that is
// being walked, and free what is only borrowed. It can start at any allocation (CPython 3.11) and inside repr
// and the like (since 3.12). Tracing and the explanation of a failed guard walk the user's objects by
// borrowed pointers, so the collector waits for their end.
#pragma once

#include <Python.h>

namespace framejit::guards {

/// While one lives, collections start only where they are asked for. With the GIL held.
class CollectorPaused {
 public:
  CollectorPaused() {
    if (pauses++ == 0) was_enabled = PyGC_IsEnabled();
    PyGC_Disable();
  }
  ~CollectorPaused() {
    if (--pauses == 0 && was_enabled) PyGC_Enable();
  }
  CollectorPaused(const CollectorPaused&) = delete;

 private:
  friend class CollectorResumed;
  static inline int pauses = 0;
  static inline bool was_enabled = false;
};

/// For user code that is called while tracing and holds nothing of ours: a backend, which may run for long.
class CollectorResumed {
 public:
  CollectorResumed() : resumed_(CollectorPaused::pauses > 0) {
    if (resumed_ && CollectorPaused::was_enabled) PyGC_Enable();
  }
  ~CollectorResumed() {
    if (!resumed_) return;
    CollectorPaused::was_enabled = PyGC_IsEnabled();  // it may have switched it itself
    PyGC_Disable();
  }
  CollectorResumed(const CollectorResumed&) = delete;

 private:
  bool resumed_;
};

}  // namespace framejit::guards
