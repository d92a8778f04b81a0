// Contract: the threads that kernels share.
#pragma once

#include <cstdint>

#include "eager/export.h"

namespace framejit::eager::cpu {

FRAMEJIT_API int num_threads();  ///< FRAMEJIT_NUM_THREADS, else the CPUs this process may run on
FRAMEJIT_API void set_num_threads(int count);

/// A borrowed callable over a range of units of work; the callee outlives the call.
class RangeFn {
 public:
  template <class F>
  RangeFn(const F& f)  // NOLINT: implicit on purpose
      : object_(&f), call_([](const void* object, int64_t begin, int64_t end) {
          (*static_cast<const F*>(object))(begin, end);
        }) {}
  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, int64_t, int64_t);
};

/// Runs `work` over [0, units) in pieces of at most `grain` units, on this thread and the pool's. Inline when
/// one piece is all there is, when called from within a piece, when another thread has the pool, and when
/// there is one thread. The first exception is rethrown here after every piece that was begun has ended.
/// Works in a forked child.
FRAMEJIT_API void parallel_for(int64_t units, int64_t grain, RangeFn work);

}  // namespace framejit::eager::cpu
